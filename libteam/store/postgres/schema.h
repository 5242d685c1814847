// The tables of a store, and the version of their layout.
#pragma once

#include <string>
#include <vector>

namespace team {

inline constexpr int kSchemaVersion = 1;

// The statements that make the tables in an empty schema, which search_path names.
const std::vector<std::string>& schema_statements();

}  // namespace team
