// Makes the answers of two stores comparable: ids become numbers in the order of their appearance, and times are left
// out.
#pragma once

#include <fmt/core.h>

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/system/id.h"

namespace team::test {

class AnswerText {
 public:
  std::string normalize(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (is_id(word)) result += fmt::format("#{}", number_of(std::string(word)));
      else result += word;
      i = end;
      while (i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) == 0) result += text[i++];
      for (const std::string_view key : {"timestamp\":", "_at\":", "At\":", "since\":", "until\":"}) {
        if (!std::string_view(result).substr(0, result.find_last_not_of(' ') + 1).ends_with(key)) continue;
        while (i < text.size() && (std::isdigit(static_cast<unsigned char>(text[i])) != 0 || text[i] == '.')) ++i;
      }
    }
    return result;
  }
  std::size_t number_of(const std::string& id) {
    const auto [found, is_new] = numbers_.try_emplace(id, ids.size());
    if (is_new) ids.push_back(id);
    return found->second;
  }
  std::string id(std::size_t number) const { return ids.empty() ? "nothing" : ids[number % ids.size()]; }

  std::vector<std::string> ids;

 private:
  std::map<std::string, std::size_t> numbers_;  // of `ids`
};

}  // namespace team::test
