// Finds the moment at which a usage limit ends, in the words of other programs.
#pragma once

#include <optional>
#include <string_view>

namespace team {

// Understands "resets 3pm (Europe/Berlin)", "resets Jun 7, 4pm (UTC)", "try again at Jul 5th, 2026 8:19 PM", "try again
// in 2 hours 5 minutes", "reset after 21h53m56s", "retry-after: 120", "limit reached|1749924000" and ISO 8601. A time
// without a zone is local. Returns Unix seconds later than `now`. None if there is no such time, or if it is more than
// 35 days away. Also none if a time of day has passed less than half an hour ago, because the text is old then.
std::optional<double> find_reset_time(std::string_view text, double now);

}  // namespace team
