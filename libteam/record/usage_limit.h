// Recognizes usage limits in the output of other programs.
//
// A program that reached the limit of its account has not failed: it can do the work later.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace team {

// A text that a program prints when it reached a usage limit. It is compared without regard to case. `*` stands for any
// characters of a line.
struct LimitText {
  std::string_view program;
  std::string_view text;
};
// The texts of known programs.
std::span<const LimitText> known_limit_texts();

struct UsageLimit {
  std::string reason;           // the line that tells it
  std::optional<double> until;  // Unix seconds, if the line tells that too
};

// The exit status that means "try again later", EX_TEMPFAIL of sysexits.
inline constexpr int kTryLater = 75;

// Returns a list of texts as one line of JSON; none if the text is not such a list.
std::optional<std::string> tidy_texts(std::string_view json);
// The texts of such a list. Throws corrupt.
std::vector<std::string> parse_texts(std::string_view json);

// Returns the limit that a program reported by its exit status or its output. `more` are further texts. The output of a
// program that succeeded counts only if it is nothing but such a text: the work may be about usage limits.
std::optional<UsageLimit> find_usage_limit(int status, std::string_view out, std::string_view err,
                                           const std::vector<std::string>& more, double now);

// The line of a failed program's output that tells most: of stderr, or else of stdout. Prefers a line with an error,
// and reads the message out of JSON. At most 200 characters; empty if there is no line.
std::string most_useful_line(std::string_view out, std::string_view err);

}  // namespace team
