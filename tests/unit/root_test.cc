// The search for a store: upward, in the main worktree of a linked one, and in a removed folder.
#include "libteam/store/files/root.h"

#include <unistd.h>

#include "libteam/store/files/roster.h"
#include "tests/unit/faults.h"
#include "tests/unit/store.h"

using namespace team;
using test::elsewhere;
using test::fails_with;

namespace fs = std::filesystem;

namespace {

class Place {
 public:
  Place() {
    char pattern[] = "/tmp/teamkit-root-XXXXXX";
    path = ::mkdtemp(pattern);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { fs::remove_all(path); }

  void make(const std::string& folder) const { fs::create_directories(path + "/" + folder); }
  void put(const std::string& file, const std::string& text) const { std::ofstream(path + "/" + file) << text; }

  // The root found from a folder and the rule that found it, then the unused stores on the way.
  std::string found_in(const std::string& folder) const {
    return told(folder, [](const Root& root) { return root.path() + ": " + root.rule(); });
  }
  std::string strays_in(const std::string& folder) const {
    return told(folder, [](const Root& root) {
      std::string text;
      for (const std::string& stray : root.strays()) text += stray + " ";
      return text;
    });
  }

  std::string path;

 private:
  std::string told(const std::string& folder, const std::function<std::string(const Root&)>& tell) const {
    int ends[2];
    CHECK(::pipe(ends) == 0);
    CHECK(elsewhere([&] {
      fs::current_path(path + "/" + folder);
      std::string text = "none";
      try {
        text = tell(Root::find({}));
      } catch (const Error&) {
        // No root was found.
      }
      for (std::size_t i = text.find(path); i != std::string::npos; i = text.find(path)) text.erase(i, path.size());
      return write_all(ends[1], text + "\n");
    }));
    char text[4096];
    const ssize_t got = ::read(ends[0], text, sizeof text);
    ::close(ends[0]);
    ::close(ends[1]);
    return got > 0 ? std::string(text, static_cast<std::size_t>(got) - 1) : "";
  }
};

// Makes the files of a linked worktree as git does.
void link_worktree(const Place& place, const std::string& folder, const std::string& main) {
  place.make(folder);
  place.make(main + "/.git/worktrees/w");
  place.put(folder + "/.git", "gitdir: " + place.path + "/" + main + "/.git/worktrees/w\n");
  place.put(main + "/.git/worktrees/w/commondir", "../..\n");
}

void worktrees() {
  const Place place;
  link_worktree(place, "linked", "main");
  CHECK(place.found_in("linked") == "none");  // the main worktree has no store
  place.make("main/.tasks");
  place.make("linked/inner");
  CHECK(place.found_in("linked/inner") == "/main: main worktree");
  // A `.git` file that is not valid.
  for (const char* text : {"", "something\n", "gitdir: /nowhere/at/all\n", "gitdir: /tmp\n"}) {
    place.make("odd");
    place.put("odd/.git", text);
    CHECK(place.found_in("odd") == "none");
  }
  // A worktree of a bare repository.
  place.make("bare/worktrees/w");
  place.put("bare/worktrees/w/commondir", "../..\n");
  place.put("odd/.git", "gitdir: " + place.path + "/bare/worktrees/w\n");
  CHECK(place.found_in("odd") == "none");
}

void unused_stores() {
  const Place place;
  link_worktree(place, "main/linked", "main");
  link_worktree(place, "other", "far");
  place.make("main/linked/.teams");
  CHECK(place.strays_in("main/linked").empty());  // the main worktree has no store
  place.make("main/.tasks");
  CHECK(place.strays_in("main/linked") ==
        "/main ");  // the store above it and that of the main worktree are the same one
  place.make("other/.tasks");
  place.make("far/.tasks");
  CHECK(place.strays_in("other") == "/far ");
  CHECK(place.strays_in("far").empty());
  link_worktree(place, "main/inner", "main");
  CHECK(place.found_in("main/inner") == "/main: upward from current folder");
  CHECK(place.strays_in("main/inner").empty());  // it is the store in use
}

// In a removed folder only absolute paths work.
void removed_folder() {
  const Place place;
  place.make("gone");
  place.make("there");
  CHECK(elsewhere([&] {
    fs::current_path(place.path + "/gone");
    fs::remove(place.path + "/gone");
    return fails_with(Code::io, [] { Root::find({}); }) && fails_with(Code::io, [] { Root::find_or_here({}); }) &&
           fails_with(Code::io,
                      [] {
                        Root::find({"there", std::nullopt});
                      }) &&
           Root::find_or_here({place.path + "/there", std::nullopt}).rule() == "-C";
  }));
  CHECK(Root::find_or_here({std::nullopt, place.path + "/there"}).rule() == "TEAM_ROOT");
  CHECK(fails_with(Code::not_found, [&] { Root::find({std::nullopt, place.path + "/there"}); }));
  CHECK(fails_with(Code::usage, [] { Root::find({"", std::nullopt}); }));
}

void durability() {
  const test::TestStore store;
  const auto chosen = [](const char* value, const Team* team) {
    ::setenv("TEAM_DURABILITY", value, 1);
    return durability_of(team);
  };
  CHECK(elsewhere([&] {
    return chosen("process", nullptr) == Durability::process && chosen("", nullptr) == Durability::power &&
           chosen("", &store.team) == Durability::power && fails_with(Code::usage, [&] { chosen("none", nullptr); });
  }));
}

}  // namespace

int main() {
  worktrees();
  unused_stores();
  removed_folder();
  durability();
  return test::report();
}
