#include "libteam/system/id.h"

#include <algorithm>
#include <mutex>

#include "libteam/base/clock.h"
#include "libteam/system/random.h"

namespace team {

namespace {

constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kLength = 26;

}  // namespace

std::string new_id() {
  static std::mutex mutex;  // in team-run, user input and the model are two threads of one process
  static unsigned __int128 last = 0;
  const std::lock_guard guard(mutex);
  const auto milliseconds = static_cast<unsigned __int128>(now_ns() / 1'000'000);
  const auto random = (static_cast<unsigned __int128>(random_number() & 0xFFFF) << 64) | random_number();
  last = std::max((milliseconds << 80) | random, last + 1);
  std::string id(kLength, '0');
  unsigned __int128 rest = last;
  for (std::size_t i = kLength; i-- > 0; rest >>= 5) id[i] = kDigits[static_cast<std::size_t>(rest & 31)];
  return id;
}

bool is_id(std::string_view text) {
  return text.size() == kLength &&
         std::all_of(text.begin(), text.end(), [](char c) { return kDigits.find(c) != std::string_view::npos; });
}

}  // namespace team
