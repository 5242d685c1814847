#include "libteam/record/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace team {

namespace {

// A link from a node to nodes further right. A link that closes a cycle runs from dependent to blocker.
struct Bundle {
  std::size_t left = 0;
  std::vector<std::size_t> rights;
  bool closes_a_cycle = false;
  std::vector<std::size_t> lanes;  // vertices, one per column that it passes
};

// A box or a lane. The first vertices are the nodes of the graph.
struct Vertex {
  std::size_t column = 0;
  bool is_lane = false;
  double y = 0;      // of the middle
  double place = 0;  // in its column, from 0 to 1
  std::vector<std::size_t> to_left, to_right;
};

// One walk from blockers to dependents.
class Walk {
 public:
  explicit Walk(const TaskGraph& graph) : nodes_(graph.nodes()), state_(nodes_.size()) {
    for (const std::size_t start : graph.starts()) {
      if (state_[start] == State::unseen) go(start);
    }
    std::reverse(order_.begin(), order_.end());
  }

  // In the order of the walk, so that related nodes stand together.
  const std::vector<std::size_t>& met() const { return met_; }
  // Every node before its dependents, but for links that close a cycle.
  const std::vector<std::size_t>& order() const { return order_; }
  bool closes_a_cycle(std::size_t blocker, std::size_t dependent) const {
    return std::binary_search(closing_.begin(), closing_.end(), std::pair(blocker, dependent));
  }

 private:
  enum class State { unseen, open, done };

  void go(std::size_t start) {
    std::vector<std::pair<std::size_t, std::size_t>> path;
    const auto enter = [&](std::size_t place) {
      state_[place] = State::open;
      met_.push_back(place);
      path.emplace_back(place, 0);
    };
    enter(start);
    while (!path.empty()) {
      auto& [at, tried] = path.back();
      if (tried == nodes_[at].dependents.size()) {
        state_[at] = State::done;
        order_.push_back(at);
        path.pop_back();
        continue;
      }
      const std::size_t next = nodes_[at].dependents[tried++];
      if (state_[next] == State::open) {
        const std::pair link(at, next);
        closing_.insert(std::lower_bound(closing_.begin(), closing_.end(), link), link);
      } else if (state_[next] == State::unseen) {
        enter(next);
      }
    }
  }

  const GraphNodes& nodes_;
  std::vector<State> state_;
  std::vector<std::size_t> met_;
  std::vector<std::size_t> order_;
  std::vector<std::pair<std::size_t, std::size_t>> closing_;  // sorted
};

class Layouter {
 public:
  Layouter(const TaskGraph& graph, const LayoutSizes& sizes)
      : nodes_(graph.nodes()), sizes_(sizes), vertices_(nodes_.size()) {
    const Walk walk(graph);
    choose_columns(walk);
    bundle_links(walk);
    fill_columns(walk);
    order_columns();
    choose_heights();
  }

  GraphLayout result() const;

 private:
  using Column = std::vector<std::size_t>;
  enum class Side { left, right, both };

  bool is_alone(std::size_t place) const;
  void choose_columns(const Walk& walk);
  void bundle_links(const Walk& walk);
  void add_bundle(std::size_t left, std::vector<std::size_t> rights, bool closes_a_cycle);
  void link(std::size_t left, std::size_t right);
  void fill_columns(const Walk& walk);
  void note_places(const Column& column);
  void sort_column(Column& column, Side side);
  std::size_t count_crossings() const;
  void order_columns();
  double half_height(std::size_t vertex) const { return vertices_[vertex].is_lane ? 0 : sizes_.box_height / 2; }
  double distance(std::size_t upper, std::size_t lower) const;
  void settle_column(const Column& column, Side side);
  void choose_heights();
  void close_bands();
  std::vector<double> column_edges() const;
  void add_lines(const Bundle& bundle, const std::vector<double>& edges, GraphLayout& layout) const;
  void add_rows(GraphLayout& layout) const;

  const GraphNodes& nodes_;
  const LayoutSizes sizes_;
  std::vector<Vertex> vertices_;
  std::vector<Bundle> bundles_;
  std::vector<Column> columns_;
};

bool Layouter::is_alone(std::size_t place) const {
  const auto is_self = [&](std::size_t other) { return other == place; };
  const GraphNode& node = nodes_[place];
  return std::all_of(node.blockers.begin(), node.blockers.end(), is_self) &&
         std::all_of(node.dependents.begin(), node.dependents.end(), is_self);
}

void Layouter::choose_columns(const Walk& walk) {
  for (const std::size_t place : walk.order()) {
    for (const std::size_t dependent : nodes_[place].dependents) {
      if (walk.closes_a_cycle(place, dependent)) continue;
      std::size_t& column = vertices_[dependent].column;
      column = std::max(column, vertices_[place].column + 1);
    }
  }
}

void Layouter::bundle_links(const Walk& walk) {
  std::map<std::size_t, std::vector<std::size_t>> closing;  // by the left node
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    std::vector<std::size_t> rights;
    for (const std::size_t dependent : nodes_[place].dependents) {
      if (dependent == place) continue;
      if (walk.closes_a_cycle(place, dependent)) closing[dependent].push_back(place);
      else rights.push_back(dependent);
    }
    if (!rights.empty()) add_bundle(place, std::move(rights), false);
  }
  for (auto& [left, rights] : closing) add_bundle(left, std::move(rights), true);
}

void Layouter::add_bundle(std::size_t left, std::vector<std::size_t> rights, bool closes_a_cycle) {
  Bundle bundle{left, std::move(rights), closes_a_cycle, {}};
  std::size_t last = 0;
  for (const std::size_t right : bundle.rights) last = std::max(last, vertices_[right].column);
  const std::size_t first = vertices_[left].column;
  std::size_t before = left;
  for (std::size_t column = first + 1; column < last; ++column) {
    vertices_.push_back({.column = column, .is_lane = true, .to_left = {}, .to_right = {}});
    const std::size_t lane = vertices_.size() - 1;
    link(before, lane);
    bundle.lanes.push_back(lane);
    before = lane;
  }
  for (const std::size_t right : bundle.rights) {
    const std::size_t passed = vertices_[right].column - first - 1;
    link(passed == 0 ? left : bundle.lanes[passed - 1], right);
  }
  bundles_.push_back(std::move(bundle));
}

void Layouter::link(std::size_t left, std::size_t right) {
  vertices_[left].to_right.push_back(right);
  vertices_[right].to_left.push_back(left);
}

void Layouter::fill_columns(const Walk& walk) {
  const auto put = [&](std::size_t vertex) {
    const std::size_t column = vertices_[vertex].column;
    if (columns_.size() <= column) columns_.resize(column + 1);
    columns_[column].push_back(vertex);
  };
  for (const std::size_t place : walk.met()) {
    if (!is_alone(place)) put(place);
  }
  for (std::size_t lane = nodes_.size(); lane < vertices_.size(); ++lane) put(lane);
  for (const Column& column : columns_) note_places(column);
}

void Layouter::note_places(const Column& column) {
  for (std::size_t i = 0; i < column.size(); ++i) {
    vertices_[column[i]].place = (static_cast<double>(i) + 0.5) / static_cast<double>(column.size());
  }
}

// Sorts by the mean position of the neighbours on one side; nodes without neighbours keep their position.
void Layouter::sort_column(Column& column, Side side) {
  std::vector<std::pair<double, std::size_t>> ranked;
  for (const std::size_t vertex : column) {
    const auto& neighbours = side == Side::left ? vertices_[vertex].to_left : vertices_[vertex].to_right;
    double sum = 0;
    for (const std::size_t neighbour : neighbours) sum += vertices_[neighbour].place;
    const auto count = static_cast<double>(neighbours.size());
    ranked.emplace_back(neighbours.empty() ? vertices_[vertex].place : sum / count, vertex);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = ranked[i].second;
  note_places(column);
}

// In each gap: the pairs of lines whose ends are in opposite order, counted with a Fenwick tree.
std::size_t Layouter::count_crossings() const {
  std::size_t crossings = 0;
  for (std::size_t i = 0; i + 1 < columns_.size(); ++i) {
    const std::size_t size = columns_[i + 1].size();
    std::vector<std::size_t> tree(size + 1);
    std::size_t seen = 0;
    std::vector<std::size_t> ends;
    for (const std::size_t vertex : columns_[i]) {
      ends.clear();
      for (const std::size_t right : vertices_[vertex].to_right) {
        ends.push_back(static_cast<std::size_t>(vertices_[right].place * static_cast<double>(size)));
      }
      for (const std::size_t end : ends) {
        crossings += seen;
        for (std::size_t at = end + 1; at > 0; at &= at - 1) crossings -= tree[at];
      }
      for (const std::size_t end : ends) {
        for (std::size_t at = end + 1; at <= size; at += at & (~at + 1)) ++tree[at];
      }
      seen += ends.size();
    }
  }
  return crossings;
}

void Layouter::order_columns() {
  constexpr int kSweeps = 12;
  constexpr int kMostIdleSweeps = 4;  // sweeps without improvement until the search ends
  std::vector<Column> best = columns_;
  std::size_t fewest = count_crossings();
  int idle = 0;
  for (int sweep = 0; sweep < kSweeps && idle < kMostIdleSweeps && fewest > 0; ++sweep) {
    if (sweep % 2 == 0) {
      for (std::size_t i = 1; i < columns_.size(); ++i) sort_column(columns_[i], Side::left);
    } else {
      for (std::size_t i = columns_.size() - 1; i-- > 0;) sort_column(columns_[i], Side::right);
    }
    const std::size_t crossings = count_crossings();
    ++idle;
    if (crossings >= fewest) continue;
    idle = 0;
    fewest = crossings;
    best = columns_;
  }
  columns_ = std::move(best);
}

// The distance between the centres of neighbours in a column.
double Layouter::distance(std::size_t upper, std::size_t lower) const {
  const bool boxes = !vertices_[upper].is_lane && !vertices_[lower].is_lane;
  return half_height(upper) + half_height(lower) + (boxes ? sizes_.box_gap : sizes_.lane_gap);
}

// Moves each vertex as near to the mean of its neighbours as order and distances allow. This is a least-squares fit:
// vertices that would come too close are pooled into blocks that move together.
void Layouter::settle_column(const Column& column, Side side) {
  struct Block {
    double sum = 0, weight = 0;
    std::size_t count = 0;
    double mean() const { return sum / weight; }
  };
  std::vector<Block> blocks;
  double offset = 0;
  std::vector<double> offsets;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (i > 0) offset += distance(column[i - 1], column[i]);
    offsets.push_back(offset);
    const Vertex& vertex = vertices_[column[i]];
    double sum = 0, count = 0;
    const auto look = [&](const std::vector<std::size_t>& neighbours) {
      for (const std::size_t neighbour : neighbours) sum += vertices_[neighbour].y;
      count += static_cast<double>(neighbours.size());
    };
    if (side != Side::right) look(vertex.to_left);
    if (side == Side::right || (side == Side::both && !vertex.is_lane)) look(vertex.to_right);
    constexpr double kLaneWeight = 3, kFreeWeight = 0.1;  // a straight line is worth more than a box in the middle
    const double weight = count == 0 ? kFreeWeight : vertex.is_lane ? kLaneWeight : 1;
    const double wanted = (count == 0 ? vertex.y : sum / count) - offset;
    blocks.push_back({wanted * weight, weight, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().weight += last.weight;
      blocks.back().count += last.count;
    }
  }
  std::size_t i = 0;
  for (const Block& block : blocks) {
    for (std::size_t n = 0; n < block.count; ++n, ++i) vertices_[column[i]].y = block.mean() + offsets[i];
  }
}

void Layouter::choose_heights() {
  for (const Column& column : columns_) {
    double y = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (i > 0) y += distance(column[i - 1], column[i]);
      vertices_[column[i]].y = y;
    }
    for (const std::size_t vertex : column) vertices_[vertex].y -= y / 2;
  }
  constexpr int kSweeps = 10;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const Side side = sweep + 2 >= kSweeps ? Side::both : sweep % 2 == 0 ? Side::left : Side::right;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      settle_column(columns_[side == Side::right ? columns_.size() - 1 - i : i], side);
    }
  }
  close_bands();
}

// Closes horizontal bands that are empty in all columns.
void Layouter::close_bands() {
  std::vector<std::size_t> from_top;
  for (const Column& column : columns_) from_top.insert(from_top.end(), column.begin(), column.end());
  const auto top = [&](std::size_t vertex) { return vertices_[vertex].y - half_height(vertex); };
  std::sort(from_top.begin(), from_top.end(), [&](std::size_t a, std::size_t b) { return top(a) < top(b); });
  if (from_top.empty()) return;
  double up = top(from_top.front());
  double bottom = up;
  for (const std::size_t vertex : from_top) {
    up += std::max(0.0, top(vertex) - bottom - sizes_.box_gap);
    bottom = std::max(bottom, vertices_[vertex].y + half_height(vertex));
    vertices_[vertex].y -= up;
  }
}

// The left edge of each column. Steep lines get more room.
std::vector<double> Layouter::column_edges() const {
  constexpr double kSlope = 0.09;
  const double widest = 4 * sizes_.column_gap;
  std::vector<double> edges;
  double x = 0;
  for (const Column& column : columns_) {
    edges.push_back(x);
    double steepest = 0;
    for (const std::size_t vertex : column) {
      for (const std::size_t right : vertices_[vertex].to_right) {
        steepest = std::max(steepest, std::abs(vertices_[right].y - vertices_[vertex].y));
      }
    }
    x += sizes_.box_width + std::min(sizes_.column_gap + kSlope * steepest, widest);
  }
  return edges;
}

void Layouter::add_lines(const Bundle& bundle, const std::vector<double>& edges, GraphLayout& layout) const {
  const auto entry = [&](std::size_t vertex) { return Point{edges[vertices_[vertex].column], vertices_[vertex].y}; };
  const auto leave = [&](std::size_t vertex) {
    return Point{edges[vertices_[vertex].column] + sizes_.box_width, vertices_[vertex].y};
  };
  const auto add = [&](std::vector<Point> points, bool has_tip, std::optional<std::size_t> right) {
    if (bundle.closes_a_cycle) std::reverse(points.begin(), points.end());
    layout.lines.push_back({std::move(points), has_tip, bundle.closes_a_cycle, bundle.left, right});
  };
  if (!bundle.lanes.empty()) {
    std::vector<Point> trunk = {leave(bundle.left)};
    for (const std::size_t lane : bundle.lanes) {
      trunk.push_back(entry(lane));
      trunk.push_back(leave(lane));
    }
    add(std::move(trunk), bundle.closes_a_cycle, std::nullopt);
  }
  for (const std::size_t right : bundle.rights) {
    const std::size_t passed = vertices_[right].column - vertices_[bundle.left].column - 1;
    const std::size_t before = passed == 0 ? bundle.left : bundle.lanes[passed - 1];
    add({leave(before), entry(right)}, !bundle.closes_a_cycle || passed == 0, right);
  }
}

void Layouter::add_rows(GraphLayout& layout) const {
  std::vector<std::size_t> alone;
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    if (is_alone(place)) alone.push_back(place);
  }
  if (alone.empty()) return;
  const double step_x = sizes_.box_width + sizes_.box_gap;
  const double step_y = sizes_.box_height + sizes_.box_gap;
  const double above = layout.height == 0 ? 0 : layout.height + 2 * sizes_.box_gap;
  const double square = std::ceil(std::sqrt(static_cast<double>(alone.size()) * step_y / step_x));
  const double fitting = std::floor((layout.width + sizes_.box_gap) / step_x);
  const auto row_length = static_cast<std::size_t>(std::max({square, fitting, 1.0}));
  for (std::size_t i = 0; i < alone.size(); ++i) {
    Point& box = layout.boxes[alone[i]];
    box.x = static_cast<double>(i % row_length) * step_x;
    box.y = above + static_cast<double>(i / row_length) * step_y;
    layout.width = std::max(layout.width, box.x + sizes_.box_width);
    layout.height = std::max(layout.height, box.y + sizes_.box_height);
  }
}

GraphLayout Layouter::result() const {
  GraphLayout layout;
  layout.boxes.resize(nodes_.size());
  const std::vector<double> edges = column_edges();
  for (const Column& column : columns_) {
    for (const std::size_t vertex : column) {
      const double x = edges[vertices_[vertex].column];
      const double half = half_height(vertex);
      if (!vertices_[vertex].is_lane) layout.boxes[vertex] = {x, vertices_[vertex].y - half};
      layout.width = std::max(layout.width, x + sizes_.box_width);
      layout.height = std::max(layout.height, vertices_[vertex].y + half);
    }
  }
  for (const Bundle& bundle : bundles_) add_lines(bundle, edges, layout);
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    const auto& blockers = nodes_[place].blockers;
    if (std::binary_search(blockers.begin(), blockers.end(), place)) layout.loops.push_back(place);
  }
  add_rows(layout);
  return layout;
}

}  // namespace

std::vector<Point> route(const GraphLayout& layout, std::size_t blocker, std::size_t dependent) {
  const GraphLine* branch = nullptr;
  const GraphLine* lane = nullptr;
  for (const GraphLine& line : layout.lines) {
    if (line.left != blocker || line.closes_a_cycle) continue;
    if (!line.right) lane = &line;
    if (line.right == dependent) branch = &line;
  }
  if (branch == nullptr) return {};
  std::vector<Point> points;
  for (const Point& point : lane != nullptr ? lane->points : std::vector<Point>()) {
    if (point.x < branch->points.front().x) points.push_back(point);
  }
  points.insert(points.end(), branch->points.begin(), branch->points.end());
  return points;
}

GraphLayout lay_out(const TaskGraph& graph, const LayoutSizes& sizes) { return Layouter(graph, sizes).result(); }

}  // namespace team
