#include "libteam/agent/model/sse.h"

#include <fmt/core.h>

#include "libteam/agent/model/provider.h"

namespace team {

void EventReader::feed(std::string_view piece) {
  while (!piece.empty()) {
    if (after_return_ && piece.front() == '\n') piece.remove_prefix(1);
    after_return_ = false;
    const std::size_t end = piece.find_first_of("\r\n");
    const std::string_view part = piece.substr(0, end);
    if (line_.size() + event_.data.size() + part.size() > most_bytes_) {
      throw ModelError(ModelError::Kind::final, fmt::format("an event is larger than {} bytes", most_bytes_));
    }
    line_ += part;
    if (end == std::string_view::npos) return;
    after_return_ = piece[end] == '\r';
    piece.remove_prefix(end + 1);
    end_line();
  }
}

void EventReader::end_line() {
  std::string_view line = line_;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (at_start_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  at_start_ = false;
  if (line.empty()) {
    line_.clear();
    end_event();
    return;
  }
  // A comment, a line that begins with a colon, is a field with an empty name.
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    event_.type = value;
  } else if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
  line_.clear();
}

void EventReader::end_event() {
  const ServerEvent event = std::move(event_);
  event_ = {};
  if (!has_data_) return;
  has_data_ = false;
  hear_(event);
}

}  // namespace team
