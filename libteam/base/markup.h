// Tags around the text of other authors in a prompt. The text stays text, and its tag names its author.
//
// Every text in a prompt that another agent, a person or a program wrote goes through these functions. No character of
// such a text can begin or end a tag, so it cannot forge a tag or the text around one.
#pragma once

#include <string>
#include <string_view>

namespace team {

// `&`, `<` and `>` become `&amp;`, `&lt;` and `&gt;`; the result is valid UTF-8.
std::string escape_markup(std::string_view text);

// For text within a line: escaped, without newlines and control characters.
std::string escape_line(std::string_view text);

// On one line and in double quotes. The text cannot close them: its own quotes become single ones. For messages, which
// are escaped at delivery.
std::string quoted(std::string_view text);

// The same, escaped.
std::string quote_line(std::string_view text);

// ` name="value"`.
std::string attribute(std::string_view name, std::string_view value);

// `<tag attributes>`, the escaped text and `</tag>`, each on its own line.
std::string enclose(std::string_view tag, std::string_view attributes, std::string_view text);

}  // namespace team
