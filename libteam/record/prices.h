// What models cost, in US dollars.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/usage.h"

namespace team {

// None for a model that nobody knows. `overrides` is the setting model.prices, which is asked before the table we
// have; in each the longest prefix of the model's name holds. Throws corrupt if it is no table.
std::optional<double> cost_of(const Usage& usage, std::string_view model, std::string_view overrides);

// A table of prices as one line; none if the text is not an object {"prefix": [input, output, cache_read,
// cache_written]} of dollars per million tokens, the last two of which may be left out: then they cost as input does.
std::optional<std::string> tidy_prices(std::string_view text);

}  // namespace team
