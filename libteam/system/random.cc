#include "libteam/system/random.h"

#include <sys/random.h>

#include "libteam/base/error.h"

namespace team {

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) fail_errno("cannot read", "random numbers");
  return number;
}

}  // namespace team
