#include "libteam/repo/gates.h"

#include <algorithm>
#include <filesystem>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/settings.h"
#include "libteam/repo/check.h"
#include "libteam/repo/merge.h"
#include "libteam/repo/tree.h"
#include "libteam/store/durability.h"
#include "libteam/store/life.h"
#include "libteam/store/local_files.h"

namespace team {

namespace {

namespace fs = std::filesystem;

constexpr double kSecondsToLand = 60;          // of others, before this
constexpr double kSecondsToCheck = 24 * 3600;  // of others
constexpr const char* kCheckTree = ".check";   // no name of a member begins with a dot

Finished refuse(std::string reason) { return {Finished::Kind::refused, std::move(reason), {}}; }

CheckRequest make_request(const TeamSession& session, const FinishedWork& work, const std::string& command) {
  CheckRequest request;
  request.command = command;
  request.interrupt = work.interrupt;
  request.environment = {{"TASK_ID", std::nullopt},
                         {"TASK_FILE", std::nullopt},
                         {"TEAM_TREE", std::nullopt},
                         {"TEAM_PHASE", std::nullopt}};
  if (session.team_or_none() == nullptr) {
    request.seconds = number_setting(Team{}, "tasks.checkTime");
    return request;
  }
  request.seconds = number_setting(session.team(), "tasks.checkTime");
  for (auto& variable : session.environment()) request.environment.push_back(std::move(variable));
  request.output = fs::absolute(fmt::format("{}/check-{}-{}.txt", session.lives()->local_files().outputs_path(),
                                            work.task.id, work.task.attempts));
  return request;
}

TaskChange completion(const FinishedWork& work, Receipt receipt) {
  TaskChange change;
  change.status = Status::completed;
  change.result = work.result;
  change.receipt = std::move(receipt);
  return change;
}

// The gates of work in a tree.
class TreeGates {
 public:
  TreeGates(const TeamSession& session, const Repository& repository, const Snapshot& snapshot,
            const FinishedWork& work)
      : session_(session),
        repository_(repository),
        snapshot_(snapshot),
        work_(work),
        line_(repository, session.team().name),
        git_(repository.git().with_author(author_of(session.self().name, session.team().name))),
        check_(session.board().check_of(work.task)) {}

  Finished finish() {
    if (snapshot_.refusal) return refuse(*snapshot_.refusal);
    if (auto refusal = find_missing_deliverable()) return refuse(std::move(*refusal));
    // One check at a time: the tip that it ran on is then the tip that it lands on, unless work without a check lands.
    std::optional<Lock> turn;
    if (!check_.empty()) {
      turn.emplace(Lock::acquire(repository_.own_folder(), session_.team().name + ".checking", kSecondsToCheck));
    }
    while (true) {
      if (auto finished = try_to_finish()) return std::move(*finished);
    }
  }

 private:
  // None if the line moved meanwhile.
  std::optional<Finished> try_to_finish() {
    const std::string tip = line_.begin(setting(session_.team(), "git.base"));
    Receipt receipt;
    receipt.base = tip;
    if (snapshot_.is_changed) {
      const Merge merge = merge_commits(git_, tip, snapshot_.commit);
      if (!merge.conflicts.empty()) return send_back(merge, tip);
      receipt.line = line_.name();
      receipt.commit = commit(merge.tree, {tip, snapshot_.commit});
    }
    if (!check_.empty()) {
      if (auto refused = check(receipt.commit.value_or(tip), receipt)) return refused;
    }
    if (receipt.commit) return land(receipt);
    return Finished{Finished::Kind::completed, "", session_.tasks().update(work_.task.id, completion(work_, receipt))};
  }

  std::string commit(const std::string& tree, const std::vector<std::string>& parents) const {
    Git::Words words = {"commit-tree", tree, "-F", "-"};
    for (const std::string& parent : parents) words.insert(words.end(), {"-p", parent});
    std::string made = git_.run(words, commit_message(work_.task, session_.self()));
    if (made.ends_with('\n')) made.pop_back();
    return made;
  }

  std::optional<std::string> find_missing_deliverable() const {
    const auto& path = work_.task.deliverable;
    if (!path) return std::nullopt;
    const auto found =
        git_.ask({"cat-file", "-e", fmt::format("{}:{}{}", snapshot_.commit, repository_.prefix(), *path)});
    if (found.status == 0) return std::nullopt;
    return fmt::format("task {} has no deliverable '{}'", work_.task.id, *path);
  }

  // The next attempt begins at the tip, with the conflicts in its files.
  Finished send_back(const Merge& merge, const std::string& tip) const {
    const std::string both = commit(merge.tree, {tip, snapshot_.commit});
    git_.run({"update-ref", ref_of(task_branch(session_.team().name, work_.task.id)), both});
    return refuse("the work conflicts with work that landed meanwhile:\n" + describe(merge.conflicts));
  }

  // None if it passed; then the receipt has it.
  std::optional<Finished> check(const std::string& commit, Receipt& receipt) const {
    const bool is_clean = switch_setting(session_.team(), "tasks.checkClean");
    const Tree tree(repository_,
                    fmt::format("{}/{}", trees_of(session_.engine(), session_.team(), repository_), kCheckTree));
    tree.show(commit, is_clean ? Tree::Ignored::remove : Tree::Ignored::keep);
    CheckRequest request = make_request(session_, work_, check_);
    request.folder = tree.top() + "/" + repository_.prefix();
    request.is_clean = is_clean;
    request.environment.emplace_back("TEAM_TREE", tree.top());
    const CheckResult result = run_check(request);
    if (result.kind == CheckResult::Kind::interrupted) return Finished{Finished::Kind::interrupted, result.reason, {}};
    if (result.kind == CheckResult::Kind::failed) return refuse(result.reason);
    receipt.checked = commit;
    receipt.check = result.receipt;
    return std::nullopt;
  }

  std::optional<Finished> land(const Receipt& receipt) const {
    const TaskId id = work_.task.id;
    const Offer offer{.commit = snapshot_.commit, .result = work_.result, .at = now()};
    session_.board().ask_landing(id, offer, receipt, session_.self());
    std::optional<Lock> held = line_.lock(kSecondsToLand);
    if (line_.tip() != receipt.base) return std::nullopt;
    if (const auto folder = line_.checked_out_in()) {
      return Finished{
          Finished::Kind::held,
          fmt::format("the line {} is checked out in '{}': task {} lands when another branch is checked out "
                      "there",
                      line_.name(), one_line(*folder), work_.task.id),
          {}};
    }
    session_.board().announce_landing(id, offer, receipt, session_.self());
    std::string trouble;
    const bool moved = move(receipt, trouble);
    held.reset();  // hooks run from here on
    TaskUpdate update = session_.tasks().end_landing(id, receipt, moved);
    if (!moved && !trouble.empty()) fail(Code::io, "{}", trouble);
    if (!moved) return std::nullopt;
    if (update.trouble.empty()) update.trouble = trouble;
    // Only a name; the merge has the commit. Somebody who still needs it makes this fail, which does not matter.
    git_.ask({"update-ref", "-d", ref_of(task_branch(session_.team().name, id)), snapshot_.commit});
    return Finished{Finished::Kind::completed, "", std::move(update)};
  }

  // Whether the line has the commit now. `trouble` says what failed. If even that cannot be told, it throws, and the
  // landing stays for whoever finds it.
  bool move(const Receipt& receipt, std::string& trouble) const {
    try {
      return line_.move(*receipt.commit, *receipt.base, durability_of(&session_.team()));
    } catch (const Error& error) {
      trouble = error.what();
      return line_.has(*receipt.commit);
    }
  }

  const TeamSession& session_;
  const Repository& repository_;
  const Snapshot& snapshot_;
  const FinishedWork& work_;
  Line line_;
  Git git_;
  std::string check_;
};

}  // namespace

std::string trees_of(const Engine& engine, const Team& team, const Repository& repository) {
  const fs::path root = fs::absolute(engine.place()).lexically_normal();
  const std::string chosen = setting(team, "git.treesDir");
  if (!chosen.empty()) return (root / chosen / team.name).lexically_normal();
  // Beside the whole checkout, also for a root that is a part of it: a tree in the checkout would be a new file in it.
  std::string inside = repository.prefix();
  fs::path top = root.has_filename() ? root : root.parent_path();
  for (const char c : inside) {
    if (c == '/') top = top.parent_path();
  }
  if (!inside.empty()) inside.pop_back();
  std::replace(inside.begin(), inside.end(), '/', '+');
  const std::string name = top.filename().string() + (inside.empty() ? "" : "+" + inside);
  return top.parent_path() / ".teamkit-trees" / name / team.name;
}

Author author_of(const std::string& member, const std::string& team) {
  return {member, fmt::format("{}@{}", member, team)};
}

std::string commit_message(const Task& task, const Actor& member) {
  std::string text =
      fmt::format("task {}: {}\n\nTask: {}\nMember: {}\n", task.id, one_line(task.subject), task.id, member.name);
  if (member.run) text += fmt::format("Run: {}\n", one_line(*member.run));
  return text;
}

Finished finish_in_root(const TeamSession& session, const FinishedWork& work) {
  Task trial = work.task;
  finish_work(trial, completion(work, {}), session.self(), now());  // who may not complete it runs no check
  const auto& deliverable = work.task.deliverable;
  if (deliverable && !session.engine().has_project_file(*deliverable)) {
    return refuse(fmt::format("task {} has no deliverable '{}'", work.task.id, *deliverable));
  }
  Receipt receipt;
  if (const std::string command = session.board().check_of(work.task); !command.empty()) {
    CheckRequest request = make_request(session, work, command);
    request.folder = session.engine().place();
    const CheckResult result = run_check(request);
    if (result.kind == CheckResult::Kind::interrupted) return {Finished::Kind::interrupted, result.reason, {}};
    if (result.kind == CheckResult::Kind::failed) return refuse(result.reason);
    receipt.check = result.receipt;
  }
  return {Finished::Kind::completed, "", session.tasks().update(work.task.id, completion(work, receipt))};
}

Finished finish_in_tree(const TeamSession& session, const Repository& repository, const Snapshot& snapshot,
                        const FinishedWork& work) {
  return TreeGates(session, repository, snapshot, work).finish();
}

}  // namespace team
