// Text inside XML and HTML: whatever it holds, it stays text.
#pragma once

#include <string>
#include <string_view>

namespace team {

// How a document begins.
inline constexpr std::string_view kXmlProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

// For an element or an attribute in double quotes. Control characters are the caller's to remove.
std::string escape_xml(std::string_view text);

// What people wrote, on one line and without what no XML may hold.
std::string to_xml(std::string_view text);

}  // namespace team
