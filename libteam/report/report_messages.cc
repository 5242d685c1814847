#include "libteam/report/report_messages.h"

#include <algorithm>
#include <set>
#include <span>

#include "libteam/base/columns.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/report/report_style.h"
#include "libteam/report/xml.h"

namespace team {

namespace {

constexpr std::size_t kMost = 500;
constexpr std::size_t kMostColumns = 7;
constexpr double kColumn = 84;
constexpr double kRow = 26;
constexpr double kFontSize = 11;
constexpr std::size_t kLetters = 11;  // of a name, above its column

using Names = std::vector<std::string>;

// The names in the order of their first message.
Names names_in(std::span<const Sent> messages) {
  Names names;
  std::set<std::string> known;
  for (const Sent& message : messages) {
    for (const std::string& name : {message.sender, message.recipient}) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

double middle_of(std::size_t column) { return kColumn * (static_cast<double>(column) + 0.5); }

std::string open_svg(std::size_t columns, double height) {
  const double width = kColumn * static_cast<double>(columns);
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">",
                     width, height);
}

std::string draw_names(const Names& names) {
  std::string svg = open_svg(names.size(), kRow) +
                    fmt::format(
                        "<g font-family=\"{}\" font-size=\"{}\" font-weight=\"bold\" text-anchor=\"middle\" "
                        "fill=\"{}\">",
                        kTypeface, kFontSize, colour::kInk);
  for (std::size_t i = 0; i < names.size(); ++i) {
    svg += fmt::format("<text x=\"{}\" y=\"17\"><title>{}</title>{}</text>", middle_of(i), to_xml(names[i]),
                       to_xml(cut_columns(one_line(names[i]), kLetters)));
  }
  return svg + "</g></svg>";
}

std::string draw_arrow(const Names& names, const Sent& message) {
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const double from = middle_of(column(message.sender)), to = middle_of(column(message.recipient));
  std::string svg =
      open_svg(names.size(), kRow) + fmt::format("<title>{} to {}</title><g stroke=\"{}\">", to_xml(message.sender),
                                                 to_xml(message.recipient), colour::kGrid);
  for (std::size_t i = 0; i < names.size(); ++i) {
    svg += fmt::format("<path d=\"M{} 0V{}\"/>", middle_of(i), kRow);
  }
  constexpr double kMiddle = kRow / 2, kTip = 8;
  const double back = to > from ? -kTip : kTip;
  svg += fmt::format("</g><path d=\"M{} {}H{}\" stroke=\"{}\" stroke-width=\"1.5\"/>", from, kMiddle, to + back / 2,
                     colour::kWorking);
  svg += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\"/>", from, kMiddle, colour::kWorking);
  if (from != to) {
    svg += fmt::format("<path d=\"M{0} {1}l{2} -4v8z\" fill=\"{3}\"/>", to, kMiddle, back, colour::kWorking);
  }
  return svg + "</svg>";
}

}  // namespace

std::string draw_messages(const std::vector<Sent>& messages) {
  if (messages.empty()) return "<p class=\"note\">No messages were sent.</p>\n";
  const std::span<const Sent> shown(messages.data() + (messages.size() - std::min(messages.size(), kMost)),
                                    messages.data() + messages.size());
  const Names names = names_in(shown);
  const bool has_columns = names.size() <= kMostColumns;
  std::string page;
  if (shown.size() < messages.size()) {
    page += fmt::format("<p class=\"note\">The last {} of {} messages.</p>\n", shown.size(), messages.size());
  }
  page += fmt::format("<table class=\"sequence\"><thead><tr><th>when</th>{}<th>what</th></tr></thead><tbody>\n",
                      has_columns ? "<th>" + draw_names(names) + "</th>" : "<th>from</th><th>to</th>");
  for (const Sent& message : shown) {
    const std::string who = has_columns ? "<td>" + draw_arrow(names, message) + "</td>"
                                        : fmt::format("<td class=\"name\">{}</td><td class=\"name\">→ {}</td>",
                                                      to_xml(message.sender), to_xml(message.recipient));
    const bool is_plain = message.type.empty() || message.type == "message";
    const std::string type = is_plain ? "" : fmt::format("<em>{}</em> ", to_xml(message.type));
    page += fmt::format("<tr><td class=\"fixed\">{}</td>{}<td title=\"{}\">{}{}</td></tr>\n", clock_time(message.at),
                        who, to_xml(message.summary), type, to_xml(message.summary));
  }
  return page + "</tbody></table>\n";
}

}  // namespace team
