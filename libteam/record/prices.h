// The cost of models, in US dollars.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/usage.h"

namespace team {

// None for an unknown model. `overrides` is the setting model.prices, which goes before the built-in table. In each
// table the longest prefix of the model's name applies. Throws corrupt if `overrides` is not a table.
std::optional<double> cost_of(const Usage& usage, std::string_view model, std::string_view overrides);

// The cost of a member: the costs that its programs reported, and the price of the tokens of its model. None if it used
// tokens whose price is unknown, or if it has no model and reported no cost.
std::optional<double> full_cost_of(const Usage& usage, const std::optional<std::string>& model,
                                   std::string_view overrides);

// Returns a table of prices as one line; none if the text is not such a table. A table is an object {"prefix": [input,
// output, cache_read, cache_written]} of dollars per million tokens. The last two prices default to that of input.
std::optional<std::string> tidy_prices(std::string_view text);

}  // namespace team
