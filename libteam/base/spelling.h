// Finds the known word that a person, a script or a model meant by an unknown word.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace team {

// The entries of `known` that are similar to the mistyped word `wrong`, best first.
std::vector<std::string> nearest(std::string_view wrong, const std::vector<std::string>& known);

// "; did you mean a or b?" with the nearest of `known`, best first; empty if none is near.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

// "; did you mean MEANT?", for the answer of meant_key().
std::string suggest(std::string_view meant);

// The known key that the author of an unknown key of a JSON object probably meant. A key resembles a known one that
// differs only in case, '_' and '-' (`blocked_by`), in a letter or two (`retires`), or that is a synonym
// (`depends_on` for `blockedBy`). None if `unknown` resembles no known key; `unknown` itself is not in `known`.
//
// A known key may be a path (`limits.retries`), for a key that belongs to another level: its last part is compared,
// and the answer is the path.
std::optional<std::string> meant_key(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace team
