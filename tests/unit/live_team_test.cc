// A live team reads each changed file again, and no other file.
#include "libteam/store/live_team.h"

#include "libteam/store/files/file_watcher.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/mailbox.h"
#include "libteam/store/files/request_files.h"
#include "libteam/system/id.h"
#include "libteam/system/lock.h"
#include "tests/unit/faults.h"
#include "tests/unit/store.h"

using namespace team;
using test::draft;
using test::fails_with;

namespace {

class Watched : public test::TestStore {
 public:
  Watched()
      : board(open_board()), folder(roster.folder_of("alpha")), log(folder, 1), live(engine, board, team, "user") {
    live.look_at_all();
  }

  void say(const std::string& who, const std::string& type,
           const std::vector<std::pair<std::string, std::string>>& details) const {
    log.append({"alpha", who, std::nullopt, std::nullopt}, {make_event(type, details)});
  }
  void look_at(const std::vector<std::string>& names) { live.look(topics_of(names)); }
  const MemberStatus& status_of(const std::string& name) const { return live.scene().find_member(name)->status; }
  const std::string& speech() const { return live.scene().speech; }

  Board board;
  Folder folder;
  FileEventLog log;
  LiveTeam live;
};

Message message(const std::string& to) {
  Message made;
  made.id = new_id();
  made.sender = "lead";
  made.recipient = to;
  made.content = "hello";
  return made;
}

// The names of a member's files, and similar names.
void mailbox_files() {
  Watched watched;
  const FileMailbox mailbox(watched.folder, "ann", Durability::process, 1);
  mailbox.append({message("ann")});
  for (const char* other : {"ann_taken-x.jsonl", "ann_taken-.jsonl", "_taken-2.jsonl", "events-x.jsonl", "_inbox.jsonl",
                            "ann_transcript.jsonl", "bodies", "events-.jsonl"}) {
    watched.look_at({other});
    CHECK(watched.status_of("ann").unread == 0);
  }
  for (const char* file : {"ann_inbox.jsonl", "ann_backlog.pos", "ann_taken.jsonl", "ann_taken-2.jsonl",
                           "ann_taken.jsonl.hold", "ann_taken-2.jsonl.hold", "config.json"}) {
    watched.remove(".teams/alpha/ann_inbox.jsonl");
    watched.look_at({"ann_inbox.jsonl"});
    CHECK(watched.status_of("ann").unread == 0);
    mailbox.append({message("ann")});
    watched.look_at({file});
    CHECK(watched.status_of("ann").unread == 1);
  }
  FileMailbox(watched.folder, "user", Durability::process, 1).append({message("user")});
  watched.look_at({"user_inbox.jsonl"});
  CHECK(watched.live.scene().unread == 1);
}

void tasks() {
  Watched watched;
  watched.board.create({draft("one"), draft("two")}, {});
  watched.look_at({"1.json"});
  CHECK(watched.live.scene().board.size() == 1);
  watched.put(".tasks/1.json", "{");
  watched.remove(".tasks/2.json");
  watched.look_at({"1.json", "2.json"});
  CHECK(watched.live.scene().board.empty());
  CHECK(watched.live.scene().broken.size() == 1 && watched.live.scene().broken.contains(1));
  // A file that cannot be read does not remove the task from the view; the next look reads all files.
  CHECK(test::where_refused(SYS_read, EIO, [&] {
    return fails_with(Code::io, [&] { watched.look_at({"1.json"}); }) && watched.live.has_missed();
  }));
}

void plans() {
  Watched watched;
  const RequestFiles requests(watched.folder, Durability::process);
  for (const auto& [from, kind] : {std::pair("ann", RequestKind::plan), {"bob", RequestKind::shutdown}}) {
    Request request;
    request.id = new_id();
    request.from = from;
    request.kind = kind;
    request.to = "lead";
    requests.insert(request);
  }
  watched.look_at({"ann.json"});
  CHECK(!watched.live.scene().find_member("ann")->plan);  // no event mentioned the plan yet
  watched.say("ann", "PLAN_SUBMITTED", {});
  watched.look_at({"events.jsonl"});
  CHECK(watched.live.scene().find_member("ann")->plan);
  CHECK(!watched.live.scene().find_member("bob")->plan);
}

// A team or board that is removed and created again is watched from then on.
void created_again() {
  Watched watched;
  watched.roster.remove("alpha");
  CHECK(fails_with(Code::not_found, [&] { watched.look_at({"config.json"}); }));
  CHECK(watched.live.has_missed());
  watched.roster.create(watched.team);
  watched.look_at({"1.json"});
  CHECK(!watched.live.has_missed());
  CHECK(watched.live.has_moved());
  CHECK(!watched.live.has_moved());
  watched.remove(".tasks");
  CHECK(fails_with(Code::not_found, [&] { watched.live.look_at_all(); }));
  watched.root.make_store(layout::kDefaultBoard, Durability::process);
  watched.open_board().create({draft("anew")}, {});
  watched.live.look_at_all();
  CHECK(watched.live.has_moved());
  CHECK(watched.live.scene().board.size() == 1);
}

void members() {
  Watched watched;
  watched.put(".teams/alpha/config.json", "{");
  watched.board.create({draft("one")}, {});
  CHECK(fails_with(Code::corrupt, [&] { watched.look_at({"config.json", "1.json"}); }));
  CHECK(watched.live.scene().board.size() == 1);  // the rest is still shown
  watched.put(".teams/alpha/config.json", to_file(watched.team));
  watched.look_at({"nobody.json"});
  CHECK(!watched.live.has_missed());
  // A member announces its shutdown a moment before its lock is free.
  const auto life = LifeLock::acquire(watched.folder, "ann.alive");
  CHECK(life);
  watched.look_at({"ann.alive"});
  CHECK(watched.status_of("ann").state == "running" && watched.live.is_unsettled());
  const Deadline patience = Deadline::in(10);
  while (watched.live.is_unsettled() && !patience.passed()) watched.look_at({});
  CHECK(!watched.live.is_unsettled());
}

// The text of a model arrives in pieces.
void last_words() {
  Watched watched;
  const auto say = [&](const std::string& text, const std::string& id = "m1") {
    watched.say("ann", "TEXT_MESSAGE_CONTENT", {{"delta", text}, {"message_id", id}});
    watched.look_at({"events.jsonl"});
    return watched.status_of("ann").last_words;
  };
  CHECK(say("Let me") == "Let me");
  CHECK(say(" see") == "Let me see");
  CHECK(say(".\nAll is well") == "All is well");
  CHECK(say("Anew", "m2") == "Anew");
  CHECK(say(" \n \n", "m3") == "Anew");
  const std::string lengthy = say(std::string(1000, 'x') + "z", "m4");
  CHECK(lengthy.size() == 400 && lengthy.ends_with("xz"));
  watched.say("ann", "MESSAGE_SENT", {{"recipient", "bob"}, {"summary", "done"}});
  watched.look_at({"events.jsonl"});
  CHECK(watched.status_of("ann").last_words == "to bob: done");
  watched.say("stranger", "TEXT_MESSAGE_CONTENT", {{"delta", "psst"}});
  watched.look_at({"events.jsonl"});
  CHECK(watched.live.scene().events.back().text == "psst");
}

void output_of_a_member() {
  Watched watched;
  watched.live.listen_to("ann");
  CHECK(watched.speech().empty());
  watched.put(".teams/alpha/ann.log", "from its log\n");
  watched.look_at({"ann.log"});
  CHECK(watched.speech() == "from its log\n");
  watched.say("ann", "TEXT_MESSAGE_CONTENT", {{"delta", "I look"}});
  watched.say("bob", "TEXT_MESSAGE_CONTENT", {{"delta", "not mine"}});
  watched.say("ann", "TEXT_MESSAGE_END", {});
  watched.say("ann", "STEP_STARTED", {{"step_name", "build"}});
  watched.say("ann", "TOOL_CALL_START", {{"tool_call_name", "bash"}});
  watched.say("ann", "TOOL_CALL_ARGS", {{"delta", "ls\n-l"}});
  watched.say("ann", "RUN_ERROR", {{"message", "no key"}});
  watched.say("ann", "TASK_UPDATED", {});
  const std::string said = "I look\n== build\n> bash ls -l\n! no key\n";
  watched.look_at({"events.jsonl"});
  CHECK(watched.speech() == said);
  watched.live.listen_to("ann");
  CHECK(watched.speech() == said);
  watched.live.listen_to("");
  watched.say("", "TEXT_MESSAGE_CONTENT", {{"delta", "nobody says this"}});
  watched.look_at({"events.jsonl"});
  CHECK(watched.speech().empty());
  // Text from before listen_to() comes from the log, up to the position of the view.
  std::ofstream(watched.of_team("events.jsonl"), std::ios::app) << "{\"seq\":10,\"agent_id\":\"ann\"\n";
  watched.look_at({"events.jsonl"});
  watched.say("ann", "TEXT_MESSAGE_CONTENT", {{"delta", "later"}});
  watched.live.listen_to("ann");
  CHECK(watched.speech() == said);
  watched.look_at({"events.jsonl"});
  CHECK(watched.speech() == said + "later");
}

// The end of a long text is kept, from the start of a line if possible.
void long_output() {
  Watched watched;
  const std::string line(40000, 'x');
  watched.say("ann", "TEXT_MESSAGE_CONTENT", {{"delta", line + "\n"}});
  watched.say("ann", "TEXT_MESSAGE_CONTENT", {{"delta", line}});
  watched.look_at({"events.jsonl"});
  watched.live.listen_to("ann");
  CHECK(watched.speech() == line + "\n" + line);
  watched.say("ann", "TEXT_MESSAGE_CONTENT", {{"delta", "y"}});
  watched.look_at({"events.jsonl"});
  CHECK(watched.speech() == line + "y");
  watched.say("ann", "TEXT_MESSAGE_CONTENT", {{"delta", line}});
  watched.look_at({"events.jsonl"});
  CHECK(watched.speech().size() == 65536 && watched.speech().ends_with("x"));
}

// Many events at once: the last ones are shown, and all files are read for the effects of the others.
void many_events() {
  Watched watched;
  std::vector<Event> events;
  for (int i = 0; i < 2000; ++i) events.push_back(make_event("TASK_UPDATED", {{"number", std::to_string(i)}}));
  watched.log.append({"alpha", "bob", std::nullopt, std::nullopt}, events);
  watched.look_at({"events.jsonl"});
  CHECK(watched.live.scene().events.size() == 1000);
  CHECK(watched.live.scene().events.back().text == "number=1999");
  std::ofstream(watched.of_team("events.jsonl"), std::ios::app) << "somebody wrote this\n";
  watched.look_at({"events.jsonl"});
  CHECK(watched.live.scene().events.back().seq == 2000);
  // A gap in the numbers is handled once.
  std::ofstream(watched.of_team("events.jsonl"), std::ios::app)
      << R"({"seq":2005,"timestamp":1,"team":"alpha","agent_id":"bob","event":{"type":"TASK_UPDATED"}})"
      << "\n";
  watched.look_at({"events.jsonl"});
  CHECK(watched.live.scene().events.back().seq == 2005);
  // listen_to() reads only a limited part of a log without text of the member.
  for (int i = 0; i < 11; ++i) watched.log.append({"alpha", "bob", std::nullopt, std::nullopt}, events);
  watched.live.look_at_all();
  watched.live.listen_to("ann");
  CHECK(watched.speech().empty());
}

}  // namespace

int main() {
  mailbox_files();
  tasks();
  plans();
  created_again();
  members();
  last_words();
  output_of_a_member();
  long_output();
  many_events();
  return test::report();
}
