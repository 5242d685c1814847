// A team and its status: members, their states, the log, the hooks, and the findings of team-fsck.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "libteam/base/clock.h"
#include "libteam/record/settings.h"
#include "libteam/store/digest.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/fsck.h"
#include "libteam/store/files/hooks.h"
#include "libteam/store/files/transcript_file.h"
#include "libteam/store/mail.h"
#include "libteam/store/presence.h"
#include "libteam/store/status.h"
#include "libteam/system/id.h"
#include "libteam/system/temporary.h"
#include "tests/unit/faults.h"
#include "tests/unit/store.h"

using namespace team;
using test::actor;
using test::before_file;
using test::draft;
using test::fails_where;
using test::fails_with;
using test::for_file;
using test::is_refused;
using test::where_refused;
using test::where_seen;

namespace fs = std::filesystem;

namespace {

const EventOrigin kOrigin{"alpha", "ann", std::nullopt, std::nullopt};

class Alpha : public test::TestStore {
 public:
  Alpha() : folder(roster.folder_of("alpha")), log(folder, 1), mail(open_mail()) {}

  void put(const std::string& name, std::string_view text) const { TestStore::put(".teams/alpha/" + name, text); }
  bool has(const std::string& name) const { return TestStore::has(".teams/alpha/" + name); }
  void remove(const std::string& name) const { TestStore::remove(".teams/alpha/" + name); }
  // A member that ran and has ended, or that never wrote a state.
  void end(const std::string& member, State state) const {
    put(member + ".alive", "");
    MemberState last;
    last.state = state;
    put(member + ".json", to_file(last));
  }

  Folder folder;
  FileEventLog log;
  Mail mail;
};

// The team is deleted, or replaced by another of that name, while a process waits for its lock.
void deleted_teams() {
  const Alpha alpha;
  const auto hide = [&] { fs::rename(alpha.path_of(".teams"), alpha.path_of("hidden")); };
  CHECK(where_seen(SYS_openat2, before_file(".teams", hide, 2), [&] {
    return is_refused(Code::not_found, "no team 'alpha'", [&] { alpha.roster.remove("alpha"); });
  }));
  fs::rename(alpha.path_of("hidden"), alpha.path_of(".teams"));
  const auto change = [&] { alpha.roster.change("alpha", [](Team&) {}); };
  int locks = 0;
  const auto replace = [&](const test::CallArguments&) {
    if (++locks == 2) {
      fs::rename(alpha.path_of(".teams/alpha"), alpha.path_of(".teams/beta"));
      fs::create_directory(alpha.path_of(".teams/alpha"));
    }
    return 0;
  };
  CHECK(where_seen(SYS_flock, replace, [&] { return is_refused(Code::not_found, "no team 'alpha'", change); }));
  // The folder exists without the file.
  CHECK(fails_with(Code::not_found, change));
  CHECK(fails_with(Code::not_found, [&] { alpha.roster.get("alpha"); }));
  CHECK(fails_with(Code::not_found, [&] { alpha.roster.version_of("alpha"); }));
}

void states() {
  const Alpha alpha;
  const auto begin = [&] { return Presence(alpha.engine, alpha.team, "ann"); };
  const auto lives = alpha.engine.open_lives("alpha");
  CHECK(!lives->note_end("ann", "gone"));
  alpha.put("ann.json", "{");
  CHECK(!begin().before());  // it has no earlier state
  CHECK(where_seen(SYS_openat2, for_file("ann.json", EIO),
                   [&] { return is_refused(Code::io, "cannot open", [&] { begin(); }); }));
  Presence presence = begin();
  alpha.remove("ann.json");
  CHECK(!is_member_idle(*lives, "ann"));  // it has not written a state yet
  presence.begin({}, alpha.mail, actor("ann"));
  presence.set_usage("{\"input\":7}");
  CHECK(where_refused(SYS_renameat, ENOSPC, [&] {
    presence.set_usage("{\"input\":8}");  // read again next time
    return presence.now().usage == "{\"input\":8}";
  }));
  CHECK(lives->state_of("ann")->usage.find('7') != std::string::npos);
  Board board = alpha.open_board();
  presence.become(State::active, "", std::nullopt, alpha.mail, actor("ann"));
  presence.tell_if_all_idle(alpha.team, board, alpha.mail);
  CHECK(!alpha.mail.mailbox("lead").take({}, 9, std::nullopt));
  presence.become(State::idle, "", std::nullopt, alpha.mail, actor("ann"));
  for (int i = 0; i < 2; ++i) presence.tell_if_all_idle(alpha.team, board, alpha.mail);
  CHECK(alpha.mail.mailbox("lead").take({}, 9, std::nullopt)->messages().size() == 1);
}

void events() {
  const Alpha alpha;
  const std::vector<Event> one = {make_event("NOTED", {})};
  CHECK(alpha.log.last_sequence() == 0);
  alpha.log.append(kOrigin, one);
  const std::string whole = alpha.text_of(".teams/alpha/events.jsonl");
  CHECK(fails_where(SYS_write, ENOSPC, "cannot write", [&] { alpha.log.append(kOrigin, one); }));
  alpha.put("events.jsonl", whole + "torn");
  CHECK(fails_where(SYS_ftruncate, EIO, "cannot write", [&] { alpha.log.append(kOrigin, one); }));
  CHECK(alpha.log.append(kOrigin, one).first == 2);
  // An operation that succeeded but could not be logged still counts as done.
  {
    const Lock lock = Lock::acquire(alpha.folder, "events.lock", 1);
    const FileEventLog hasty(alpha.folder, 0);
    CHECK(fails_with(Code::unknown, [&] { hasty.record(kOrigin, one); }));
  }
  alpha.put("events.jsonl", fmt::format("{{\"seq\":{},\"x\":0}}\n", kLargestSequence));
  CHECK(fails_with(Code::corrupt, [&] { alpha.log.append(kOrigin, one); }));
  CHECK(fails_with(Code::unknown, [&] { alpha.log.record(kOrigin, one); }));
}

// A reader sees all events in order, whatever is rotated meanwhile.
void rotated_events() {
  const Alpha alpha;
  const std::vector<Event> one = {make_event("NOTED", {})};
  ::setenv("TEAM_EVENTS_ROTATE", "1", 1);
  // A reader that started before the first event sees it.
  bool is_seen = false;
  const auto see = [&](std::string_view) { return is_seen = true; };
  alpha.log.follow(0, -1, see, [&] { return is_seen || alpha.log.append(kOrigin, one).first != 1; });
  CHECK(is_seen);
  for (int i = 0; i < 4; ++i) alpha.log.append(kOrigin, one);
  CHECK(alpha.has("events-4.jsonl"));
  // A reader that has the file open sees each event once, even if the file is rotated before it lists the others.
  int appended = 0;
  const auto put_aside = [&](const test::CallArguments&) {
    if (appended++ == 0) alpha.log.append(kOrigin, one);
    return 0;
  };
  CHECK(where_seen(SYS_getdents64, put_aside, [&] {
    std::vector<std::int64_t> backward;
    alpha.log.each_backward([&](std::string_view line) {
      backward.push_back(sequence_of(line).value_or(0));
      return true;
    });
    return backward == std::vector<std::int64_t>{5, 4, 3, 2, 1} && alpha.has("events-5.jsonl");
  }));
  std::int64_t last = 0;
  std::int64_t in_order = 0;
  int still_to_come = 100;
  int at_once = 1;
  const auto read = [&](std::string_view line) {
    const std::int64_t before = std::exchange(last, sequence_of(line).value_or(0));
    if (last == before + 1) ++in_order;
    for (int i = 0; i < at_once && still_to_come > 0; ++i, --still_to_come) alpha.log.append(kOrigin, one);
    return true;
  };
  alpha.log.each_after(0, read);
  CHECK(in_order == last && last >= 5);
  still_to_come = 100;
  at_once = 2;
  const std::int64_t all = alpha.log.last_sequence() + still_to_come;
  ::alarm(30);  // otherwise a fault could make the test wait for ever
  alpha.log.follow(last, -1, read, [&] { return last == all; });
  ::alarm(0);
  CHECK(in_order == all);
  // No event is numbered after lines of another program.
  alpha.put("events.jsonl", "mine\n");
  const std::int64_t next = alpha.log.append(kOrigin, one).first;
  CHECK(alpha.text_of(".teams/alpha/events.jsonl").starts_with("mine\n"));
  alpha.log.append(kOrigin, one);
  CHECK(alpha.text_of(fmt::format(".teams/alpha/events-{}.jsonl", next)).starts_with("mine\n"));
  CHECK(alpha.text_of(".teams/alpha/events-1.jsonl").find("\"seq\":1,") != std::string::npos);
  // The writer died before it began the next file.
  fs::rename(alpha.path_of(".teams/alpha/events.jsonl"),
             alpha.path_of(fmt::format(".teams/alpha/events-{}.jsonl", next + 1)));
  CHECK(alpha.log.last_sequence() == next + 1);
  CHECK(alpha.log.append(kOrigin, one).first == next + 2);
  // A file that is removed is gone, even if it was listed a moment before.
  std::vector<std::int64_t> numbers;
  const auto remove_third = [&](std::string_view line) {
    numbers.push_back(sequence_of(line).value_or(0));
    alpha.remove("events-3.jsonl");
    return numbers.size() < 2;
  };
  alpha.log.each_after(1, remove_third);
  CHECK((numbers == std::vector<std::int64_t>{2, 4}));
  std::size_t backward = 0;
  alpha.log.each_backward([&](std::string_view line) {
    backward += sequence_of(line) ? 1 : 0;
    alpha.remove("events-4.jsonl");
    return true;
  });
  CHECK(backward == static_cast<std::size_t>(next + 2) - 2);
  ::unsetenv("TEAM_EVENTS_ROTATE");
}

// A digest does not go back twenty thousand events.
void digests() {
  const Alpha alpha;
  OutgoingMessage letter;
  letter.to = "bob";
  letter.content = "long ago";
  alpha.mail.send(letter, actor("ann"));
  alpha.log.append(kOrigin, std::vector<Event>(19'990, make_event("NOTED", {})));
  CHECK(digest_for(alpha.log, alpha.team, "lead").size() == 1);
  alpha.log.append(kOrigin, std::vector<Event>(20, make_event("NOTED", {})));
  CHECK(digest_for(alpha.log, alpha.team, "lead").empty());
}

// A line is written completely or not at all.
void transcripts() {
  const Alpha alpha;
  for (const Durability durability : {Durability::process, Durability::power}) {
    alpha.put("ann_transcript.jsonl", "one\ntorn");
    CHECK(fails_where(SYS_ftruncate, EIO, "cannot mend", [&] { TranscriptFile(alpha.folder, "ann", durability); }));
    const TranscriptFile file(alpha.folder, "ann", durability);
    CHECK(fails_where(SYS_write, ENOSPC, "cannot write", [&] { file.append("no"); }));
    if (durability == Durability::power) {
      CHECK(fails_where(SYS_fdatasync, EIO, "cannot write", [&] { file.append("no"); }));
    }
    CHECK(where_refused(SYS_write, ENOSPC, [&] {
      return test::refuse_calls(SYS_ftruncate, EIO) && fails_with(Code::corrupt, [&] { file.append("no"); });
    }));
    file.append("two");
    std::string text;
    file.each([&](std::string_view line) { text += std::string(line) + " "; });
    CHECK(text == "one two ");
  }
}

void hooks() {
  ::setenv("TEAM_TRUST", "1", 1);  // no file of trust, which would be in the home of the user
  const Alpha alpha;
  const FileHooks hooks(alpha.folder, alpha.root, "alpha", 10);
  CHECK(!hooks.any() && !hooks.has("task-created"));
  fs::create_directory(alpha.of_team("hooks"));
  fs::permissions(alpha.of_team("hooks"), fs::perms::owner_all);
  const auto make = [&](const std::string& name, const std::string& script) {
    alpha.put("hooks/" + name, "#!/bin/sh\n" + script);
    fs::permissions(alpha.of_team("hooks/" + name), fs::perms::owner_all);
  };
  make("task-created", "exit 1\n");
  make("post-level-2-done", "cat >level\n");
  CHECK(hooks.any() && hooks.has("task-created") && !hooks.has("none"));
  CHECK(hooks.refusal("task-created", kOrigin, make_event("TASK_CREATED", {})) == "exit status 1");
  hooks.tell(kOrigin, {make_event("LEVEL_2_DONE", {})}, {7, 1});
  CHECK(alpha.text_of("level").find("\"seq\":7") != std::string::npos);
  CHECK(test::elsewhere([&] {
    ::setenv("TEAM_HOOK", "x", 1);
    return !hooks.any() && !hooks.has("task-created");
  }));
  // A hook that cannot be checked might refuse, so it is not skipped.
  for (const int k : {1, 2}) {
    CHECK(where_seen(SYS_newfstatat, test::only_the(k, EIO),
                     [&] { return is_refused(Code::io, "cannot look at", [&] { hooks.has("task-created"); }); }));
  }
}

std::string warnings_of(const TeamStatus& status) {
  std::string text;
  for (const Warning& warning : status.warnings) {
    if (warning.kind != "disk") text += warning.kind + ": " + warning.text + "\n";
  }
  return text;
}

std::string notes_of(const TeamStatus& status) {
  std::string text;
  for (const TaskNote& note : status.tasks.notes) text += fmt::format("{} {}\n", note.id, note.note);
  return text;
}

void status() {
  Alpha alpha;
  Board board = alpha.open_board();
  const auto look = [&] {
    return look_at_team(alpha.mail.engine(), alpha.team, board.view(), [](TaskId, const Error&) {});
  };
  Draft for_coder = draft("code"), for_tester = draft("test"), mine = draft("mine"), for_nobody = draft("none");
  for_coder.task.role = "coder";
  for_tester.task.role = mine.task.role = "tester";
  for_nobody.task.role = "writer";
  mine.task.owner = "bob";
  board.create({for_coder, for_tester, mine, for_nobody}, {});
  CHECK(warnings_of(look()) == "role: task 4 is for role writer, which nobody has\n");
  for (const State state : {State::active, State::shutdown, State::error}) {
    alpha.end("bob", state);
    CHECK(warnings_of(look()) ==
          "role: task 2 is for role tester, which nobody has who runs\nrole: task 4 is for role writer, which nobody "
          "has\n");
  }
  alpha.put("bob.json", "{");
  CHECK(look().members[2].state == "dead");
  CHECK(where_seen(SYS_openat2, for_file("bob.json", EIO),
                   [&] { return is_refused(Code::io, "cannot open", [&] { look(); }); }));
  // Of many tasks of a kind only some are shown.
  std::vector<Draft> many;
  for (int i = 0; i < 7; ++i) many.push_back(draft("wait", {1, 2, 3, 4}));
  for (int i = 0; i < 7; ++i) many.push_back(draft("fail"));
  board.create(many, {});
  for (TaskId id = 12; id <= 18; ++id) {
    Task task = board.view().get(id);
    task.status = Status::failed;
    alpha.TestStore::put(fmt::format(".tasks/{}.json", id), to_file(task));
  }
  const TeamStatus status = look();
  CHECK(status.tasks.blocked == 7 && status.tasks.failed == 7 && status.tasks.notes.size() == 14);
  CHECK(notes_of(status).find("5 waits for #1, #2, #3 (bob), 1 more\n") != std::string::npos);
  CHECK(notes_of(status).find("12 no reason given\n") != std::string::npos);
  // A task in progress without a start time, among too many to show.
  Task task = board.view().get(1);
  task.status = Status::in_progress;
  task.owner = "ann";
  for (TaskId id = 101; id <= 125; ++id) {
    task.id = id;
    alpha.TestStore::put(fmt::format(".tasks/{}.json", id), to_file(task));
  }
  CHECK(look().tasks.in_progress == 25 && notes_of(look()).starts_with("101 \n"));
  CHECK(look().tasks.notes.size() == 34);
}

// On a disk of a megabyte, if mounting is allowed.
void disks() {
  const auto as_told = [] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", "/tmp", "tmpfs", 0, "size=1m") != 0) {
      return true;
    }
    const Alpha alpha;
    const Board board = alpha.open_board();
    const auto warns = [&] {
      const auto status = look_at_team(alpha.mail.engine(), alpha.team, board.view(), [](TaskId, const Error&) {});
      return !status.warnings.empty() && status.warnings[0].kind == "disk";
    };
    const bool before = warns();
    std::ofstream("/tmp/full") << std::string(std::size_t{1} << 20, 'x');
    return !before && warns();
  };
  CHECK(test::elsewhere(as_told));
}

std::string explained(const Alpha& alpha, const Board& board, TaskId id) {
  std::string text;
  for (const Reason& reason : explain(board.view().get(id), &alpha.mail.engine(), &alpha.team, board.view())) {
    text += reason.text + "\n";
  }
  return text;
}

void reasons() {
  Alpha alpha;
  Board board = alpha.open_board();
  board.create({draft("one"), draft("two", {1})}, {});
  const auto edit = [&](const std::function<void(Task&)>& change) {
    Task task = board.view().get(1);
    change(task);
    alpha.TestStore::put(".tasks/1.json", to_file(task));
  };
  CHECK(explained(alpha, board, 2) == "waits for #1 'one', pending\n");
  edit([](Task& task) { task.owner = "ann"; });
  CHECK(explained(alpha, board, 2) == "waits for #1 'one', pending at ann\n");
  edit([](Task& task) { task.status = Status::in_progress; });
  CHECK(explained(alpha, board, 2) == "waits for #1 'one', in progress by ann\n");
  CHECK(explained(alpha, board, 1) == "in progress by ann\n");
  alpha.end("ann", State::active);
  CHECK(explained(alpha, board, 1) == "in progress by ann, who died; the next claim releases it\n");
  edit([](Task& task) { task.status = Status::pending; });
  CHECK(explained(alpha, board, 1) == "assigned to ann, who died\n");
  const Presence presence(alpha.engine, alpha.team, "ann");
  CHECK(explained(alpha, board, 1) == "assigned to ann, who is running\n");
  edit([](Task& task) { task.owner.reset(), task.role = "tester"; });
  CHECK(explained(alpha, board, 1) == "only for role tester: bob\n");
  edit([](Task& task) { task.owner = "bob"; });
  CHECK(explained(alpha, board, 1) == "assigned to bob\n");
  // Whichever read the system refuses, the explanation stays true.
  const std::string truth = explained(alpha, board, 2);
  for (int k = 1; k < 6; ++k) {
    const auto refuse = [k, seen = 0](const test::CallArguments& given) mutable {
      return std::string_view("1.json") == reinterpret_cast<const char*>(given[1]) && ++seen == k ? EIO : 0;
    };
    CHECK(where_seen(SYS_openat2, refuse, [&] {
      try {
        return explained(alpha, board, 2) == truth;
      } catch (const Error& error) {
        return error.code() == Code::io;
      }
    }));
  }
}

std::string findings_of(const Alpha& alpha, Repair repair = Repair::no) {
  std::string text;
  for (const Finding& finding : check_store(alpha.root, 1, repair)) {
    text += finding.file.substr(finding.file.find("/.t") + 1) + ": " + finding.problem + "\n";
  }
  return text;
}

// Repairs the store, and returns true if this was the only finding.
bool is_repaired(const Alpha& alpha, const std::string& finding) {
  return findings_of(alpha) == finding && findings_of(alpha, Repair::yes) == finding && findings_of(alpha).empty();
}

void put_private(const Alpha& alpha, const std::string& name, std::string_view text = "") {
  alpha.TestStore::put(name, text);
  fs::permissions(alpha.path_of(name), fs::perms::owner_read | fs::perms::owner_write);
}

void leftovers() {
  const Alpha alpha;
  CHECK(findings_of(alpha).empty());
  const std::string temporary = temporary_name();
  put_private(alpha, ".teams/alpha/" + temporary);
  const auto folder = Folder::find(alpha.of_team("."));
  const Temporary of_a_living_writer = Temporary::file(*folder);
  CHECK(is_repaired(alpha, ".teams/alpha/" + temporary + ": left by a writer that died\n"));
  const std::string id = new_id();
  fs::create_directory(alpha.of_team("bodies"));
  fs::permissions(alpha.of_team("bodies"), fs::perms::owner_all);
  put_private(alpha, ".teams/alpha/bodies/" + id);
  CHECK(is_repaired(alpha, ".teams/alpha/bodies/" + id + ": the content of no message\n"));
  fs::create_directory(alpha.path_of(".teams/.deleted-beta"));
  fs::permissions(alpha.path_of(".teams/.deleted-beta"), fs::perms::owner_all);
  CHECK(is_repaired(alpha, ".teams/.deleted-beta: a team that was deleted\n"));
}

void strange_files() {
  const Alpha alpha;
  Board board = alpha.open_board();
  board.create({draft("one"), draft("two", {1})}, {});
  put_private(alpha, ".tasks/3.json.of-batch");
  put_private(alpha, ".tasks/007.json");
  put_private(alpha, ".tasks/x7.json");
  fs::create_symlink("1.json", alpha.path_of(".tasks/link"));
  CHECK(findings_of(alpha).find("link: is a symbolic link\n") != std::string::npos);
  CHECK(findings_of(alpha).find("3.json.of-batch: a task of a batch whose id somebody else took") != std::string::npos);
  CHECK(findings_of(alpha).find("007.json: not taken for a task") != std::string::npos);
  CHECK(findings_of(alpha).find("x7.json") == std::string::npos);
  for (const char* name : {"3.json.of-batch", "007.json", "x7.json", "link", "1.json"}) {
    alpha.TestStore::remove(std::string(".tasks/") + name);
  }
  CHECK(findings_of(alpha) == ".tasks/2.json: waits for task 1, which does not exist\n");
  Task two = board.view().get(2);
  two.status = Status::completed;
  alpha.TestStore::put(".tasks/2.json", to_file(two));
  CHECK(findings_of(alpha).empty());  // a completed task waits for nothing
}

// The index differs from the files and does not detect it.
void stale_index() {
  const Alpha alpha;
  Board board = alpha.open_board();
  board.create(std::vector<Draft>(600, draft("x")), {});
  const std::string wrong = ".tasks/.index: disagrees with the task files\n";
  Task task = board.view().get(590);
  task.status = Status::completed;
  alpha.TestStore::put(".tasks/590.json", to_file(task));
  CHECK(is_repaired(alpha, wrong));
  task = board.view().get(589);
  task.blocked_by = {588};
  alpha.TestStore::put(".tasks/589.json", to_file(task));
  CHECK(is_repaired(alpha, wrong));
  // The time of the folder was set back.
  struct stat before {};
  const std::string folder = alpha.path_of(".tasks");
  const auto unseen = [&](const std::function<void()>& change) {
    CHECK(::stat(folder.c_str(), &before) == 0);
    change();
    const timespec times[] = {before.st_atim, before.st_mtim};
    CHECK(::utimensat(AT_FDCWD, folder.c_str(), times, 0) == 0);
    return is_repaired(alpha, wrong);
  };
  const auto add = [&](TaskId id) {
    task.id = id;
    put_private(alpha, fmt::format(".tasks/{}.json", id), to_file(task));
  };
  CHECK(unseen([&] { add(601); }));
  CHECK(unseen([&] {
    alpha.TestStore::remove(".tasks/580.json");
    add(602);
  }));
}

// A file that vanishes during the check counts as missing. A failing system call is not a finding.
void vanishing() {
  const Alpha alpha;
  Board board = alpha.open_board();
  board.create({draft("one")}, {});
  const auto clean = [&] { return findings_of(alpha).empty(); };
  const auto refused = [&](const std::string& name) {
    return where_seen(SYS_openat2, for_file(name, EIO),
                      [&] { return is_refused(Code::io, "cannot", [&] { findings_of(alpha); }); });
  };
  for (const char* name : {"config.json", "1.json", ".highwatermark"}) CHECK(refused(name));
  const std::string text = alpha.text_of(".tasks/1.json");
  CHECK(where_seen(SYS_openat2, before_file("1.json", [&] { alpha.TestStore::remove(".tasks/1.json"); }), clean));
  const std::string config = alpha.text_of(".teams/alpha/config.json");
  CHECK(where_seen(SYS_openat2, before_file("config.json", [&] { alpha.remove("config.json"); }), clean));
  put_private(alpha, ".teams/alpha/config.json", config);
  const auto go = [&] { fs::rename(alpha.path_of(".teams/alpha"), alpha.path_of("alpha")); };
  CHECK(where_seen(SYS_openat2, before_file("alpha", go, 2), clean));
  const std::string tasks = alpha.path_of(".tasks");
  CHECK(where_seen(SYS_openat, before_file(tasks, [&] { fs::rename(tasks, alpha.path_of("tasks")); }), clean));
  CHECK(!alpha.TestStore::has(".tasks"));
}

void limits() {
  Alpha alpha;
  alpha.roster.change("alpha", [](Team& team) { set_setting(team, "tasks.perMember", "0"); });
  alpha.team = alpha.roster.get("alpha");
  Board board = alpha.open_board();
  board.create({draft("one"), draft("two")}, {});
  for (const TaskId id : {1, 2}) board.claim(id, actor("ann"));
  CHECK(findings_of(alpha).empty());
  alpha.roster.change("alpha", [](Team& team) { set_setting(team, "tasks.perMember", "1"); });
  CHECK(findings_of(alpha) == ".tasks: ann holds 2 tasks at once: 1, 2\n");
  alpha.roster.change("alpha", [](Team& team) { team.board = "nowhere"; });
  CHECK(findings_of(alpha).find("nowhere: the board of a team does not exist\n") != std::string::npos);
}

}  // namespace

int main() {
  if (!test::can_refuse_calls()) {
    std::puts("skipped: seccomp does not work here");
    return 0;
  }
  deleted_teams();
  states();
  events();
  rotated_events();
  digests();
  transcripts();
  hooks();
  status();
  disks();
  reasons();
  leftovers();
  strange_files();
  stale_index();
  vanishing();
  limits();
  return test::report();
}
