#include "libteam/store/files/fsck.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/name.h"
#include "libteam/base/text.h"
#include "libteam/record/settings.h"
#include "libteam/store/board_view.h"
#include "libteam/store/files/bodies.h"
#include "libteam/store/files/index.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/request_files.h"
#include "libteam/store/files/roster.h"
#include "libteam/system/lock.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

constexpr unsigned kFolderMode = 0700;
constexpr unsigned kFileMode = 0600;

class Findings {
 public:
  explicit Findings(Repair repair) : repair_(repair) {}

  void add(const std::string& file, const std::string& problem) { all_.push_back({file, problem, false}); }
  // A problem that `mend` takes away, if it may.
  void add(const std::string& file, const std::string& problem, const std::function<void()>& mend) {
    if (repair_ == Repair::yes) mend();
    all_.push_back({file, problem, repair_ == Repair::yes});
  }
  void add(const Error& error) {
    const std::string text = error.what();
    const std::size_t colon = text.find(": ");
    if (colon == std::string::npos) add("-", text);
    else add(text.substr(0, colon), text.substr(colon + 2));
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  Repair repair_;
  std::vector<Finding> all_;
};

void check_modes(const Folder& folder, Findings& findings) {
  const auto check = [&](const std::string& name, unsigned right) {
    const unsigned mode = folder.mode_of(name);
    if (mode == right) return;
    findings.add(name == "." ? folder.path() : folder.path_of(name), fmt::format("mode is {:o}, not {:o}", mode, right),
                 [&] { folder.set_mode(name, right); });
  };
  check(".", kFolderMode);
  std::vector<std::string> names;
  folder.each_name([&](const char* name) { names.emplace_back(name); });
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!folder.is_link(name)) check(name, folder.has_folder(name) ? kFolderMode : kFileMode);
    else findings.add(folder.path_of(name), "is a symbolic link");
  }
}

void check_theirs(const Folder& folder, Findings& findings) {
  folder.each_name([&](const char* name) {
    if (std::string_view(name).find(kTheirs) == std::string_view::npos) return;
    findings.add(folder.path_of(name), "what somebody wrote at the same moment as a command: put it where it belongs");
  });
}

void check_names(const Folder& folder, Findings& findings) {
  folder.each_name([&](const char* entry) {
    const std::string name = entry;
    if (name.ends_with(layout::kSetAsideSuffix)) {
      findings.add(folder.path_of(name), "a task of a batch whose id somebody else took: give it another");
    }
    const bool looks_like_one = layout::resembles_task_file(name);
    if (looks_like_one && !layout::task_of(name)) {
      findings.add(folder.path_of(name),
                   "not taken for a task: an id has no leading zero and is at most " + std::to_string(kLargestTaskId));
    }
  });
}

void check_litter(const TaskFiles& files, Findings& findings) {
  const auto scratch = files.folder().find_beneath(layout::kScratch);
  if (files.unsettled()) {
    findings.add(files.folder().path_of(layout::kBatch), "a batch is not yet in place", [&] { files.settle(); });
  }
  if (!scratch) return;
  std::vector<std::string> litter;
  scratch->each_name([&](const char* name) { litter.emplace_back(name); });
  std::erase_if(litter, [&](const std::string& name) { return TaskFiles::is_being_written(*scratch, name); });
  for (const std::string& name : litter) {
    findings.add(scratch->path_of(name), "left by a writer that died", [&] { scratch->remove_tree(name); });
  }
}

void check_mark(const TaskFiles& files, const std::map<TaskId, Outline>& tasks, Findings& findings) {
  const TaskId highest = tasks.empty() ? 0 : tasks.rbegin()->first;
  const std::string file = files.folder().path_of(layout::kHighWatermark);
  const auto mend = [&] {
    files.folder().remove(layout::kHighWatermark);
    files.give(highest, Durability::power);
  };
  try {
    files.highest_given();  // a lower number than the highest task is no fault: a person may have made that one
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    const std::string_view text = error.what();
    findings.add(file, std::string(text.substr(text.rfind(": ") + 2)), mend);
  }
}

// One finding for each way back to where it started.
void check_dependencies(const TaskFiles& files, const std::map<TaskId, Outline>& tasks, Findings& findings) {
  enum class Mark { unseen, open, done };
  std::map<TaskId, Mark> marks;
  for (const auto& [id, its] : tasks) {
    for (const TaskId blocker : its.blocked_by) {
      const bool exists = files.stamp(blocker).has_value();
      if (!exists && its.status != Status::completed) {
        findings.add(files.path_of(id), fmt::format("waits for task {}, which does not exist", blocker));
      }
    }
  }
  struct Step {
    TaskId id;
    std::size_t next = 0;
  };
  for (const auto& [start, unused] : tasks) {
    if (marks[start] != Mark::unseen) continue;
    std::vector<Step> way = {{start}};
    marks[start] = Mark::open;
    while (!way.empty()) {
      Step& step = way.back();
      const auto& blockers = tasks.at(step.id).blocked_by;
      if (step.next == blockers.size()) {
        marks[step.id] = Mark::done;
        way.pop_back();
        continue;
      }
      const TaskId blocker = blockers[step.next++];
      if (!tasks.contains(blocker)) continue;
      if (marks[blocker] == Mark::unseen) {
        marks[blocker] = Mark::open;
        way.push_back({blocker});
      } else if (marks[blocker] == Mark::open) {
        findings.add(files.path_of(step.id), fmt::format("waits for {}, which waits for it: a cycle", blocker));
      }
    }
  }
}

void check_index(const TaskFiles& files, const std::map<TaskId, Outline>& tasks, Findings& findings) {
  Index index(files);
  index.refresh();
  const auto disagrees = [&] {
    if (index.count() < static_cast<std::int64_t>(tasks.size())) return true;
    return std::any_of(tasks.begin(), tasks.end(), [&](const auto& entry) {
      const auto& [id, its] = entry;
      const auto belief = index.belief(id);
      const bool waits = std::any_of(its.blocked_by.begin(), its.blocked_by.end(), [&](TaskId blocker) {
        const auto found = tasks.find(blocker);
        return found == tasks.end() || found->second.status != Status::completed;
      });
      const bool ready = its.status == Status::pending && !waits;
      return !belief || belief->status != its.status || belief->ready != ready;
    });
  };
  try {
    if (!disagrees()) return;
  } catch (const Damage&) {
    // Told below.
  }
  findings.add(files.folder().path_of(layout::kIndex), "disagrees with the task files", [&] { index.rebuild(); });
}

void check_board(const Folder& folder, double lock_timeout, std::int64_t per_member, Findings& findings) {
  const Lock lock = Lock::acquire(folder, layout::kLock, lock_timeout);
  auto opened = Folder::find(folder.path());
  if (!opened) return;
  const TaskFiles files(std::move(*opened), Durability::power);
  check_modes(folder, findings);
  check_theirs(folder, findings);
  check_names(folder, findings);
  check_litter(files, findings);
  std::map<TaskId, Outline> tasks;
  std::map<std::string, std::vector<std::string>> held;
  for (const TaskId id : files.ids()) {
    try {
      const auto file = files.read(id);
      if (!file) continue;
      tasks[id] = {file->task.status, file->task.blocked_by};
      if (file->task.status == Status::in_progress) held[*file->task.owner].push_back(std::to_string(id));
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      findings.add(error);
    }
  }
  for (const auto& [owner, ids] : held) {
    if (per_member > 0 && static_cast<std::int64_t>(ids.size()) > per_member) {
      findings.add(folder.path(), fmt::format("{} holds {} tasks at once: {}", owner, ids.size(), join(ids, ", ")));
    }
  }
  check_mark(files, tasks, findings);
  check_dependencies(files, tasks, findings);
  check_index(files, tasks, findings);
}

// A setting that is broken is a finding of its own.
std::int64_t per_member(const Team& team) {
  try {
    return static_cast<std::int64_t>(number_setting(team, "tasks.perMember"));
  } catch (const Error&) {
    return 1;
  }
}

void check_temporaries(const Folder& folder, Findings& findings) {
  std::vector<std::string> litter;
  folder.each_name([&](const char* name) {
    if (is_temporary(name) && is_abandoned(folder, name)) litter.emplace_back(name);
  });
  for (const std::string& name : litter) {
    findings.add(folder.path_of(name), "left by a writer that died", [&] { remove_if_abandoned(folder, name); });
  }
}

// The content of a large message whose reader died after it had acknowledged.
void check_bodies(const Folder& folder, double lock_timeout, Findings& findings) {
  const auto bodies = folder.find_beneath(layout::kBodies);
  if (!bodies) return;
  check_temporaries(*bodies, findings);
  for (const std::string& id : lost_bodies(folder, lock_timeout)) {
    findings.add(bodies->path_of(id), "the content of no message", [&] { bodies->remove(id); });
  }
}

void check_team(const Folder& folder, const Team& team, double lock_timeout, Findings& findings) {
  const std::string file = folder.path_of(layout::kConfig);
  check_theirs(folder, findings);
  {
    const Lock lock = Lock::acquire(folder, layout::kLock, lock_timeout);
    check_temporaries(folder, findings);
    if (const auto requests = folder.find_beneath(layout::kRequests)) check_temporaries(*requests, findings);
  }
  check_bodies(folder, lock_timeout, findings);
  check_modes(folder, findings);
  if (team.find(team.lead) == nullptr) findings.add(file, fmt::format("the lead {} is not a member", team.lead));
  for (auto one = team.members.begin(); one != team.members.end(); ++one) {
    const bool twice =
        std::any_of(one + 1, team.members.end(), [&](const Member& other) { return same_name(one->name, other.name); });
    if (twice) findings.add(file, fmt::format("member {} is there twice", one->name));
  }
  try {
    const auto ledger = folder.read(layout::kQuotas, JsonLimits{}.bytes);
    if (ledger) parse_quotas(ledger->text, folder.path_of(layout::kQuotas));
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    findings.add(error);
  }
  for (const Setting& setting : team.settings) {
    try {
      Team copy;
      set_setting(copy, setting.key, team::setting(team, setting.key));
    } catch (const Error& error) {
      findings.add(file, error.what());
    }
  }
}

}  // namespace

std::vector<Finding> check_store(const Root& root, double lock_timeout, Repair repair) {
  Findings findings(repair);
  std::map<std::string, std::int64_t> boards = {{layout::kDefaultBoard, 1}};
  const Roster roster(root, lock_timeout);
  const auto teams = root.find_store(layout::kTeams);
  if (teams) {
    check_modes(*teams, findings);
    for (const std::string& name : deleted_teams(*teams)) {
      findings.add(teams->path_of(name), "a team that was deleted", [&] { remove_deleted_team(*teams, name); });
    }
  }
  for (const std::string& name : roster.names()) {
    try {
      const Team team = roster.get(name);
      const auto folder = teams ? teams->find_beneath(name) : std::nullopt;
      if (!folder) continue;  // deleted since it was listed
      check_team(*folder, team, lock_timeout, findings);
      boards[team.board] = per_member(team);
    } catch (const Error& error) {
      if (error.code() == Code::not_found) continue;
      if (error.code() == Code::permission_denied) {
        findings.add(fmt::format("{}/{}/{}", layout::kTeams, name, layout::kConfig), error.what());
        continue;
      }
      if (error.code() != Code::corrupt) throw;
      findings.add(error);
    }
  }
  for (const auto& [path, per_member] : boards) {
    const auto folder = root.find_store(path);
    if (folder) check_board(*folder, lock_timeout, per_member, findings);
    else if (path != layout::kDefaultBoard) findings.add(path, "the board of a team does not exist");
  }
  return findings.take();
}

std::string to_line(const Finding& finding) {
  return dump_line({{"file", finding.file}, {"problem", finding.problem}, {"mended", finding.mended}});
}

}  // namespace team
