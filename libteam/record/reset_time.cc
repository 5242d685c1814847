#include "libteam/record/reset_time.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "libteam/base/time_zone.h"

namespace team {

namespace {

constexpr double kDay = 86'400;
constexpr double kLongestWait = 35 * kDay;
constexpr double kStale = 1800;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 18> kUnits = {{{"ms", 0.001},
                                          {"s", 1},
                                          {"sec", 1},
                                          {"secs", 1},
                                          {"second", 1},
                                          {"seconds", 1},
                                          {"m", 60},
                                          {"min", 60},
                                          {"mins", 60},
                                          {"minute", 60},
                                          {"minutes", 60},
                                          {"h", 3600},
                                          {"hr", 3600},
                                          {"hrs", 3600},
                                          {"hour", 3600},
                                          {"hours", 3600},
                                          {"day", kDay},
                                          {"days", kDay}}};
constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

template <std::size_t N>
std::optional<int> index_of(const std::array<std::string_view, N>& names, std::string_view word) {
  if (word.size() < 3) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), word.substr(0, 3));
  return found == names.end() ? std::nullopt : std::optional(static_cast<int>(found - names.begin()));
}

// A date and a time of day, as far as they were given.
struct Moment {
  std::optional<int> year, month, day, weekday;  // month and weekday count from 0
  int hour = 0, minute = 0;
  double second = 0;
  std::string zone;
};

// Reads the text behind a word such as "resets".
class Reader {
 public:
  Reader(std::string_view original, std::string_view text, std::size_t at, double now)
      : original_(original), text_(text), at_(at), now_(now) {}

  std::optional<double> read() {
    skip_fillers();
    if (auto moment = iso()) return moment;
    if (auto moment = epoch()) return moment;
    if (auto seconds = duration()) return now_ + *seconds;
    return date_and_time();
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void skip(std::string_view characters) {
    while (at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  std::string_view word() const {
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool take_word(std::string_view wanted) {
    if (word() != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  // Up to the first word that is not one of ours: "resets_in_seconds": 5, "retry-after: 5", "resets at".
  void skip_fillers() {
    constexpr std::array<std::string_view, 15> kFillers = {
        "s", "at", "in", "after", "on", "ing", "delay", "ms", "it", "your", "seconds", "time", "will", "the", "by"};
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const std::string_view next = word();
      if (!next.empty() && std::find(kFillers.begin(), kFillers.end(), next) != kFillers.end()) {
        counts_seconds_ = counts_seconds_ || next == "seconds" || next == "after" || next == "delay";
        if (next == "ms") scale_ = 0.001;
        at_ += next.size();
      } else if (!is_letter(c) && !is_digit(c) && c != '\n') {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::optional<int> number(std::size_t most_digits) {
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    int value = 0;
    if (end == at_ || end - at_ > most_digits) return std::nullopt;
    std::from_chars(text_.data() + at_, text_.data() + end, value);
    at_ = end;
    return value;
  }

  std::optional<double> epoch() {
    constexpr std::size_t kSeconds = 10, kMilliseconds = 13;
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    const std::size_t digits = end - at_;
    if (digits != kSeconds && digits != kMilliseconds) return std::nullopt;
    double value = 0;
    std::from_chars(text_.data() + at_, text_.data() + end, value);
    return digits == kSeconds ? value : value / 1000;
  }

  std::optional<double> iso() {
    const std::size_t start = at_;
    Moment moment;
    const auto refuse = [&]() -> std::optional<double> {
      at_ = start;
      return std::nullopt;
    };
    moment.year = number(4);
    if (!moment.year || *moment.year < 1970 || !take('-')) return refuse();
    moment.month = number(2);
    if (!moment.month || !take('-')) return refuse();
    moment.day = number(2);
    if (!moment.day || *moment.month < 1) return refuse();
    --*moment.month;
    if (!take('t')) skip(" ");
    const auto hour = number(2);
    const auto minute = hour && take(':') ? number(2) : std::nullopt;
    if (minute) {
      moment.hour = *hour;
      moment.minute = *minute;
      if (take(':')) moment.second = decimal().value_or(0);
    }
    const std::size_t zone = at_;
    if (!take('z') && (peek() == '+' || peek() == '-')) {
      ++at_;
      while (is_digit(peek()) || (peek() == ':' && is_digit(peek(1)))) ++at_;
    }
    moment.zone = original_.substr(zone, at_ - zone);
    return resolve(moment);
  }

  std::optional<double> decimal() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value, std::chars_format::fixed);
    if (error != std::errc() || !is_digit(*begin)) return std::nullopt;
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  // "2 hours 5 minutes", "21h53m56s", "36.8s", or a number of seconds where the words in front say so.
  std::optional<double> duration() {
    const std::size_t start = at_;
    double sum = 0;
    bool any = false;
    while (true) {
      const std::size_t part = at_;
      const auto value = decimal();
      if (!value) break;
      skip(" ");
      const std::string_view name = word();
      const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& one) { return one.name == name; });
      const bool is_days = name == "d";
      if (unit == kUnits.end() && !is_days) {
        const bool is_bare = !any && counts_seconds_ && name != "am" && name != "pm" && peek() != ':';
        if (is_bare) return *value * scale_;
        at_ = part;
        break;
      }
      sum += *value * (is_days ? kDay : unit->seconds);
      at_ += name.size();
      any = true;
      const std::size_t after = at_;
      skip(" ,");
      if (take_word("and")) skip(" ");
      if (!is_digit(peek())) at_ = after;
    }
    if (!any) at_ = start;
    return any ? std::optional(sum) : std::nullopt;
  }

  std::optional<double> date_and_time() {
    Moment moment;
    bool has_date = false;
    if (const auto month = index_of(kMonths, word())) {
      at_ += word().size();
      skip(" .");
      moment.month = month;
      moment.day = number(2);
      if (!moment.day) return std::nullopt;
      for (const std::string_view suffix : {"st", "nd", "rd", "th"}) take_word(suffix);
      skip(" ,");
      const std::size_t year = at_;
      moment.year = number(4);
      if (moment.year && *moment.year < 1970) {  // it is the time
        moment.year.reset();
        at_ = year;
      }
      has_date = true;
    } else if (const auto weekday = index_of(kWeekdays, word())) {
      at_ += word().size();
      moment.weekday = weekday;
      has_date = true;
    } else if (take_word("tomorrow")) {
      is_tomorrow_ = true;
    } else {
      take_word("today");
    }
    skip(" ,");
    if (take_word("at")) skip(" ");
    if (!time_of_day(moment) && !has_date) return std::nullopt;
    read_zone(moment);
    return resolve(moment);
  }

  bool time_of_day(Moment& moment) {
    const std::size_t start = at_;
    const auto hour = number(2);
    if (!hour || *hour > 23) {
      at_ = start;
      return false;
    }
    const bool has_minutes = take(':');
    if (has_minutes) moment.minute = number(2).value_or(60);
    if (take(':')) number(2);
    // Some locales write a narrow blank here.
    while (peek() == ' ' || (peek() & 0x80) != 0) ++at_;
    const bool is_pm = word() == "pm", is_am = word() == "am";
    if (is_pm || is_am) at_ += 2;
    if (moment.minute > 59 || (!has_minutes && !is_pm && !is_am) || ((is_pm || is_am) && (*hour < 1 || *hour > 12))) {
      at_ = start;
      moment.minute = 0;
      return false;
    }
    moment.hour = is_pm || is_am ? *hour % 12 + (is_pm ? 12 : 0) : *hour;
    return true;
  }

  // "(Europe/Berlin)", "GMT-3", "UTC".
  void read_zone(Moment& moment) {
    skip(" ,");
    const bool is_enclosed = take('(');
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek()) || peek() == '/' || peek() == '_' || peek() == '+' || peek() == '-' ||
           (peek() == ':' && is_digit(peek(1)))) {
      ++at_;
    }
    const std::string_view zone = original_.substr(start, at_ - start);
    const std::string_view lowered = text_.substr(start, at_ - start);
    const bool is_zone = is_enclosed || lowered.starts_with("utc") || lowered.starts_with("gmt");
    if (is_zone && zone_offset(zone, now_)) moment.zone = zone;
  }

  // Unix seconds of a date in the zone of the moment.
  static std::optional<double> in_zone(tm date, const Moment& moment) {
    date.tm_hour = moment.hour;
    date.tm_min = moment.minute;
    date.tm_sec = 0;
    const auto utc = static_cast<double>(::timegm(&date)) + moment.second;
    const auto offset = zone_offset(moment.zone, utc);
    // Near a change of the clock the offset of the result counts.
    const auto exact = offset ? zone_offset(moment.zone, utc - *offset) : std::nullopt;
    return exact ? std::optional(utc - *exact) : std::nullopt;
  }

  std::optional<double> resolve(const Moment& moment) const {
    const auto offset = zone_offset(moment.zone, now_);
    if (!offset) return std::nullopt;
    const auto there = static_cast<time_t>(now_ + *offset);
    tm date{};
    ::gmtime_r(&there, &date);
    if (moment.month) {
      if (*moment.month > 11 || *moment.day < 1 || *moment.day > 31) return std::nullopt;
      date.tm_mon = *moment.month;
      date.tm_mday = *moment.day;
      if (moment.year) date.tm_year = *moment.year - 1900;
      auto result = in_zone(date, moment);
      if (result && !moment.year && *result < now_ - kLongestWait) {  // in January of the next year
        ++date.tm_year;
        result = in_zone(date, moment);
      }
      return result;
    }
    if (moment.weekday) date.tm_mday += (*moment.weekday - date.tm_wday + 7) % 7;
    if (is_tomorrow_) ++date.tm_mday;
    const auto result = in_zone(date, moment);
    if (!result || *result > now_) return result;
    if (now_ - *result <= kStale) return std::nullopt;
    date.tm_mday += moment.weekday ? 7 : 1;
    return in_zone(date, moment);
  }

  std::string_view original_, text_;
  std::size_t at_;
  double now_;
  double scale_ = 1;
  bool counts_seconds_ = false;
  bool is_tomorrow_ = false;
};

bool is_plausible(const std::optional<double>& moment, double now) {
  return moment && *moment > now && *moment <= now + kLongestWait;
}

}  // namespace

std::optional<double> find_reset_time(std::string_view text, double now) {
  constexpr std::array<std::string_view, 6> kCues = {"|", "reset", "try again", "retry", "available again", "until"};
  const std::string lowered = lower(text);
  // The words in their order: the first time that makes sense counts.
  for (std::size_t at = 0; at < lowered.size(); ++at) {
    for (const std::string_view cue : kCues) {
      if (lowered.compare(at, cue.size(), cue) != 0) continue;
      const auto moment = Reader(text, lowered, at + cue.size(), now).read();
      if (is_plausible(moment, now)) return moment;
    }
  }
  return std::nullopt;
}

}  // namespace team
