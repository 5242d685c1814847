#include "libteam/report/graph_drawing.h"

#include <algorithm>
#include <cctype>

#include "libteam/base/columns.h"
#include "libteam/report/graph_look.h"

namespace team {

namespace {

constexpr std::size_t kWidestLabel = 48;

// Inside double quotes: dot knows backslashes and the entities of HTML there.
std::string escape_dot(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else {
      if (c == '"' || c == '\\') escaped.push_back('\\');
      escaped.push_back(c);
    }
  }
  return escaped;
}

// Inside double quotes. Mermaid looks for Markdown, HTML, directives and entities even there, so all ASCII that could
// be part of one is written as an entity.
std::string escape_mermaid(std::string_view text) {
  constexpr std::string_view kSafe = " ,.-()/+'!?";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0 || kSafe.find(c) != std::string_view::npos) {
      escaped.push_back(c);
    } else {
      escaped += fmt::format("#{};", byte);
    }
  }
  return escaped;
}

std::string short_label_of(const GraphTask& task) {
  return fmt::format("#{} {}", task.id, cut_columns(label_of(task), kWidestLabel));
}

}  // namespace

void draw_dot(Output& out, const TaskGraph& graph) {
  out.text(
      fmt::format("digraph tasks {{\n"
                  "  rankdir=LR;\n"
                  "  bgcolor=white;\n"
                  "  node [shape=box, fontname=\"Helvetica,Arial,sans-serif\", fontsize=11];\n"
                  "  edge [color=\"{}\"];\n",
                  colour::kFaint));
  const auto looks = looks_of(graph);
  for (std::size_t place = 0; place < looks.size(); ++place) {
    const GraphNode& node = graph.nodes()[place];
    const Look& look = *looks[place];
    std::string label = escape_dot(short_label_of(node.task));
    if (node.task.owner) label += "\\n" + escape_dot(*node.task.owner);
    out.text(
        fmt::format("  t{} [label=\"{}\", tooltip=\"{}\", ", node.task.id, label, escape_dot(label_of(node.task))));
    out.text(fmt::format("style=\"filled,rounded{}\", fillcolor=\"{}\", color=\"{}\"];\n",
                         look.is_dashed ? ",dashed" : "", look.colours.fill, look.colours.stroke));
  }
  for (const GraphNode& node : graph.nodes()) {
    for (const std::size_t blocker : node.blockers) {
      out.text(fmt::format("  t{} -> t{};\n", graph.nodes()[blocker].task.id, node.task.id));
    }
  }
  out.text("}\n");
}

void draw_mermaid(Output& out, const TaskGraph& graph) {
  out.text("flowchart TD\n");
  for (const GraphNode& node : graph.nodes()) {
    std::string label = escape_mermaid(short_label_of(node.task));
    if (node.task.owner) label += "<br/>" + escape_mermaid(*node.task.owner);
    out.text(fmt::format("  t{}[\"{}\"]\n", node.task.id, label));
  }
  for (const GraphNode& node : graph.nodes()) {
    for (const std::size_t blocker : node.blockers) {
      out.text(fmt::format("  t{} --> t{}\n", graph.nodes()[blocker].task.id, node.task.id));
    }
  }
  const auto looks = looks_of(graph);
  for (const Look& look : all_looks()) {
    std::string members;
    for (std::size_t place = 0; place < looks.size(); ++place) {
      if (looks[place] != &look) continue;
      members += fmt::format("{}t{}", members.empty() ? "" : ",", graph.nodes()[place].task.id);
    }
    if (members.empty()) continue;
    out.text(fmt::format("  classDef {} fill:{},stroke:{},color:{}{}\n", look.name, look.colours.fill,
                         look.colours.stroke, colour::kInk, look.is_dashed ? ",stroke-dasharray:4 3" : ""));
    out.text(fmt::format("  class {} {}\n", members, look.name));
  }
}

}  // namespace team
