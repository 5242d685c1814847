#include "libteam/report/report_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libteam/base/columns.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "libteam/report/report_style.h"
#include "libteam/report/time_scale.h"
#include "libteam/report/xml.h"

namespace team {

namespace {

constexpr double kWidth = 1190;
constexpr double kMargin = 40;  // right margin, for half the label of the last tick
constexpr double kIndent = 14;
constexpr double kNames = 180;  // where the plot starts
constexpr double kPlot = kWidth - kNames - kMargin;
constexpr double kFontSize = 12;
constexpr double kSmallFont = 10;
constexpr double kLetter = 0.6;  // of the size of the font
constexpr double kLegendLine = 24;
constexpr double kAxis = 20;
constexpr double kBoard = 48;  // height of the curves of waiting and running tasks
constexpr double kGap = 8;     // between rows

struct Paint {
  std::string_view name;
  BoxColours colours;
  bool is_dashed = false;
};

constexpr std::array<Paint, 5> kEnds = {{{"completed", colour::kCompleted},
                                         {"failed", colour::kFailed},
                                         {"released", colour::kWaiting, true},
                                         {"lost", colour::kBroken, true},
                                         {"running", colour::kInProgress}}};

constexpr std::array<Paint, 6> kStates = {{{"spawn", {"#b6e3ff", "none"}},
                                           {"active", {"#54aeff", "none"}},
                                           {"idle", {"#c8d1da", "none"}},
                                           {"plan_pending", {"#e8830c", "none"}},
                                           {"paused", {"#a475f9", "none"}},
                                           {"error", {colour::kWrong, "none"}}}};

const Paint& paint_of(WorkInterval::End end) { return kEnds[static_cast<std::size_t>(end)]; }
const Paint& paint_of(State state) { return kStates.at(static_cast<std::size_t>(state)); }

std::string draw_text(double x, double y, std::string_view text, std::string_view attributes = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>", x, y, attributes, to_xml(text));
}

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

std::string draw_box(const Box& box, const Paint& paint) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"{}/>",
                     box.x, box.y, box.width, box.height, paint.colours.fill, paint.colours.stroke,
                     paint.is_dashed ? " stroke-dasharray=\"3 2\"" : "");
}

std::string draw_titled(const std::string& title, const std::string& inside) {
  return fmt::format("<g><title>{}</title>{}</g>\n", to_xml(title), inside);
}

std::size_t letters_in(double width, double font = kFontSize) {
  return width <= 0 ? 0 : static_cast<std::size_t>(width / (kLetter * font));
}

double width_of(std::string_view text, double font = kFontSize) {
  return static_cast<double>(columns(text)) * kLetter * font;
}

// One line of bars in a row. Intervals that are too short to be seen are merged into one bar.
struct Bar {
  double left = 0, right = 0;
  const WorkInterval* first = nullptr;
  const WorkInterval* last = nullptr;
  std::size_t count = 0;
};

std::string describe(const Bar& bar) {
  constexpr std::size_t kLongest = 300;
  const WorkInterval& work = *bar.first;
  if (bar.count > 1) {
    return fmt::format("{} tasks from #{} to #{}, {}, {} to {}", bar.count, work.task, bar.last->task,
                       paint_of(work.end).name, clock_time(work.from), clock_time(bar.last->to));
  }
  std::string text = fmt::format("#{} {}\n{}, {}, {} to {}", work.task, work.subject, paint_of(work.end).name,
                                 describe_duration(work.to - work.from), clock_time(work.from), clock_time(work.to));
  if (!work.reason.empty()) text += ": " + work.reason;
  return cut_characters(text, kLongest);
}

// The row of one member.
class Row {
 public:
  enum class Size { large, small };

  Row(const MemberHistory& member, const TimeScale& scale, Size size) : member_(member), scale_(scale), size_(size) {
    for (const WorkInterval& work : member.works) put(work);
    constexpr std::size_t kManyLanes = 6;
    if (size == Size::small || lanes_.size() > kManyLanes) bar_height_ = kSmallBar;
    if (lanes_.size() > 4 * kManyLanes) bar_height_ = 5;
  }

  double height() const {
    const double bars = static_cast<double>(lanes_.size()) * (bar_height_ + kBetween);
    const double least = size_ == Size::large ? 2 * kFontSize + 4 : kFontSize;
    return std::max(bars + kStrip, least);
  }

  std::string draw(double top) const {
    std::string row = draw_name(top);
    double y = top;
    for (const std::vector<Bar>& lane : lanes_) {
      for (const Bar& bar : lane) row += draw_bar(bar, y);
      y += bar_height_ + kBetween;
    }
    return row + draw_states(y);
  }

 private:
  static constexpr double kSmallBar = 12;
  static constexpr double kBetween = 3;
  static constexpr double kStrip = 6;

  // Uses the first line without an overlap.
  void put(const WorkInterval& work) {
    constexpr double kShort = 1.5;
    const double left = scale_.x(work.from);
    const double right = std::max(scale_.x(work.to), left + 1);
    for (std::vector<Bar>& lane : lanes_) {
      Bar& before = lane.back();
      const bool is_free = before.last->to <= work.from;
      const bool is_close = left < before.right + 0.5;
      if (!is_free) continue;
      if (!is_close) {
        lane.push_back({left, right, &work, &work, 1});
        return;
      }
      if (before.last->end == work.end && right - left < 2 * kShort &&
          (before.count > 1 || before.right - before.left < 2 * kShort)) {
        before.right = std::max(before.right, right);
        before.last = &work;
        ++before.count;
        return;
      }
      // Bars that would touch are kept apart: the second starts behind the end of the first.
      const double start = std::max(left, before.right);
      lane.push_back({start, std::max(right, start + 1), &work, &work, 1});
      return;
    }
    lanes_.push_back({{left, right, &work, &work, 1}});
  }

  std::string draw_name(double top) const {
    const std::string name = one_line(member_.name);
    const double room = kNames - kIndent - 10;
    double y = top + kFontSize - 1;
    std::string text = draw_text(kIndent, y, cut_columns(name, letters_in(room)), " font-weight=\"bold\"");
    if (size_ == Size::large) {
      const std::string worked =
          member_.works.empty() ? "no task" : fmt::format("{} on tasks", describe_duration(member_.worked));
      text += draw_text(kIndent, y + kFontSize + 1, cut_columns(worked, letters_in(room, kSmallFont)),
                        fmt::format(" fill=\"{}\" font-size=\"{}\"", colour::kFaint, kSmallFont));
    }
    return draw_titled(fmt::format("{}: {} on tasks, {} idle", name, describe_duration(member_.worked),
                                   describe_duration(member_.idle)),
                       text);
  }

  std::string draw_bar(const Bar& bar, double y) const {
    const Paint& paint = paint_of(bar.first->end);
    const double width = std::max(bar.right - bar.left, 1.0);
    // A merged bar is darker than a single one.
    const Paint dense = {paint.name, paint.colours.stroke, paint.colours.stroke, paint.is_dashed};
    std::string inside = draw_box({bar.left, y, width, bar_height_}, bar.count > 1 ? dense : paint);
    if (bar.count > 1) inside = fmt::format("<g fill-opacity=\"0.5\">{}</g>", inside);
    const std::string id = bar.count > 1 ? fmt::format("{} tasks", bar.count) : fmt::format("#{}", bar.first->task);
    const double font = bar_height_ > kSmallBar ? kFontSize : kSmallFont - 1;
    const std::size_t room = letters_in(width - 8, font);
    if (bar_height_ >= kSmallBar && id.size() <= room) {
      const std::string label = bar.count > 1 ? id : fmt::format("{} {}", id, one_line(bar.first->subject));
      constexpr std::size_t kLeastWord = 4;  // characters of a subject; fewer are useless
      const bool is_worth_it = columns(label) <= room || room >= id.size() + 1 + kLeastWord;
      inside += draw_text(bar.left + 4, y + bar_height_ / 2 + font / 3, is_worth_it ? cut_columns(label, room) : id,
                          font < kFontSize ? fmt::format(" font-size=\"{}\"", font) : "");
    }
    return draw_titled(describe(bar), inside);
  }

  // Urgent states are drawn last and always wide enough to be seen.
  std::string draw_states(double y) const {
    std::string calm, urgent;
    double drawn = 0;
    for (const StateInterval& interval : member_.states) {
      const bool is_urgent =
          interval.state == State::plan_pending || interval.state == State::paused || interval.state == State::error;
      const double left = scale_.x(interval.from);
      const double right = std::max(scale_.x(interval.to), left + (is_urgent ? 3 : 0.5));
      if (!is_urgent && right < drawn + 0.5) continue;
      if (!is_urgent) drawn = right;
      std::string title = fmt::format("{}: {}, {}", member_.name, paint_of(interval.state).name,
                                      describe_duration(interval.to - interval.from));
      if (!interval.reason.empty()) title += ": " + cut_characters(interval.reason, 200);
      (is_urgent ? urgent : calm) +=
          draw_titled(title, draw_box({left, y, right - left, kStrip - 1}, paint_of(interval.state)));
    }
    return calm + urgent;
  }

  const MemberHistory& member_;
  const TimeScale& scale_;
  Size size_;
  double bar_height_ = 18;
  std::vector<std::vector<Bar>> lanes_;
};

// The maximum within each pixel, so that the size of the picture does not depend on the number of events.
std::vector<std::size_t> peaks(const History& history, const TimeScale& scale, std::size_t BoardMoment::*what) {
  std::vector<std::size_t> peaks(static_cast<std::size_t>(kPlot) + 1);
  const auto place = [&](double at) { return static_cast<std::size_t>(scale.x(at) - kNames); };
  for (std::size_t i = 0; i < history.moments.size(); ++i) {
    const BoardMoment& moment = history.moments[i];
    if (moment.*what == 0) continue;
    const double until = i + 1 < history.moments.size() ? history.moments[i + 1].at : history.end;
    for (std::size_t x = place(moment.at); x <= place(until); ++x) peaks[x] = std::max(peaks[x], moment.*what);
  }
  return peaks;
}

std::string draw_steps(const std::vector<std::size_t>& numbers, double bottom, double height, std::size_t most) {
  const auto y = [&](std::size_t number) {
    return bottom - height * static_cast<double>(number) / static_cast<double>(std::max<std::size_t>(most, 1));
  };
  std::string path = fmt::format("M{:.1f} {:.1f}", kNames, bottom);
  std::size_t before = 0;
  for (std::size_t x = 0; x < numbers.size(); ++x) {
    if (numbers[x] == before) continue;
    path += fmt::format("H{:.1f}V{:.1f}", kNames + static_cast<double>(x), y(numbers[x]));
    before = numbers[x];
  }
  return path + fmt::format("H{:.1f}V{:.1f}", kNames + static_cast<double>(numbers.size() - 1), bottom);
}

std::string draw_board(const History& history, const TimeScale& scale, double top) {
  const auto ready = peaks(history, scale, &BoardMoment::ready);
  const auto working = peaks(history, scale, &BoardMoment::working);
  const std::size_t most_ready = *std::max_element(ready.begin(), ready.end());
  const std::size_t most_working = *std::max_element(working.begin(), working.end());
  const double bottom = top + kBoard - 4;
  const std::string small = fmt::format(" fill=\"{}\" font-size=\"{}\"", colour::kFaint, kSmallFont);
  std::string board = draw_text(kIndent, top + kFontSize - 1, "the board", " font-weight=\"bold\"");
  board += draw_text(kIndent, top + 2 * kFontSize, fmt::format("at most {} untaken", most_ready), small);
  board += draw_text(kIndent, top + 3 * kFontSize, fmt::format("at most {} worked on", most_working), small) + "\n";
  board += fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", draw_steps(ready, bottom, kBoard - 8, most_ready),
                       colour::kUntaken);
  board += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                       draw_steps(working, bottom, kBoard - 8, most_working), colour::kWorking);
  return board;
}

std::string draw_key(std::string_view name, double& x, double y, std::string_view swatch) {
  std::string key = std::string(swatch) + draw_text(x + 28, y + 4, name) + "\n";
  x += 28 + width_of(name) + 18;
  return key;
}

std::string draw_legend() {
  constexpr double kTasks = 22, kMembers = kTasks + kLegendLine;
  std::string legend = draw_text(kIndent, kTasks + 4, "tasks", " font-weight=\"bold\"");
  double x = 100;
  for (const Paint& paint : kEnds) {
    legend += draw_key(paint.name, x, kTasks, draw_box({x, kTasks - 7, 22, 14}, paint));
  }
  legend += draw_key("ready, not taken", x, kTasks, draw_box({x, kTasks - 7, 22, 14}, {"", colour::kUntaken, "none"}));
  legend += draw_key(
      "worked on", x, kTasks,
      fmt::format("<path d=\"M{:.1f} {:.1f}h22\" stroke=\"{}\" stroke-width=\"1.5\"/>", x, kTasks, colour::kWorking));
  legend += draw_text(kIndent, kMembers + 4, "members", " font-weight=\"bold\"");
  x = 100;
  for (const Paint& paint : kStates) {
    legend += draw_key(paint.name, x, kMembers, draw_box({x, kMembers - 3, 22, 6}, paint));
  }
  return legend;
}

std::string draw_axis(const TimeScale& scale, double y, std::string TimeScale::Tick::*label) {
  std::string axis =
      fmt::format("<g fill=\"{}\" font-size=\"{}\" text-anchor=\"middle\">\n", colour::kFaint, kSmallFont);
  for (const TimeScale::Tick& tick : scale.ticks()) axis += draw_text(tick.x, y, tick.*label) + "\n";
  return axis + "</g>\n";
}

std::string draw_grid(const TimeScale& scale, double top, double bottom) {
  std::string grid = fmt::format("<g stroke=\"{}\">\n", colour::kGrid);
  for (const TimeScale::Tick& tick : scale.ticks()) {
    grid += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", tick.x, top, bottom);
  }
  return grid + "</g>\n";
}

}  // namespace

std::vector<const MemberHistory*> seen_members(const History& history) {
  std::vector<const MemberHistory*> seen;
  for (const MemberHistory& member : history.members) {
    if (!member.states.empty() || !member.works.empty()) seen.push_back(&member);
  }
  return seen;
}

std::string draw_timeline(const History& history, const std::vector<const MemberHistory*>& members,
                          std::string_view style) {
  constexpr std::size_t kMany = 60;
  const TimeScale scale(history.start, history.elapsed(), kNames, kPlot);
  const auto size = history.members.size() > kMany ? Row::Size::small : Row::Size::large;
  const double top = 2 * kLegendLine + 16;
  double y = top + kAxis;
  std::string rows = draw_board(history, scale, y);
  y += kBoard + kGap;
  bool is_even = true;
  for (const MemberHistory* member : members) {
    const Row row(*member, scale, size);
    const double gap = size == Row::Size::large ? kGap : 4;
    if (is_even) {
      rows +=
          fmt::format("<rect x=\"0\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.7\"/>\n",
                      y - gap / 2, kWidth, row.height() + gap, colour::kBand);
    }
    is_even = !is_even;
    rows += row.draw(y);
    y += row.height() + gap;
  }
  const double height = y + kAxis + 6;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
      "<title>Timeline</title>\n{2}"
      "<rect width=\"100%\" height=\"100%\" fill=\"{3}\"/>\n"
      "<g font-family=\"{4}\" font-size=\"{5}\" fill=\"{6}\">\n",
      kWidth, height, style.empty() ? "" : fmt::format("<style>{}</style>\n", style), colour::kPaper, kTypeface,
      kFontSize, colour::kInk);
  svg += draw_legend();
  svg += draw_axis(scale, top + 10, &TimeScale::Tick::elapsed);
  svg += draw_grid(scale, top + 15, y);
  svg += rows;
  svg += draw_axis(scale, y + 14, &TimeScale::Tick::clock);
  return svg + "</g>\n</svg>\n";
}

}  // namespace team
