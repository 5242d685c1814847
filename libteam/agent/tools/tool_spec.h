// The description of a tool for the model.
#pragma once

#include <string>

namespace team {

struct ToolSpec {
  std::string name;
  std::string description;
  std::string schema;  // JSON Schema of its arguments, as text
};

}  // namespace team
