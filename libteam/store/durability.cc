#include "libteam/store/durability.h"

#include <cstdlib>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/settings.h"

namespace team {

Durability durability_of(const Team* team) {
  const char* choice = std::getenv("TEAM_DURABILITY");
  const std::string text = choice != nullptr && *choice != '\0' ? choice
                           : team != nullptr                    ? setting(*team, "durability")
                                                                : "power";
  if (text == "process") return Durability::process;
  if (text != "power") fail(Code::usage, "durability is power or process, not '{}'", one_line(text));
  return Durability::power;
}

}  // namespace team
