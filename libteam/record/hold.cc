#include "libteam/record/hold.h"

#include "libteam/record/json_fields.h"

namespace team {

Hold parse_hold(std::string_view text, std::string_view file) {
  const Json json = parse_json(text, file);
  Fields fields(json, text, file);
  return {fields.text("boot").value_or(""), fields.number("until").value_or(0), fields.text("run")};
}

std::string to_file(const Hold& hold) {
  return dump_indented({{"boot", hold.boot}, {"until", hold.until}, {"run", or_null(hold.run)}});
}

}  // namespace team
