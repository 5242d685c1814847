#include "libteam/store/memory/memory_engine.h"

#include <utility>

#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/store/memory/memory_watcher.h"
#include "libteam/store/team_names.h"

namespace team {

namespace {

class MemoryHandle : public TeamHandle {
 public:
  explicit MemoryHandle(std::shared_ptr<const MemoryTeam> found) : team(std::move(found)) {}
  const std::shared_ptr<const MemoryTeam> team;
};

std::vector<std::string> names_of(const Team& team) {
  std::vector<std::string> names;
  for (const Member& member : team.members) names.push_back(member.name);
  return names;
}

}  // namespace

// The team of a board. It has no hooks.
class MemoryEngine::MembersOfBoard : public BoardTeam {
 public:
  MembersOfBoard(const MemoryEngine& engine, const Team& team, std::shared_ptr<const MemoryTeam> opened)
      : engine_(engine), name_(team.name), members_(names_of(team)), team_(std::move(opened)) {}

  std::string name() const override { return name_; }
  const std::vector<std::string>& members() const override { return members_; }
  Life life_of(const std::string& member) const override { return team_->lives().life_of(member); }
  std::shared_ptr<const LifeEngine> lives() const override { return {team_, &team_->lives()}; }
  BoardEngine::Place reopen() override {
    try {
      auto found = engine_.team_of(name_);
      members_ = names_of(found->configuration());
      const bool is_same = found == team_;
      team_ = std::move(found);
      return is_same ? BoardEngine::Place::same : BoardEngine::Place::another;
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
      return BoardEngine::Place::missing;
    }
  }

 private:
  const MemoryEngine& engine_;
  std::string name_;
  std::vector<std::string> members_;
  std::shared_ptr<const MemoryTeam> team_;
};

class MemoryEngine::Mark : public ServerMark {
 public:
  explicit Mark(std::shared_ptr<Server> server) : server_(std::move(server)) {}
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() override {
    const std::lock_guard lock(server_->mutex);
    server_->runs = false;
    server_->description.reset();
  }
  void publish(const std::string& description) const override {
    const std::lock_guard lock(server_->mutex);
    server_->description = description;
  }

 private:
  std::shared_ptr<Server> server_;
};

std::vector<std::string> MemoryEngine::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, team] : teams_) names.push_back(name);
  return names;
}

std::shared_ptr<const MemoryTeam> MemoryEngine::team_of(const std::string& name) const {
  check_name("team", name);
  {
    const std::lock_guard lock(mutex_);
    const auto found = teams_.find(name);
    if (found != teams_.end()) return found->second;
  }
  fail_unknown_team(name, names());
}

FoundTeam MemoryEngine::find_team(const std::string& name) const {
  auto team = team_of(name);
  return {team->configuration(), std::make_shared<const MemoryHandle>(team)};
}

Team MemoryEngine::change(const std::string& name, const std::function<void(Team&)>& edit) const {
  return team_of(name)->change(edit);
}

void MemoryEngine::create(const Team& team, const std::function<void(const Error&)>&) const {
  check_team_names(team);
  check_team_is_new(team.name, names());
  {
    const std::lock_guard lock(mutex_);
    teams_[team.name] = std::make_shared<const MemoryTeam>(team, changes_, ++made_);
    boards_.try_emplace(team.board, std::make_shared<MemoryTasks>());
  }
  changes_->announce();
}

void MemoryEngine::remove(const std::string& name) const {
  const auto team = team_of(name);
  for (const Member& member : team->configuration().members) {
    if (team->lives().life_of(member.name) == Life::running) {
      fail(Code::conflict, "{} of team {} is still running", member.name, name);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    teams_.erase(name);
  }
  team->remove();
}

std::shared_ptr<const TeamEngine> MemoryEngine::open_team(const Team& team, const Handle& handle) const {
  if (handle) return dynamic_cast<const MemoryHandle&>(*handle).team;
  return team_of(team.name);
}

bool MemoryEngine::has_board(const Team& team) const {
  const std::lock_guard lock(mutex_);
  return boards_.contains(team.board);
}

Board MemoryEngine::open_board(const Team* team, Missing missing, const Handle& handle) const {
  const std::string path = team != nullptr ? team->board : Team{}.board;
  std::shared_ptr<MemoryTasks> tasks;
  {
    const std::lock_guard lock(mutex_);
    if (missing == Missing::make) boards_.try_emplace(path, std::make_shared<MemoryTasks>());
    const auto found = boards_.find(path);
    if (found == boards_.end()) fail(Code::not_found, "no board '{}' in '{}'; task-create makes one", path, place());
    tasks = found->second;
  }
  BoardRules rules = rules_of(team);
  rules.has_file = [this](const std::string& file) { return has_project_file(file); };
  rules.judge = landing_judge();
  auto members = std::make_shared<BoardTeam>();
  MemoryBoard::Record record;
  if (team != nullptr) {
    const auto opened = handle ? dynamic_cast<const MemoryHandle&>(*handle).team : team_of(team->name);
    members = std::make_shared<MembersOfBoard>(*this, *team, opened);
    record = [opened](const EventOrigin& origin, const std::vector<Event>& events) {
      return opened->events().record(origin, events);
    };
  }
  return {std::make_shared<MemoryBoard>(path, tasks, record, [changes = changes_] { changes->announce(); }),
          std::move(members), std::move(rules)};
}

std::shared_ptr<const LifeEngine> MemoryEngine::open_lives(const std::string& team) const {
  const auto found = team_of(team);
  return {found, &found->lives()};
}

std::unique_ptr<const ServerMark> MemoryEngine::take_server_mark() const {
  const std::lock_guard lock(server_->mutex);
  if (std::exchange(server_->runs, true)) fail(Code::conflict, "a server runs already in '{}'", place());
  return std::make_unique<const Mark>(server_);
}

std::optional<std::string> MemoryEngine::running_server() const {
  const std::lock_guard lock(server_->mutex);
  return server_->description;
}

std::unique_ptr<Watcher> MemoryEngine::make_watcher() const { return std::make_unique<MemoryWatcher>(changes_); }

}  // namespace team
