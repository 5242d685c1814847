#include "libteam/store/files/roster.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/settings.h"
#include "libteam/store/files/bodies.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/request_files.h"
#include "libteam/store/team_names.h"
#include "libteam/system/flock.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"
#include "libteam/system/random.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

// Removes the leftovers of a killed team-create or team-delete. The caller holds the lock of the teams.
void sweep_teams(const Folder& teams) {
  sweep_temporaries(teams);
  for (const std::string& name : deleted_teams(teams)) remove_deleted_team(teams, name);
}

// The roles name commands, so a file that others can write to is refused.
Contents read_config(const Folder& folder, const std::string& team) {
  auto contents = folder.read(layout::kConfig, JsonLimits{}.bytes);
  if (!contents) fail(Code::not_found, "no team '{}'", team);
  check_trusted(*contents, folder.path_of(layout::kConfig));
  return std::move(*contents);
}

}  // namespace

std::vector<std::string> deleted_teams(const Folder& teams) {
  std::vector<std::string> found;
  teams.each_name([&](const char* entry) {
    const std::string name = entry;
    const bool is_marked = is_name(name) && teams.has(fmt::format("{}/{}", name, layout::kDeletedConfig)) &&
                           !teams.has(fmt::format("{}/{}", name, layout::kConfig));
    if (is_marked || name.starts_with(layout::kDeletedPrefix)) found.push_back(name);
  });
  return found;
}

void remove_deleted_team(const Folder& teams, const std::string& name) {
  // The mark is removed last: if this process is killed before, the next sweep continues.
  if (const auto folder = is_name(name) ? teams.find_beneath(name) : std::nullopt) {
    std::vector<std::string> entries;
    folder->each_name([&](const char* entry) {
      if (std::string_view(entry) != layout::kDeletedConfig) entries.emplace_back(entry);
    });
    for (const std::string& entry : entries) folder->remove_tree(entry);
  }
  teams.remove_tree(name);
}

Roster::Roster(const Root& root, double lock_timeout) : root_(root), lock_timeout_(lock_timeout) {}

std::vector<std::string> Roster::names() const {
  std::vector<std::string> found;
  const auto teams = root_.find_store(layout::kTeams);
  if (!teams) return found;
  teams->each_name([&](const char* name) {
    if (is_name(name) && teams->has(fmt::format("{}/{}", name, layout::kConfig))) found.emplace_back(name);
  });
  std::sort(found.begin(), found.end());
  return found;
}

Folder Roster::folder_of(const std::string& name) const {
  check_name("team", name);
  const auto teams = root_.find_store(layout::kTeams);
  auto folder = teams ? teams->find_beneath(name) : std::nullopt;
  if (!folder) fail_unknown_team(name, names());
  return std::move(*folder);
}

std::shared_ptr<const Folder> Roster::shared_folder_of(const std::string& name) const {
  return std::make_shared<const Folder>(folder_of(name));
}

std::string Roster::version_of(const std::string& name) const {
  check_name("team", name);
  // Long-lived sessions ask before each operation. A path that leads elsewhere gives another version, and the session
  // then finds the team with all checks.
  auto stamp = root_.folder().stamp(fmt::format("{}/{}/{}", layout::kTeams, name, layout::kConfig));
  if (!stamp) stamp = folder_of(name).stamp(layout::kConfig);
  if (!stamp) fail(Code::not_found, "no team '{}'", name);
  return fmt::format("{} {} {}", stamp->inode, stamp->mtime_ns, stamp->size);
}

Roster::Opened Roster::open(const std::string& name) const {
  auto folder = shared_folder_of(name);
  const auto contents = read_config(*folder, name);
  return {parse_team(contents.text, name, folder->path_of(layout::kConfig)), std::move(folder)};
}

Team Roster::get(const std::string& name) const { return open(name).team; }

Life Roster::life_of(const std::string& team, const std::string& member) const { return lives(team)(member); }

std::function<Life(const std::string&)> Roster::lives(const std::string& team) const {
  return lives_in(shared_folder_of(team));
}

Life life_of(const Folder& team_folder, const std::string& member) {
  switch (look_at_lock(team_folder, layout::alive_file(member))) {
    case Held::yes: return Life::running;
    case Held::no: return Life::dead;
    case Held::no_file: return Life::unknown;
  }
  return Life::unknown;
}

std::function<Life(const std::string&)> lives_in(std::shared_ptr<const Folder> folder) {
  return [folder = std::move(folder)](const std::string& member) { return team::life_of(*folder, member); };
}

void Roster::create(const Team& team, const std::function<void(const Folder&)>& before_visible) const {
  check_team_names(team);
  const bool is_board =
      is_inner_path(team.board) && team.board != "." && split(team.board, '/').front() != layout::kTeams;
  if (!is_board) fail(Code::usage, "'{}' is not a folder beneath the root that can be a board", one_line(team.board));
  const Durability durable = durability_of(&team);
  root_.find_store(team.board);  // refuses one that is not to be trusted before anything is made
  const Folder teams = root_.make_store(layout::kTeams, durable);
  const Lock lock = Lock::acquire(teams, layout::kLock, lock_timeout_);
  check_team_is_new(team.name, names());
  root_.make_store(team.board, durable);
  // The folder appears with its configuration in it or not at all.
  sweep_teams(teams);
  Temporary unseen = Temporary::subfolder(teams);
  const auto folder = teams.find_beneath(unseen.name());
  if (!folder) fail(Code::io, "cannot open '{}': it has gone", teams.path_of(unseen.name()));
  folder->write_unseen(layout::kConfig, to_file(team), durable);
  if (durable == Durability::power) folder->sync(Code::io);
  if (before_visible) before_visible(*folder);
  teams.rename_into(unseen.name(), teams, team.name);
  unseen.keep();
  if (durable == Durability::power) teams.sync();
}

// A process that has the lock of the teams sweeps them itself.
void Roster::sweep_if_free() const {
  const auto teams = root_.find_store(layout::kTeams);
  const auto lock = teams ? Lock::try_acquire(*teams, layout::kLock) : std::nullopt;
  if (lock) sweep_teams(*teams);
}

Team Roster::change(const std::string& name, const std::function<void(Team&)>& edit) const {
  sweep_if_free();
  const Folder folder = folder_of(name);
  const Lock lock = Lock::acquire(folder, layout::kLock, lock_timeout_);
  // The team may have been deleted while this process waited for the lock.
  if (folder_of(name).inode() != folder.inode()) fail(Code::not_found, "no team '{}'", name);
  sweep_temporaries(folder);
  if (const auto requests = folder.find_beneath(layout::kRequests)) sweep_temporaries(*requests);
  sweep_bodies(folder);
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const auto contents = read_config(folder, name);
    Team team = parse_team(contents.text, name, folder.path_of(layout::kConfig));
    edit(team);
    // A person with an editor takes no lock: if the file changed meanwhile, it is read and edited again.
    NewFile file(folder, to_file(team), durability_of(&team));
    if (file.exchange(folder, layout::kConfig, contents.stamp)) return team;
  }
  fail(Code::again, "'{}' is being changed by something else all the time", folder.path_of(layout::kConfig));
}

void Roster::remove(const std::string& name) const {
  folder_of(name);
  const auto teams = root_.find_store(layout::kTeams);
  if (!teams) fail(Code::not_found, "no team '{}'", name);
  const Lock lock = Lock::acquire(*teams, layout::kLock, lock_timeout_);
  {
    const Folder folder = folder_of(name);  // again: it may be gone since
    const Lock team_lock = Lock::acquire(folder, layout::kLock, lock_timeout_);
    const Team team = get(name);
    for (const Member& member : team.members) {
      if (look_at_lock(folder, layout::alive_file(member.name)) == Held::yes) {
        fail(Code::conflict, "{} of team {} is still running", member.name, name);
      }
    }
    // The name is free at once: the leftovers have a name that is no team or, on overlayfs, where a folder of the lower
    // layer cannot be renamed, no configuration.
    const bool renamed =
        teams->rename_folder(name, fmt::format("{}{}-{:016x}", layout::kDeletedPrefix, name, random_number()));
    if (!renamed) folder.rename_into(layout::kConfig, folder, layout::kDeletedConfig);
    if (durability_of(&team) == Durability::power) (renamed ? *teams : folder).sync();
  }
  after_change([&] { sweep_teams(*teams); });
}

}  // namespace team
