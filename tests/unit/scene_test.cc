// What somebody who watches a team sees: who comes first, why a task is not done, how a speech goes on; and the same at
// a glance, for models.
#include "libteam/record/team_view.h"

#include <algorithm>

#include "libteam/base/text.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

ViewMember member(const std::string& name, const std::string& state, std::size_t number) {
  ViewMember made;
  made.status.name = name;
  made.status.state = state;
  made.number = number;
  return made;
}

Task& put(TeamView& scene, TaskId id, Status status) {
  Task& task = scene.board[id];
  task.id = id;
  task.subject = fmt::format("task {}", id);
  task.status = status;
  return task;
}

std::string order_of(const TeamView& scene) {
  std::string text;
  for (const ViewTask& task : scene.tasks) text += fmt::format("{} {}, ", name_of(task.posture), task.id);
  return text;
}

std::string why_is(const TeamView& scene, TaskId id) {
  const auto found =
      std::find_if(scene.tasks.begin(), scene.tasks.end(), [&](const ViewTask& task) { return task.id == id; });
  return found == scene.tasks.end() ? "not there" : why(scene, *found);
}

// Who needs somebody comes first, and within that in the order of the team.
void members_in_order() {
  TeamView scene;
  const char* states[] = {"shutdown", "idle", "active", "paused", "dead", "error", "plan_pending", "lead"};
  for (const char* state : states) scene.members.push_back(member(state, state, scene.members.size()));
  scene.members[1].plan = Request{};
  arrange(scene);
  std::string names;
  for (const ViewMember& one : scene.members) names += one.status.name + " ";
  CHECK(names == "idle plan_pending paused dead error active lead shutdown ");
}

void tasks_in_order() {
  TeamView scene;
  put(scene, 1, Status::completed).completed_at = 5;
  put(scene, 2, Status::completed).completed_at = 9;
  put(scene, 3, Status::pending).blocked_by = {1, 2};
  put(scene, 4, Status::pending).priority = 2;
  put(scene, 5, Status::pending);
  put(scene, 6, Status::in_progress).claimed_at = 7;
  put(scene, 7, Status::in_progress).claimed_at = 3;
  put(scene, 8, Status::failed).updated_at = 1;
  put(scene, 9, Status::pending).blocked_by = {99};
  scene.broken[10] = "not JSON";
  arrange(scene);
  CHECK(order_of(scene) ==
        "running 7, running 6, failed 8, broken 10, ready 4, ready 3, ready 5, blocked 9, done 2, done 1, ");
  CHECK(scene.counts[TaskState::ready] == 3);
  CHECK(since(scene.board[7]) == 3 && since(scene.board[2]) == 9 && since(scene.board[8]) == 1);
  CHECK(!since(scene.board[5]));
}

void reasons() {
  TeamView scene;
  scene.members = {member("ann", "dead", 0), member("bob", "active", 1)};
  scene.members[1].status.role = "coder";
  put(scene, 1, Status::completed);
  put(scene, 2, Status::failed);
  put(scene, 3, Status::failed).error = "no compiler";
  put(scene, 4, Status::in_progress).owner = "ann";
  put(scene, 5, Status::in_progress).owner = "bob";
  put(scene, 6, Status::in_progress).owner = "somebody";
  scene.broken[7] = "7.json: not JSON";
  put(scene, 8, Status::pending).blocked_by = {1, 2, 4, 7, 99, 9};
  put(scene, 9, Status::pending).role = "coder";
  put(scene, 10, Status::pending).role = "tester";
  put(scene, 11, Status::pending).role = "tester";
  scene.board[11].owner = "bob";
  put(scene, 12, Status::pending);
  arrange(scene);
  CHECK(why_is(scene, 1).empty());
  CHECK(why_is(scene, 2) == "no reason given");
  CHECK(why_is(scene, 3) == "no compiler");
  CHECK(why_is(scene, 4) == "its owner died");
  CHECK(why_is(scene, 5).empty() && why_is(scene, 6).empty());
  CHECK(why_is(scene, 7) == "7.json: not JSON");
  CHECK(why_is(scene, 8) == "waits for #2 (failed), #4 (ann), #7 (broken), #99 (missing), #9");
  CHECK(why_is(scene, 9).empty() && why_is(scene, 11).empty() && why_is(scene, 12).empty());
  CHECK(why_is(scene, 10) == "nobody has role tester");
  CHECK(why(scene, {1234, TaskState::ready}).empty());
}

std::optional<LogEntry> happening(const std::string& type, const std::string& details) {
  Envelope envelope;
  envelope.type = type;
  envelope.details = details;
  envelope.agent = "ann";
  return happening_of(envelope);
}

void happenings() {
  for (const char* type : {"TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "TOOL_CALL_END"}) CHECK(!happening(type, "{}"));
  TeamView scene;
  add(scene, *happening("TEXT_MESSAGE_CONTENT", R"({"delta":"Hel","message_id":"m1"})"), 3);
  add(scene, *happening("TEXT_MESSAGE_CONTENT", R"({"delta":"lo","message_id":"m1"})"), 3);
  CHECK(scene.events.size() == 1 && scene.events[0].text == "Hello");
  add(scene, *happening("TEXT_MESSAGE_CONTENT", R"({"delta":"other","message_id":"m2"})"), 3);
  add(scene, *happening("TOOL_CALL_START", R"({"tool_call_name":"bash","tool_call_id":"m2"})"), 3);
  CHECK(scene.events.size() == 3);  // a call that has the id of a speech is no part of it
  add(scene, *happening("TOOL_CALL_ARGS", R"({"delta":"ls\n-l","tool_call_id":"m2"})"), 3);
  CHECK(scene.events.back().text == "bash ls -l");
  add(scene, *happening("TOOL_CALL_RESULT", R"({"content":"7","tool_call_id":["m2"]})"), 3);
  CHECK(scene.events.size() == 3 && scene.events.front().text == "other");
  CHECK(happening("TEXT_MESSAGE_CONTENT", R"({"delta":7})")->text.empty());  // somebody's, not ours
  add(scene, *happening("TEXT_MESSAGE_CONTENT", R"({"delta":"a","message_id":"m3"})"), 3);
  const std::string lengthy(2000, 'x');
  add(scene, *happening("TEXT_MESSAGE_CONTENT", fmt::format(R"({{"delta":"{}z","message_id":"m3"}})", lengthy)), 3);
  CHECK(scene.events.back().text.size() == 1024 && scene.events.back().text.ends_with("xz"));
}

void glances() {
  TeamStatus status;
  status.team = "alpha";
  CHECK(brief(status).front() == "team alpha: nobody runs");
  for (const char* state : {"lead", "-", "idle", "active", "idle"}) {
    status.members.emplace_back().state = state;
  }
  status.warnings.push_back({"disk", "the disk is\nnearly full"});
  status.plans.push_back({"P1", "ann", "lead", 3, "two steps", 0});
  status.tasks.notes.push_back({3, TaskNote::Kind::ready, std::nullopt, "Build", ""});
  status.tasks.notes.push_back({4, TaskNote::Kind::failed, "ann", "Test", "no compiler"});
  const auto lines = brief(status);
  CHECK(lines.size() == 6);
  CHECK(lines[0] == "team alpha: 2 idle, 1 active");
  CHECK(lines[2] == "warning: the disk is nearly full");
  CHECK(lines[3] == "plan P1 of ann waits for lead: two steps");
  CHECK(lines[4] == "#3 ready Build");
  CHECK(lines[5] == "#4 failed (ann) Test: no compiler");
  const std::string line = to_line(status);
  CHECK(line.find(R"("plans":[{"id":"P1","from":"ann","to":"lead","task":3,)") != std::string::npos);
  CHECK(line.find(R"("warnings":[{"kind":"disk","warning":"the disk is\nnearly full"}])") != std::string::npos);
  for (TaskId id = 5; id < 30; ++id) {
    status.tasks.notes.push_back({id, TaskNote::Kind::blocked, std::nullopt, "Wait", "waits for #3"});
  }
  CHECK(brief(status).size() == 16 && brief(status).back() == "and 16 more");
}

}  // namespace

int main() {
  members_in_order();
  tasks_in_order();
  reasons();
  happenings();
  glances();
  return test::report();
}
