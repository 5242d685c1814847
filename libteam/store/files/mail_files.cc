#include "libteam/store/files/mail_files.h"

namespace team {

std::string lines_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) text.append(to_line(message)).push_back('\n');
  return text;
}

}  // namespace team
