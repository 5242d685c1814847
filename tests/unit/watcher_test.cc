// A watcher reports changes of files as topics of the team, and only the topics that were asked for.
#include "libteam/store/files/file_watcher.h"

#include <unistd.h>

#include <cstdlib>

#include "libteam/store/files/file_board_team.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/local_files.h"
#include "libteam/store/presence.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/id.h"
#include "tests/unit/check.h"
#include "tests/unit/store.h"

using namespace team;
using test::draft;
using Names = std::vector<std::string>;

namespace {

constexpr double kSoon = 0.05;
constexpr double kPatience = 10;

class Watched : public test::TestStore {
 public:
  Watched() : board(open_board()) { watcher.begin(board); }

  void put_of_team(const std::string& name, std::string_view text) const { put(".teams/alpha/" + name, text); }
  TeamChanges wait(double seconds = kPatience) { return watcher.wait(Deadline::in(seconds)); }
  bool is_silent() { return !wait(kSoon).any; }

  Board board;
  FileWatcher watcher;
};

void names() {
  const TeamChanges changes = topics_of({"7.json", "007.json", "ann.json", "ann.alive", "ann.log", "bob_inbox.jsonl",
                                         "bob_backlog.pos", "eve_taken-2.jsonl.hold", "events-12.jsonl", "x_inbox.lock",
                                         "ann_transcript.jsonl", "_inbox.jsonl", "_taken-2.jsonl", "events.lock"});
  CHECK(changes.tasks == std::vector<TaskId>{7});
  CHECK((changes.states == Names{"7", "007", "ann"}));
  CHECK(changes.lives == Names{"ann"});
  CHECK(changes.outputs == Names{"ann"});
  CHECK(changes.inboxes == Names{"bob"});
  CHECK((changes.mail == Names{"bob", "bob", "eve"}));
  CHECK(changes.events && !changes.team);
  CHECK(topics_of({"config.json"}).team && topics_of({"config.json"}).states.empty());
  CHECK(!topics_of({"events-x.jsonl"}).events && !topics_of({"bodies"}).has_topics());
}

void only_tasks() {
  Watched watched;
  watched.watcher.watch_tasks();
  watched.put_of_team("ann.json", "{}");
  watched.put(".tasks/notes.txt", "x");
  CHECK(watched.is_silent());
  watched.board.create({draft("one"), draft("two")}, {});
  const TeamChanges changes = watched.wait();
  CHECK(!changes.everything && !changes.tasks.empty() && changes.tasks.front() == 1);
  while (watched.wait(kSoon).any) continue;
  watched.remove(".tasks/2.json");
  CHECK(watched.wait().removed);
  watched.watcher.await_removal();
}

// Of a life only its end, of the configuration only its change, wake a caller that waits for no more.
void single_topics() {
  Watched watched;
  std::optional<Presence> ann(std::in_place, watched.engine, watched.team, "ann");
  watched.watcher.watch_configuration();
  watched.watcher.watch_life("ann");
  watched.put_of_team("bob.alive", "");
  watched.put_of_team("ann_inbox.jsonl", "{}\n");
  CHECK(watched.is_silent());
  ann.reset();
  CHECK(watched.wait().lives == Names{"ann"});
  watched.roster.change("alpha", [](Team& team) { team.summary = "done"; });
  const TeamChanges changes = watched.wait();
  CHECK(changes.everything || changes.team);  // the file is replaced
  CHECK(!changes.removed);
}

void inbox_of_a_member() {
  Watched watched;
  watched.watcher.watch_inbox("ann");
  watched.put_of_team("bob_inbox.jsonl", "{}\n");
  watched.put_of_team("events.jsonl", "{}\n");
  CHECK(watched.is_silent());
  watched.put_of_team("ann_inbox.jsonl", "{}\n");
  CHECK(watched.wait().inboxes == Names{"ann"});
}

// An idle member wakes for a message, not when somebody looks into its empty mailbox, and for a nudge.
void own_inbox() {
  Watched watched;
  const FileMailbox mailbox(*team_folder_of(watched.board), "ann", Durability::process, 1);
  watched.watcher.watch_own_inbox("ann");
  watched.watcher.watch_configuration();
  mailbox.peek({}, 1, std::nullopt, [](const Message&) {});
  watched.put_of_team("ann.json", "{}");
  CHECK(watched.is_silent());
  Message message;
  message.id = new_id();
  message.sender = "lead";
  message.recipient = "ann";
  mailbox.append({message});
  CHECK(watched.wait().inboxes == Names{"ann"});
  mailbox.take({}, 1, std::nullopt)->acknowledge();
  while (watched.wait(kSoon).any) continue;
  mailbox.nudge();
  const TeamChanges nudged = watched.wait();
  CHECK(nudged.everything && !nudged.removed);
}

void whole_team() {
  Watched watched;
  watched.watcher.watch_team();
  watched.board.create({draft("one")}, {});
  TeamChanges changes = watched.wait();
  CHECK(changes.events && changes.tasks.empty());
  while (watched.wait(kSoon).any) continue;
  watched.put_of_team("ann.log", "x");
  CHECK(watched.wait().outputs == Names{"ann"});
  watched.remove(".teams/alpha");
  changes = watched.wait();
  CHECK(changes.removed);
}

void descriptors_and_times() {
  Watched watched;
  const EventFd other;
  watched.watcher.watch_tasks();
  watched.watcher.wake_on(other.fd());
  CHECK(watched.is_silent());
  other.ring();
  const TeamChanges rung = watched.wait();
  CHECK(rung.any && rung.woken && !rung.everything && !rung.has_topics());
  other.take();
  watched.watcher.wake_at(boot_ns() + 10'000'000);
  CHECK(watched.wait().woken);
  // A watcher that begins anew has forgotten all.
  other.ring();
  watched.watcher.begin(watched.board);
  watched.watcher.watch_configuration();
  watched.board.create({draft("one")}, {});
  CHECK(watched.is_silent());
}

void where_nothing_reports() {
  ::setenv("TEAM_NOTIFY", "poll", 1);
  Watched watched;
  CHECK(!watched.watcher.is_told());
  watched.watcher.watch_tasks();
  CHECK(!watched.watcher.is_told());
  watched.watcher.look_every(0.02);
  const TeamChanges changes = watched.wait();
  CHECK(changes.everything && changes.untold && !changes.woken && !changes.removed);
  ::unsetenv("TEAM_NOTIFY");
  CHECK(FileWatcher().is_told());
}

// A board that is removed is reported, and the one that takes its place can be watched.
void made_again() {
  Watched watched;
  watched.watcher.watch_tasks();
  watched.remove(".tasks");
  CHECK(watched.wait().everything);
  CHECK(watched.board.reopen() == Board::Place::missing);
  watched.root.make_store(layout::kDefaultBoard, Durability::process);
  CHECK(watched.board.reopen() == Board::Place::another);
  watched.watcher.begin(watched.board);
  watched.watcher.watch_tasks();
  watched.board.create({draft("anew")}, {});
  CHECK(watched.wait().tasks == std::vector<TaskId>{1});
}

// The lives of a team.
void lives() {
  Watched watched;
  const auto lives = watched.engine.open_lives("alpha");
  CHECK(lives->life_of("ann") == Life::unknown && !lives->state_of("ann") && !lives->process_of("ann"));
  {
    const auto held = lives->take("ann");
    CHECK(lives->life_of("ann") == Life::running && !lives->has_begun("ann") && !has_died(*lives, "ann"));
    CHECK(lives->process_of("ann") == ::getpid() && lives->is_process_of(::getpid(), "ann"));
    CHECK(test::fails_with(Code::conflict, [&] { lives->take("ann"); }));
    held->write({});
    CHECK(held->is_in_place() && !held->before());
  }
  CHECK(has_died(*lives, "ann") && has_died(watched.board, "ann") && !has_died(watched.board, "nobody"));
  CHECK(lives->take("ann")->before());
  CHECK(lives->note_end("ann", "killed")->type == "MEMBER_STATE" && lives->state_of("ann")->reason == "killed");
  CHECK(lives->local_files().read_output("ann", 10).empty());
  CHECK(write_all(lives->local_files().open_output("ann").get(), "a long output"));
  CHECK(lives->local_files().read_output("ann", 6) == "output");
  lives->forget("ann");
  CHECK(lives->life_of("ann") == Life::unknown && !lives->has_begun("ann") &&
        lives->local_files().read_output("ann", 9).empty());
}

// One of two members is the lookout of a role; the other gets the duty when the first one leaves.
void duties() {
  Watched watched;
  const auto lives = watched.board.lives();
  const auto first = lives->duty(LifeEngine::Post::lookout, "coder");
  const auto second = lives->duty(LifeEngine::Post::lookout, "coder");
  const auto other = lives->duty(LifeEngine::Post::lookout, std::nullopt);
  CHECK(first->take() && !second->take() && other->take());
  CHECK(!second->take_or_queue());
  first->leave();
  second->wake(watched.watcher);
  CHECK(watched.watcher.wait(Deadline::in(kPatience)).woken);
  CHECK(second->take() && !first->take());
}

}  // namespace

int main() {
  names();
  only_tasks();
  single_topics();
  inbox_of_a_member();
  own_inbox();
  whole_team();
  descriptors_and_times();
  where_nothing_reports();
  made_again();
  lives();
  duties();
  return test::report();
}
