#include <algorithm>
#include <vector>

#include "libteam/base/columns.h"
#include "libteam/report/graph_drawing.h"
#include "libteam/report/graph_look.h"

namespace team {

namespace {

class Tree {
 public:
  Tree(Output& out, const TaskGraph& graph)
      : out_(out), graph_(graph), looks_(looks_of(graph)), states_(graph.nodes().size()) {}

  void draw() {
    for (const std::size_t start : graph_.starts()) {
      if (states_[start] == State::unseen) draw_from(start);
    }
  }

 private:
  enum class State { unseen, open, done, put_off };

  struct Level {
    std::size_t place = 0;
    std::string indent;     // of the lines below it
    std::size_t drawn = 0;  // number of its dependents drawn so far
  };

  void draw_from(std::size_t start) {
    std::vector<std::size_t> tops = {start};
    for (std::size_t i = 0; i < tops.size(); ++i) draw_below(tops[i], tops);
  }

  // A branch that is too deep is deferred: it gets a tree of its own after this one.
  void draw_below(std::size_t top, std::vector<std::size_t>& tops) {
    constexpr std::size_t kDeepest = 16;
    std::vector<Level> levels = {{top, "", 0}};
    print("", top);
    states_[top] = State::open;
    while (!levels.empty()) {
      Level& level = levels.back();
      const auto& dependents = graph_.nodes()[level.place].dependents;
      if (level.drawn == dependents.size()) {
        states_[level.place] = State::done;
        levels.pop_back();
        continue;
      }
      const std::size_t place = dependents[level.drawn++];
      const bool last = level.drawn == dependents.size();
      const std::string branch = level.indent + (last ? "└─ " : "├─ ");
      if (states_[place] != State::unseen) {
        print_again(branch, place);
      } else if (levels.size() >= kDeepest && !graph_.nodes()[place].dependents.empty()) {
        states_[place] = State::put_off;
        tops.push_back(place);
        print_again(branch, place);
      } else {
        print(branch, place);
        states_[place] = State::open;
        levels.push_back({place, level.indent + (last ? "   " : "│  "), 0});
      }
    }
  }

  std::string head_of(std::size_t place) const {
    const Look& look = *looks_[place];
    return fmt::format("{} #{}", out_.paint(look.symbol, look.tone), graph_.nodes()[place].task.id);
  }

  void print_again(const std::string& branch, std::size_t place) {
    const State state = states_[place];
    const char* mark = state == State::open ? "↻" : state == State::put_off ? "↓" : "↑";
    out_.line(fmt::format("{}{} {}", branch, head_of(place), mark));
  }

  void print(const std::string& branch, std::size_t place) {
    const GraphNode& node = graph_.nodes()[place];
    std::string label = label_of(node.task);
    std::string rest = rest_of(node);
    if (out_.is_terminal()) {
      constexpr std::size_t kLeast = 16;  // on any terminal, however narrow
      const std::size_t used = columns(branch) + fmt::formatted_size("x #{} ", node.task.id);
      const std::size_t room = std::max(kLeast, out_.width() - std::min(out_.width(), used));
      rest = cut_columns(rest, room - std::min(columns(label), room / 2));
      label = cut_columns(label, room - columns(rest));
    }
    if (!rest.empty()) rest = out_.paint(rest, Output::Tone::faint);
    out_.line(fmt::format("{}{} {}{}", branch, head_of(place), label, rest));
  }

  // The owner and the open blockers.
  std::string rest_of(const GraphNode& node) const {
    std::string rest;
    if (node.task.owner) rest += fmt::format("  @{}", *node.task.owner);
    std::string_view before = "  waits for ";
    for (const TaskId id : graph_.open_blockers(node)) {
      rest += fmt::format("{}#{}", before, id);
      before = ", ";
    }
    return rest;
  }

  Output& out_;
  const TaskGraph& graph_;
  const std::vector<const Look*> looks_;
  std::vector<State> states_;
};

}  // namespace

void draw_tree(Output& out, const TaskGraph& graph) { Tree(out, graph).draw(); }

}  // namespace team
