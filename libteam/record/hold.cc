#include "libteam/record/hold.h"

#include "libteam/base/json_text.h"
#include "libteam/record/json_fields.h"

namespace team {

Hold parse_hold(std::string_view text, std::string_view file) {
  Fields fields(text, file);
  return {fields.text("boot").value_or(""), fields.number("until").value_or(0), fields.text("run")};
}

std::string to_file(const Hold& hold) {
  JsonText text(JsonText::Layout::indented);
  text.add("boot", hold.boot);
  text.add("until", hold.until);
  text.add("run", hold.run);
  return text.take();
}

}  // namespace team
