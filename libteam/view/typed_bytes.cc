#include "libteam/view/typed_bytes.h"

#include "libteam/base/utf8.h"

namespace team {

std::optional<std::string> TypedBytes::take() {
  if (bytes_.empty()) return std::nullopt;
  const auto first = static_cast<unsigned char>(bytes_.front());
  const std::size_t needed = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1;
  std::string character;
  for (std::size_t i = 0; i < needed; ++i) {
    if (i == bytes_.size()) return std::nullopt;
    const bool goes_on = (static_cast<unsigned char>(bytes_[i]) & 0xC0) == 0x80;
    if (i > 0 && !goes_on) break;  // the next character begins here
    character.push_back(bytes_[i]);
  }
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(character.size()));
  const bool is_valid = character.size() == needed && repair_utf8(character) == character;
  return is_valid || character == std::string(1, '\0') ? character : "\xEF\xBF\xBD";
}

}  // namespace team
