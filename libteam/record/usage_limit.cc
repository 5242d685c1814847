#include "libteam/record/usage_limit.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"
#include "libteam/record/reset_time.h"

namespace team {

namespace {

// As printed by claude 1.0 to 2.1, codex 0.23 to 0.166, gemini 0.1 to 0.61 and opencode 1.18.
constexpr std::array<LimitText, 30> kKnown = {{
    {"claude", "claude ai usage limit reached"},
    {"claude", "claude usage limit reached"},
    {"claude", "you've hit your limit"},
    {"claude", "you've hit your * limit"},
    {"claude", "5-hour limit reached"},
    {"claude", "session limit reached"},
    {"claude", "weekly limit reached"},
    {"claude", "you're out of extra usage"},
    {"claude", "exceed your account's rate limit"},
    {"claude", "credit balance is too low"},
    {"claude", "\"rate_limit_error\""},
    {"claude", "\"overloaded_error\""},
    {"codex", "you've hit your usage limit"},
    {"codex", "usage_limit_reached"},
    {"codex", "the usage limit has been reached"},
    {"codex", "exceeded retry limit, last status: 429"},
    {"codex", "quota exceeded. check your plan and billing details"},
    {"codex", "insufficient_quota"},
    {"gemini", "exhausted your capacity on this model"},
    {"gemini", "exhausted your daily quota"},
    {"gemini", "reached your daily * quota limit"},
    {"gemini", "reached your daily quota limit"},
    {"gemini", "usage limit reached for "},
    {"gemini", "you exceeded your current quota"},
    {"gemini", "resource has been exhausted"},
    {"gemini", "resource_exhausted"},
    {"gemini", "terminalquotaerror"},
    {"opencode", "free usage exceeded"},
    {"opencode", "usagelimiterror"},
    {"opencode", "rate limit exceeded. please try again later"},
}};

constexpr std::size_t kLongestReason = 200;

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

// For comparison: small letters, and one kind of apostrophe.
std::string simplify(std::string_view text) {
  constexpr std::string_view kApostrophe = "\xE2\x80\x99";
  std::string simple = lower(text);
  for (std::size_t at = 0; (at = simple.find(kApostrophe, at)) != std::string::npos; ++at) {
    simple.replace(at, kApostrophe.size(), 1, '\'');
  }
  return simple;
}

// The place of the pattern in the line; npos if it is not there.
std::size_t find_pattern(std::string_view line, std::string_view pattern) {
  std::size_t start = std::string_view::npos, at = 0;
  for (const std::string& part : split(pattern, '*')) {
    const std::size_t found = line.find(part, at);
    if (found == std::string_view::npos) return std::string_view::npos;
    if (start == std::string_view::npos) start = found;
    at = found + part.size();
  }
  return start;
}

// The place of the first text in the line; npos if there is none.
std::size_t find_text(std::string_view line, const std::vector<std::string>& more) {
  std::size_t first = std::string_view::npos;
  for (const LimitText& known : kKnown) first = std::min(first, find_pattern(line, known.text));
  for (const std::string& text : more) {
    if (!text.empty()) first = std::min(first, find_pattern(line, simplify(text)));
  }
  return first;
}

std::vector<std::string> lines_of(std::string_view text) {
  auto lines = split(text, '\n');
  for (std::string& line : lines) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  }
  std::erase(lines, "");
  return lines;
}

std::optional<Json> object_in(std::string_view text) {
  if (text.empty() || text.front() != '{') return std::nullopt;
  try {
    Json json = parse_json(text, "output");
    return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The message of an error in the JSON of claude, codex, gemini or opencode; empty if there is none.
std::string message_in(const Json& json) {
  const auto error = json.find("error");
  if (error != json.end() && error->is_string()) return error->get<std::string>();
  if (error != json.end() && error->is_object()) {
    const auto data = error->find("data");
    const std::string deep = data != error->end() ? text_at(*data, "message") : "";
    if (!deep.empty()) return deep;
    if (std::string text = text_at(*error, "message"); !text.empty()) return text;
  }
  std::string text = text_at(json, "message");
  return text.empty() ? text_at(json, "result") : text;
}

std::string readable(std::string_view line) {
  std::string text(line);
  if (const auto json = object_in(line)) {
    if (std::string message = message_in(*json); !message.empty()) text = first_line(message);
  }
  return cut_characters(one_line(text), kLongestReason);
}

// The limit that one of these lines tells; the last one counts. The time may stand in one of the next two lines.
std::optional<UsageLimit> search(const std::vector<std::string>& lines, const std::vector<std::string>& more,
                                 double now) {
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (find_text(simplify(lines[i]), more) == std::string_view::npos) continue;
    UsageLimit limit{readable(lines[i]), find_reset_time(lines[i], now)};
    for (std::size_t next = i + 1; next < std::min(i + 3, lines.size()) && !limit.until; ++next) {
      limit.until = find_reset_time(lines[next], now);
    }
    return limit;
  }
  return std::nullopt;
}

// A program that succeeded and printed one line, which begins with such a text; or claude's JSON of an error.
std::optional<UsageLimit> search_success(const std::vector<std::string>& lines, const std::vector<std::string>& more,
                                         double now) {
  if (lines.size() != 1) return std::nullopt;
  std::string text = lines.front();
  if (const auto json = object_in(text)) {
    const auto is_error = json->find("is_error");
    if (is_error == json->end() || *is_error != true) return std::nullopt;
    text = text_at(*json, "result");
  }
  if (find_text(simplify(text), more) != 0) return std::nullopt;
  return UsageLimit{readable(text), find_reset_time(text, now)};
}

bool is_noise(std::string_view line) {
  if (line.find("[object Object]") != std::string_view::npos) return true;
  if (line.starts_with("at ") || line.starts_with("Node.js v")) return true;  // a stack
  return std::none_of(line.begin(), line.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
  });
}

}  // namespace

std::span<const LimitText> known_limit_texts() { return kKnown; }

std::vector<std::string> parse_texts(std::string_view json) {
  const Json list = parse_json(json, "setting limits.texts");
  const bool is_list =
      list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& text) {
        return text.is_string() && text.get<std::string>().find_first_not_of("* ") != std::string::npos;
      });
  if (!is_list) fail(Code::corrupt, "setting limits.texts: not a JSON array of texts");
  return list.get<std::vector<std::string>>();
}

std::optional<std::string> tidy_texts(std::string_view json) {
  try {
    return dump_line(Json(parse_texts(json)));
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    return std::nullopt;
  }
}

std::optional<UsageLimit> find_usage_limit(int status, std::string_view out, std::string_view err,
                                           const std::vector<std::string>& more, double now) {
  const auto said = lines_of(out), complained = lines_of(err);
  if (status == 0) return search_success(said, more, now);
  auto limit = search(complained, more, now);
  if (!limit) limit = search(said, more, now);
  if (limit || status != kTryLater) return limit;
  std::string reason = most_useful_line(out, err);
  for (const auto& lines : {complained, said}) {
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      if (const auto until = find_reset_time(*line, now)) return UsageLimit{readable(*line), until};
    }
  }
  return UsageLimit{reason.empty() ? "exit status 75: try again later" : reason, std::nullopt};
}

std::string most_useful_line(std::string_view out, std::string_view err) {
  for (const std::string_view text : {err, out}) {
    const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    if (const auto json = object_in(text.substr(start))) {
      if (const std::string message = message_in(*json); !message.empty()) return readable(first_line(message));
    }
    auto lines = lines_of(text);
    std::erase_if(lines, is_noise);
    if (lines.empty()) continue;
    for (const std::string_view mark : {"error:", "error"}) {
      for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        if (lower(*line).find(mark) != std::string::npos) return readable(*line);
      }
    }
    return readable(lines.back());
  }
  return "";
}

}  // namespace team
