// A separate root for a test, with a team: lead, ann (a coder) and bob (a tester).
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <utility>

#include "libteam/store/board.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/file_team.h"
#include "libteam/store/mail.h"

namespace team::test {

class TestStore {
 public:
  TestStore() : path(make_folder()), engine(Root::find_or_here({path, std::nullopt}), 1) {
    team.name = "alpha";
    team.members = {
        {"lead", std::nullopt, 0, false, "{}"}, {"ann", "coder", 0, false, "{}"}, {"bob", "tester", 0, false, "{}"}};
    roster.create(team);
  }
  TestStore(const TestStore&) = delete;
  TestStore& operator=(const TestStore&) = delete;
  ~TestStore() { std::filesystem::remove_all(path); }

  // Paths are relative to the root.
  std::string path_of(const std::string& name) const { return path + "/" + name; }
  std::string of_team(const std::string& name) const { return path + "/.teams/alpha/" + name; }
  bool has(const std::string& name) const { return std::filesystem::exists(path_of(name)); }
  void put(const std::string& name, std::string_view text) const { std::ofstream(path_of(name)) << text; }
  std::string text_of(const std::string& name) const {
    std::ifstream file(path_of(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(path_of(name)); }

  Board open_board() const { return engine.open_board(&team, Missing::refuse); }
  std::shared_ptr<const TeamEngine> open_team() const { return engine.open_team(team); }
  Mail open_mail() const { return {open_team(), team}; }

  const std::string path;
  const FileEngine engine;
  const Root& root = engine.root();
  const Roster& roster = engine.roster();
  Team team;

 private:
  static std::string make_folder() {
    char pattern[] = "/tmp/teamkit-store-XXXXXX";
    return ::mkdtemp(pattern);
  }
};

// A team without hooks, whose members live as the test says.
class LivingTeam : public BoardTeam {
 public:
  using LifeOf = std::function<Life(const std::string& member)>;
  LivingTeam(std::vector<std::string> members, LifeOf life_of)
      : members_(std::move(members)), life_of_(std::move(life_of)) {}
  std::string name() const override { return "alpha"; }
  const std::vector<std::string>& members() const override { return members_; }
  Life life_of(const std::string& member) const override { return life_of_(member); }

 private:
  std::vector<std::string> members_;
  LifeOf life_of_;
};

inline Draft draft(const std::string& subject, std::vector<TaskId> blocked_by = {}) {
  Draft made;
  made.where = subject;
  made.task.subject = subject;
  made.task.blocked_by = std::move(blocked_by);
  return made;
}

inline Actor actor(const std::string& name, const std::optional<std::string>& run = std::nullopt) {
  return {.name = name, .role = std::nullopt, .run = run, .leads = false};
}

}  // namespace team::test
