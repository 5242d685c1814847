// Decides which open tasks can still end.
#include "libteam/record/prospects.h"

#include "tests/unit/check.h"

using namespace team;

namespace {

using Ids = std::unordered_set<TaskId>;

OpenTask pending(std::vector<TaskId> blockers = {}) { return {Status::pending, std::move(blockers), false}; }
OpenTask running(std::vector<TaskId> blockers = {}) { return {Status::in_progress, std::move(blockers), false}; }

void rules() {
  CHECK(able_to_end({}).empty());
  CHECK((able_to_end({{1, pending()}, {2, running()}}) == Ids{1, 2}));
  // 9 has failed, is missing or is broken, so it is not open.
  CHECK((able_to_end({{1, pending({9})}, {2, pending({1})}, {3, pending()}}) == Ids{3}));
  CHECK((able_to_end({{1, pending({2})}, {2, pending({3})}, {3, running()}}) == Ids{1, 2, 3}));
  CHECK((able_to_end({{1, pending({2, 9})}, {2, pending()}}) == Ids{2}));
  // A task in progress can end, whatever its blockers are by now.
  CHECK((able_to_end({{1, running({9})}, {2, pending({1})}}) == Ids{1, 2}));
  // A cycle, a task behind it, and a task that names a blocker twice.
  CHECK(able_to_end({{1, pending({2})}, {2, pending({1})}, {3, pending({1})}, {4, pending({4})}}).empty());
  CHECK((able_to_end({{1, pending({2, 2})}, {2, pending()}}) == Ids{1, 2}));
  // No member may claim it.
  CHECK(able_to_end({{1, {Status::pending, {}, true}}, {2, pending({1})}}).empty());
  CHECK((able_to_end({{1, {Status::in_progress, {}, true}}, {2, pending({1})}}) == Ids{1, 2}));
}

// A chain in which each task waits for the next one, behind a failed task. Quadratic time would take minutes.
void long_chain() {
  constexpr TaskId kLast = 100'000;
  std::map<TaskId, OpenTask> open;
  for (TaskId id = 1; id <= kLast; ++id) open[id] = pending({id + 1});
  CHECK(able_to_end(open).empty());
  open[kLast].blockers.clear();
  CHECK(able_to_end(open).size() == static_cast<std::size_t>(kLast));
}

}  // namespace

int main() {
  rules();
  long_chain();
  return test::report();
}
