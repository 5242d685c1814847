// The snapshot of a team: order of members and tasks, reasons, continued texts; and the brief status for models.
#include "libteam/record/team_view.h"

#include <algorithm>

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

Task& put(TeamView& snapshot, TaskId id, Status status) {
  Task& task = snapshot.board[id];
  task.id = id;
  task.subject = fmt::format("task {}", id);
  task.status = status;
  return task;
}

std::string order_of(const TeamView& snapshot) {
  std::string text;
  for (const ViewTask& task : snapshot.tasks) text += fmt::format("{} {}, ", name_of(task.state), task.id);
  return text;
}

std::string why_is(const TeamView& snapshot, TaskId id) {
  const auto found =
      std::find_if(snapshot.tasks.begin(), snapshot.tasks.end(), [&](const ViewTask& task) { return task.id == id; });
  return found == snapshot.tasks.end() ? "not there" : why(snapshot, *found);
}

// Members that need attention come first, and within that in the order of the team.
void members_in_order() {
  TeamView snapshot;
  const char* states[] = {"shutdown", "idle", "active", "paused", "dead", "error", "plan_pending", "lead"};
  for (const char* state : states) snapshot.members.push_back(member(state, state, snapshot.members.size()));
  snapshot.members[1].plan = Request{};
  arrange(snapshot);
  std::string names;
  for (const ViewMember& one : snapshot.members) names += one.status.name + " ";
  CHECK(names == "idle plan_pending paused dead error active lead shutdown ");
}

void tasks_in_order() {
  TeamView snapshot;
  put(snapshot, 1, Status::completed).completed_at = 5;
  put(snapshot, 2, Status::completed).completed_at = 9;
  put(snapshot, 3, Status::pending).blocked_by = {1, 2};
  put(snapshot, 4, Status::pending).priority = 2;
  put(snapshot, 5, Status::pending);
  put(snapshot, 6, Status::in_progress).claimed_at = 7;
  put(snapshot, 7, Status::in_progress).claimed_at = 3;
  put(snapshot, 8, Status::failed).updated_at = 1;
  put(snapshot, 9, Status::pending).blocked_by = {99};
  snapshot.broken[10] = "not JSON";
  arrange(snapshot);
  CHECK(order_of(snapshot) ==
        "running 7, running 6, failed 8, broken 10, ready 4, ready 3, ready 5, blocked 9, done 2, done 1, ");
  CHECK(snapshot.counts[TaskState::ready] == 3);
  CHECK(since(snapshot.board[7]) == 3 && since(snapshot.board[2]) == 9 && since(snapshot.board[8]) == 1);
  CHECK(!since(snapshot.board[5]));
}

void reasons() {
  TeamView snapshot;
  snapshot.members = {member("ann", "dead", 0), member("bob", "active", 1)};
  snapshot.members[1].status.role = "coder";
  put(snapshot, 1, Status::completed);
  put(snapshot, 2, Status::failed);
  put(snapshot, 3, Status::failed).error = "no compiler";
  put(snapshot, 4, Status::in_progress).owner = "ann";
  put(snapshot, 5, Status::in_progress).owner = "bob";
  put(snapshot, 6, Status::in_progress).owner = "somebody";
  snapshot.broken[7] = "7.json: not JSON";
  put(snapshot, 8, Status::pending).blocked_by = {1, 2, 4, 7, 99, 9};
  put(snapshot, 9, Status::pending).role = "coder";
  put(snapshot, 10, Status::pending).role = "tester";
  put(snapshot, 11, Status::pending).role = "tester";
  snapshot.board[11].owner = "bob";
  put(snapshot, 12, Status::pending);
  arrange(snapshot);
  CHECK(why_is(snapshot, 1).empty());
  CHECK(why_is(snapshot, 2) == "no reason given");
  CHECK(why_is(snapshot, 3) == "no compiler");
  CHECK(why_is(snapshot, 4) == "its owner died");
  CHECK(why_is(snapshot, 5).empty() && why_is(snapshot, 6).empty());
  CHECK(why_is(snapshot, 7) == "7.json: not JSON");
  CHECK(why_is(snapshot, 8) == "waits for #2 (failed), #4 (ann), #7 (broken), #99 (missing), #9");
  CHECK(why_is(snapshot, 9).empty() && why_is(snapshot, 11).empty() && why_is(snapshot, 12).empty());
  CHECK(why_is(snapshot, 10) == "nobody has role tester");
  CHECK(why(snapshot, {1234, TaskState::ready}).empty());
}

std::optional<LogEntry> entry(const std::string& type, const std::string& details) {
  Envelope envelope;
  envelope.type = type;
  envelope.details = details;
  envelope.agent = "ann";
  return log_entry_of(envelope);
}

void log_entries() {
  for (const char* type : {"TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "TOOL_CALL_END"}) CHECK(!entry(type, "{}"));
  TeamView snapshot;
  add(snapshot, *entry("TEXT_MESSAGE_CONTENT", R"({"delta":"Hel","message_id":"m1"})"), 3);
  add(snapshot, *entry("TEXT_MESSAGE_CONTENT", R"({"delta":"lo","message_id":"m1"})"), 3);
  CHECK(snapshot.events.size() == 1 && snapshot.events[0].text == "Hello");
  add(snapshot, *entry("TEXT_MESSAGE_CONTENT", R"({"delta":"other","message_id":"m2"})"), 3);
  add(snapshot, *entry("TOOL_CALL_START", R"({"tool_call_name":"bash","tool_call_id":"m2"})"), 3);
  CHECK(snapshot.events.size() == 3);  // a tool call with the id of a message is not part of the message
  add(snapshot, *entry("TOOL_CALL_ARGS", R"({"delta":"ls\n-l","tool_call_id":"m2"})"), 3);
  CHECK(snapshot.events.back().text == "bash ls -l");
  add(snapshot, *entry("TOOL_CALL_RESULT", R"({"content":"7","tool_call_id":["m2"]})"), 3);
  CHECK(snapshot.events.size() == 3 && snapshot.events.front().text == "other");
  CHECK(entry("TEXT_MESSAGE_CONTENT", R"({"delta":7})")->text.empty());  // an event that another program wrote
  add(snapshot, *entry("TEXT_MESSAGE_CONTENT", R"({"delta":"a","message_id":"m3"})"), 3);
  const std::string lengthy(2000, 'x');
  add(snapshot, *entry("TEXT_MESSAGE_CONTENT", fmt::format(R"({{"delta":"{}z","message_id":"m3"}})", lengthy)), 3);
  CHECK(snapshot.events.back().text.size() == 1024 && snapshot.events.back().text.ends_with("xz"));
}

void brief_status() {
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
  log_entries();
  brief_status();
  return test::report();
}
