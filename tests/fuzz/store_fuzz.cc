// A store with one overwritten file: every reader reports the fault and its place, team-fsck repairs nothing that a
// person wrote, and the rest stays usable.
//
// The first byte selects the file; the rest is its contents.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "libteam/store/board.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/fsck.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/task_files.h"
#include "libteam/store/live_team.h"
#include "libteam/store/mail.h"
#include "libteam/store/status.h"
#include "tests/fuzz/fuzz.h"

using namespace team;
namespace fs = std::filesystem;

namespace {

constexpr const char* kFiles[] = {
    ".teams/alpha/config.json",
    ".teams/alpha/ann.json",
    ".teams/alpha/requests/01ARZ3NDEKTSV4RRFFQ69G5FAV.json",
    ".teams/alpha/ann_inbox.jsonl",
    ".teams/alpha/ann_taken.jsonl.hold",
    ".teams/alpha/ann_backlog.pos",
    ".teams/alpha/exchanges.json",
    ".teams/alpha/events.jsonl",
    ".tasks/.highwatermark",
    ".tasks/1.json",
    ".tasks/.index",
    ".tasks/2.json",
    ".teams/alpha/.all_idle",
    ".teams/alpha/ann.alive",
};

std::string path() { return fuzz::scratch() + "/root"; }

void make_store() {
  fuzz::make_empty(path());
  fuzz::put_file(fuzz::scratch() + "/outside", "untouched");
  for (const char* folder : {"/.teams", "/.teams/alpha", "/.teams/alpha/requests", "/.tasks"}) {
    fuzz::make_empty(path() + folder);
  }
  Team team;
  team.name = "alpha";
  team.members = {{"lead", {}, 1}, {"ann", "coder", 1}, {"bob", {}, 1}};
  fuzz::put_file(path() + "/.teams/alpha/config.json", to_file(team));
  fuzz::put_file(path() + "/.teams/alpha/ann_taken.jsonl",
                 R"({"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","sender":"bob","content":"hello"})"
                 "\n");
  fuzz::put_file(path() + "/.teams/alpha/ann_backlog.jsonl",
                 R"({"id":"01ARZ3NDEKTSV4RRFFQ69G5FAW","sender":"bob","content":"more"})"
                 "\n");
  for (TaskId id = 1; id <= 3; ++id) {
    Task task;
    task.id = id;
    task.subject = "x";
    if (id == 3) task.blocked_by = {1, 2};
    fuzz::put_file(path() + "/.tasks/" + layout::task_file(id), to_file(task));
  }
}

// Any refusal with a message of one line is allowed; other exceptions are not.
template <class Call>
void look(Call call) {
  if (const auto error = fuzz::refusal(call)) REQUIRE(*error->what() != '\0' && error->code() != Code::unknown);
}

void look_at_all(const FileEngine& engine) {
  REQUIRE(engine.names().size() == 1);
  look([&] {
    const Team team = engine.get("alpha");
    Board board = engine.open_board(&team, Missing::refuse);
    look([&] { look_at_team(*engine.open_team(team), team, board.view(), [](TaskId, const Error&) {}); });
    look([&] { LiveTeam(engine, board, team, "user").look_at_all(); });
    const Mail mail(engine.open_team(team), team);
    look([&] { mail.engine().exchanges(); });
    look([&] { mail.requests().all([](const Error&) {}); });
    look([&] { state_of(engine.roster().folder_of("alpha"), "ann"); });
    look([&] { mail.mailbox("ann").take({}, 10, {}); });
    look([&] { board.claim_next({"bob", {}, {}, false}); });
    look([&] { board.create({parse_draft(R"({"subject":"new"})", "line 1")}, {}); });
    look([&] { board.reclaim(); });
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  ::setenv("TEAM_DURABILITY", "process", 1);
  fuzz::Source source(fuzz::text_of(bytes, size));
  const std::string file = path() + "/" + kFiles[source.below(std::size(kFiles))];
  make_store();
  fuzz::put_file(file, source.rest());
  const FileEngine engine(Root::find({.directory = path(), .environment = {}}), 1);
  for (const Repair repair : {Repair::no, Repair::yes}) {
    look([&] {
      for (const Finding& finding : check_store(engine.root(), 1, repair)) REQUIRE(fuzz::is_json(to_line(finding)));
    });
    const bool is_cache = file.ends_with(".index") || file.ends_with(".highwatermark");
    if (!is_cache) REQUIRE(fuzz::get_file(file) == source.rest());
  }
  look_at_all(engine);
  REQUIRE(fuzz::get_file(fuzz::scratch() + "/outside") == "untouched");
  return 0;
}
