#include "libteam/system/host.h"

#include <limits.h>
#include <unistd.h>

namespace team {

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, HOST_NAME_MAX) == 0 ? name : "";
}

}  // namespace team
