// The files of the web page, which the Makefile embeds from libteam/web.
#pragma once

#include <string_view>
#include <vector>

namespace team {

struct Asset {
  std::string_view name;  // of the file
  std::string_view text;
};

const std::vector<Asset>& web_assets();

}  // namespace team
