// Escapes text for XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace team {

// The XML declaration.
inline constexpr std::string_view kXmlProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

// For an element or an attribute in double quotes. The caller removes control characters.
std::string escape_xml(std::string_view text);

// User text on one line, without characters that XML forbids.
std::string to_xml(std::string_view text);

}  // namespace team
