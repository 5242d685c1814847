#include <algorithm>
#include <vector>

#include "libteam/base/columns.h"
#include "libteam/record/graph_layout.h"
#include "libteam/report/graph_drawing.h"
#include "libteam/report/graph_look.h"
#include "libteam/report/xml.h"

namespace team {

namespace {

// A character of a monospace font is 0.6 of its size wide, so the width of a text is known.
constexpr double kFontSize = 12;
constexpr double kLetter = 0.6 * kFontSize;
constexpr double kLineHeight = 16;
constexpr double kPadding = 10;
constexpr std::size_t kLetters = 26;  // in one line of a box
constexpr double kMargin = 24;
constexpr double kLegendHeight = 32;
constexpr double kSwatch = 14;
constexpr LayoutSizes kSizes = {.box_width = kLetters * kLetter + 2 * kPadding,
                                .box_height = 3 * kLineHeight + kPadding,
                                .box_gap = 18,
                                .lane_gap = 10,
                                .column_gap = 56};

// At most two lines of kLetters columns, broken at a space if there is one.
std::vector<std::string> wrap(const std::string& text) {
  if (columns(text) <= kLetters) return {text};
  std::string first = cut_columns(text, kLetters + 1);  // the first line, or more with an ellipsis
  first.resize(first.size() - std::string_view("…").size());
  std::size_t next = first.size();
  const std::size_t blank = first.rfind(' ');
  if (text[next] != ' ' && blank != std::string::npos && blank >= first.size() / 3) next = blank;
  first.resize(next);
  while (next < text.size() && text[next] == ' ') ++next;
  return {first, cut_columns(std::string_view(text).substr(next), kLetters)};
}

std::string path_through(const std::vector<Point>& points) {
  std::string path = fmt::format("M{:.1f} {:.1f}", points[0].x, points[0].y);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& from = points[i - 1];
    const Point& to = points[i];
    if (from.y == to.y) {
      path += fmt::format("H{:.1f}", to.x);
    } else {
      const double middle = (from.x + to.x) / 2;
      path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", middle, from.y, middle, to.y, to.x, to.y);
    }
  }
  return path;
}

std::string draw_rectangle(const Point& corner, double width, double height, const Look& look) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" "
      "fill=\"{}\" stroke=\"{}\"{}/>",
      corner.x, corner.y, width, height, height > kSwatch ? 7 : 3, look.colours.fill, look.colours.stroke,
      look.is_dashed ? " stroke-dasharray=\"4 3\"" : "");
}

std::string draw_text(double x, double y, std::string_view text, std::string_view attributes = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>", x, y, attributes, escape_xml(text));
}

std::string draw_box(const GraphTask& task, const Point& corner, const Look& look) {
  const std::string id = fmt::format("#{}", task.id);
  const std::string label = label_of(task);
  std::string hint = fmt::format("{} {} ({}", id, label, look.name);
  if (task.owner) hint += ", " + *task.owner;
  std::string box = fmt::format("<g><title>{})</title>", escape_xml(hint));
  box += draw_rectangle(corner, kSizes.box_width, kSizes.box_height, look);
  double y = corner.y + kPadding / 2 + kFontSize;
  box += draw_text(corner.x + kPadding, y, id, " font-weight=\"bold\"");
  if (task.owner) {
    const std::string owner = cut_columns(*task.owner, kLetters - id.size() - 1);
    box += draw_text(corner.x + kSizes.box_width - kPadding, y, owner,
                     fmt::format(" text-anchor=\"end\" fill=\"{}\"", colour::kFaint));
  }
  for (const std::string& line : wrap(label)) box += draw_text(corner.x + kPadding, y += kLineHeight, line);
  return box + "</g>\n";
}

// A loop at the top of the box of a task that blocks itself.
std::string draw_loop(const Point& corner) {
  const double x = corner.x + kSizes.box_width / 2;
  return fmt::format(
      "<path d=\"M{0:.1f} {1:.1f}C{0:.1f} {2:.1f} {3:.1f} {2:.1f} {3:.1f} {1:.1f}\" stroke=\"{4}\" "
      "marker-end=\"url(#task-graph-cycle)\"/>\n",
      x + 14, corner.y, corner.y - 18, x - 14, colour::kWrong);
}

void draw_lines(std::string& out, const GraphLayout& layout) {
  out += fmt::format("<g fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\">\n", colour::kLine);
  const std::string cycle = fmt::format(" stroke=\"{}\" stroke-dasharray=\"5 3\"", colour::kWrong);
  for (const GraphLine& line : layout.lines) {
    const std::string_view tip = line.closes_a_cycle ? "cycle" : "tip";
    out += fmt::format("<path d=\"{}\"{}{}/>\n", path_through(line.points), line.closes_a_cycle ? cycle : "",
                       line.has_tip ? fmt::format(" marker-end=\"url(#task-graph-{})\"", tip) : "");
  }
  for (const std::size_t place : layout.loops) out += draw_loop(layout.boxes[place]);
  out += "</g>\n";
}

std::string draw_tip(std::string_view name, std::string_view colour) {
  return fmt::format(
      "<marker id=\"task-graph-{}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
      "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
      "<path d=\"M0 0.5L8 4L0 7.5z\" fill=\"{}\"/></marker>\n",
      name, colour);
}

// A line along the path and a frame around each of its boxes, drawn over the lines and under the boxes.
void draw_path(std::string& out, const TaskGraph& graph, const GraphLayout& layout, const std::vector<TaskId>& path) {
  if (path.empty()) return;
  constexpr double kFrame = 4;
  std::vector<std::size_t> places;
  for (const TaskId id : path) {
    if (const auto place = graph.place_of(id)) places.push_back(*place);
  }
  out += fmt::format("<g fill=\"none\" stroke=\"{}\" stroke-width=\"3\">\n", colour::kWorking);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Point& corner = layout.boxes[places[i]];
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"10\"/>\n",
                       corner.x - kFrame, corner.y - kFrame, kSizes.box_width + 2 * kFrame,
                       kSizes.box_height + 2 * kFrame);
    if (i == 0) continue;
    const std::vector<Point> points = route(layout, places[i - 1], places[i]);
    if (!points.empty()) out += fmt::format("<path d=\"{}\"/>\n", path_through(points));
  }
  out += "</g>\n";
}

struct Legend {
  std::string text;
  double width = 0;
};

// The legend shows missing and broken only if the graph has such nodes.
Legend draw_legend(const std::vector<const Look*>& used, std::string_view name_of_path) {
  Legend legend;
  double x = kMargin;
  for (const Look& look : all_looks()) {
    const bool is_rare = look.name == "missing" || look.name == "broken";
    if (is_rare && std::find(used.begin(), used.end(), &look) == used.end()) continue;
    legend.text += draw_rectangle({x, kMargin - kSwatch / 2}, kSwatch * 1.6, kSwatch, look);
    x += kSwatch * 1.6 + 8;
    legend.text += draw_text(x, kMargin + kFontSize / 3, look.name) + "\n";
    x += kLetter * static_cast<double>(look.name.size()) + 20;
  }
  if (!name_of_path.empty()) {
    legend.text += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"{}\" stroke-width=\"3\"/>", x, kMargin,
                               kSwatch * 1.6, colour::kWorking);
    x += kSwatch * 1.6 + 8;
    legend.text += draw_text(x, kMargin + kFontSize / 3, name_of_path) + "\n";
    x += kLetter * static_cast<double>(name_of_path.size()) + 20;
  }
  legend.width = x;
  return legend;
}

}  // namespace

std::string draw_svg(const TaskGraph& graph, const std::vector<TaskId>& path, std::string_view style) {
  std::string out;
  const GraphLayout layout = lay_out(graph, kSizes);
  const auto looks = looks_of(graph);
  const Legend legend = draw_legend(looks, path.empty() ? "" : "critical path");
  const double top = kMargin + kLegendHeight;
  const double width = std::max(layout.width + 2 * kMargin, legend.width);
  const double height = top + layout.height + kMargin;
  out += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
      "<title>Task graph</title>\n{5}"
      "<defs>\n{2}{3}</defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"{6}\"/>\n"
      "<g font-family=\"{7}\" font-size=\"{4}\" fill=\"{8}\">\n",
      width, height, draw_tip("tip", colour::kLine), draw_tip("cycle", colour::kWrong), kFontSize,
      style.empty() ? "" : fmt::format("<style>{}</style>\n", style), colour::kPaper, kTypeface, colour::kInk);
  out += legend.text;
  out += fmt::format("<g transform=\"translate({} {})\">\n", kMargin, top);
  draw_lines(out, layout);
  draw_path(out, graph, layout, path);
  for (std::size_t place = 0; place < graph.nodes().size(); ++place) {
    out += draw_box(graph.nodes()[place].task, layout.boxes[place], *looks[place]);
  }
  out += "</g>\n</g>\n</svg>\n";
  return out;
}

}  // namespace team
