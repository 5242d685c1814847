// The offsets of time zones from UTC, for times that other programs print.
#pragma once

#include <optional>
#include <string_view>

namespace team {

// Seconds east of UTC at this moment (Unix seconds). A zone is UTC, GMT, an offset (+01:00, GMT-3, UTC+5:30), or a name
// of the time zone database of the system (Europe/Berlin). The empty name is the local zone. None for an unknown zone.
std::optional<int> zone_offset(std::string_view zone, double moment);

// The same by a rule of POSIX, such as "CET-1CEST,M3.5.0,M10.5.0/3". None if it is not a rule.
std::optional<int> offset_by_rule(std::string_view rule, double moment);

}  // namespace team
