#include "libteam/store/files/index.h"

#include <algorithm>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"

namespace team {

using index_layout::encode;
using index_layout::kBroken;
using index_layout::kFirstReadyLane;
using index_layout::kKnownLane;
using index_layout::kNoLane;
using index_layout::kNoTask;
using index_layout::kRunningLane;

namespace {

// On kernels before 6.13 two writes within one tick of the clock leave the same mtime. So a file that is as new as our
// look at it may have changed since. Git has the same rule for its index.
constexpr std::int64_t kTickNs = 10'000'000;

}  // namespace

Index::Index(const TaskFiles& files) : files_(files), file_(files.folder()) {}

void Index::refresh(Care care) {
  try {
    bring_up_to_date(care);
  } catch (const Damage&) {
    rebuild();
  }
}

void Index::bring_up_to_date(Care care) {
  if (file_.is_void()) {
    rebuild();
    return;
  }
  // An edit by somebody else in place, or in the same tick as a change of ours, must not stay unseen. So a sweep is due
  // from time to time, more rarely if look_at_next() completes its rounds.
  constexpr std::int64_t kLongestTrust = 60'000'000'000, kSweepAtLeast = 20;
  const Header& now = file_.header();
  const std::int64_t trust = std::max(kLongestTrust, 200 * now.sweep_cost);
  const std::int64_t moment = boot_ns();
  const bool is_due =
      moment - std::max(now.swept_at, now.round_seen) > trust || moment - now.swept_at > kSweepAtLeast * trust;
  if (now.state != index_layout::WriteState::clean || !is_current() || is_due) {
    sweep();
    return;
  }
  if (now.batch_expected != 0) file_.edit_header().batch_expected = files_.settle() ? 1 : 0;
  if (care == Care::usual) look_at_next();
}

void Index::rebuild() {
  file_.reset();
  changed_.clear();
  affected_.clear();
  sweep();
}

bool Index::is_current() { return file_.header().folder_mtime == files_.folder().mtime_ns(); }

bool Index::swept_lately() {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return boot_ns() - file_.header().swept_at < kSecond;
}

void Index::look_at_next() {
  // Each look costs a thousandth of a command. The number of looks completes a round in some seconds, but a command
  // after a long pause does not make up for the whole pause.
  constexpr std::int64_t kFewest = 8, kMost = 256;
  constexpr double kRound = 5e9;
  Header& now = file_.edit_header();
  const std::int64_t moment = boot_ns();
  const double due = static_cast<double>(now.highest) * static_cast<double>(moment - now.looked_at) / kRound;
  const std::int64_t looks = due < kMost ? std::max(kFewest, static_cast<std::int64_t>(due)) : kMost;
  now.looked_at = moment;
  for (std::int64_t i = 0; i < std::min(looks, now.highest); ++i) {
    now.cursor = now.cursor % now.highest + 1;
    if (now.cursor == 1) now.round_seen = std::exchange(now.round_start, moment);
    if (files_.stamp(now.cursor) != stamp_of(now.cursor)) look_at(now.cursor);
  }
  settle();
}

void Index::sweep() {
  const std::int64_t start = boot_ns();
  file_.edit_header().batch_expected = files_.settle() ? 1 : 0;
  // Taken before the listing: a change during it makes the next refresh look again.
  const std::int64_t mtime = files_.folder().mtime_ns();
  const std::vector<TaskId> ids = files_.ids();
  for (const TaskId id : lanes_.all(kKnownLane)) {
    if (!std::binary_search(ids.begin(), ids.end(), id)) forget(id);
  }
  for (const TaskId id : ids) {
    if (is_racy(id) || files_.stamp(id) != stamp_of(id) || lanes_.is_damaged(id)) look_at(id);
  }
  settle();
  // Every task has been looked at: a task that is in the wrong lane now would stay there.
  for (const TaskId id : ids) {
    if (file_.record(id).lane != static_cast<std::uint8_t>(lane_of(facts_of(id)) + 1)) look_at(id);
  }
  settle();
  if (edges_.has_too_many_dropped()) {
    rebuild();
    return;
  }
  Header& now = file_.edit_header();
  now.highest = ids.empty() ? 0 : ids.back();
  now.count = static_cast<std::int64_t>(ids.size());
  now.folder_mtime = mtime;
  now.swept_at = start;
  now.sweep_cost = boot_ns() - start;
  save();
  became_ready_.clear();
}

std::optional<Stamp> Index::stamp_of(TaskId id) {
  const Record& known = file_.record(id);
  return known.status == kNoTask ? std::nullopt : std::optional(known.stamp);
}

bool Index::is_racy(TaskId id) { return file_.record(id).stamp.mtime_ns + kTickNs > file_.record(id).seen_at; }

void Index::look_at(TaskId id) {
  try {
    const auto found = files_.read(id);
    if (found) put(found->task, found->stamp);
    else forget(id);
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    remember(id, Facts{.status = kBroken}, files_.stamp(id).value_or(Stamp{}));
  }
}

void Index::put(const Task& task, const Stamp& stamp) {
  Facts facts{.status = encode(task.status)};
  facts.priority = task.priority;
  facts.owner = task.owner ? hash_name(*task.owner) : 0;
  facts.role = task.role ? hash_name(*task.role) : 0;
  facts.blockers = task.blocked_by;
  if (task.lease) {
    const bool this_boot = file_.boot().compare(0, task.lease->boot.size(), task.lease->boot) == 0;
    constexpr double kLatest = 9e18;  // in nanoseconds, some 285 years: an edited file may have any number
    facts.lease_end = this_boot ? static_cast<std::int64_t>(std::clamp(task.lease->until * 1e9, 1.0, kLatest)) : 1;
  }
  remember(task.id, facts, stamp);
}

void Index::remember(TaskId id, const Facts& facts, const Stamp& stamp) {
  Record& known = file_.edit_record(id);
  const bool was_completed = known.status == encode(Status::completed);
  if (known.status == kNoTask) ++file_.edit_header().count;
  if (lanes_.is_damaged(id)) known.lane = 0;
  lanes_.set_bit(kKnownLane, id, true);
  known.stamp = stamp;
  known.seen_at = now_ns();
  known.owner = facts.owner;
  known.lease_end = facts.lease_end;
  known.role = static_cast<std::uint32_t>(facts.role);
  known.status = facts.status;
  known.priority = static_cast<std::uint8_t>(facts.priority);
  Header& now = file_.edit_header();
  now.highest = std::max(now.highest, id);
  // A broken file may still wait for the same tasks.
  if (facts.status != kBroken) edges_.set_blockers(id, facts.blockers);
  if (was_completed != (facts.status == encode(Status::completed))) {
    for (const TaskId dependent : edges_.dependents(id)) affected_.insert(dependent);
  }
  changed_[id] = facts;
}

void Index::forget(TaskId id) {
  Record& known = file_.edit_record(id);
  if (known.status == kNoTask) return;
  --file_.edit_header().count;
  if (known.status == encode(Status::completed)) {
    for (const TaskId dependent : edges_.dependents(id)) affected_.insert(dependent);
  }
  if (known.lane != 0) lanes_.move(id, kNoLane);
  lanes_.set_bit(kKnownLane, id, false);
  edges_.set_blockers(id, {});
  const std::uint32_t first_dependent = known.first_dependent;  // others may still wait for it
  known = Record{};
  known.first_dependent = first_dependent;
  changed_.erase(id);
}

// Puts every task that changed, or whose blockers did, into its lane.
void Index::settle() {
  while (!affected_.empty()) {
    const TaskId id = affected_.extract(affected_.begin()).value();
    if (!changed_.contains(id) && file_.record(id).status == encode(Status::pending)) look_at(id);
  }
  for (const auto& [id, facts] : changed_) {
    const std::uint8_t lane = lane_of(facts);
    const std::uint8_t before = file_.record(id).lane;
    if (lane >= kFirstReadyLane && lane != kNoLane) lanes_.lower_hint(lane, id);
    if (before == static_cast<std::uint8_t>(lane + 1)) continue;
    lanes_.move(id, lane);
    if (is_ready(id)) became_ready_.push_back(id);
  }
  changed_.clear();
}

bool Index::is_ready(TaskId id) { return file_.record(id).lane > kFirstReadyLane; }

bool Index::confirm_ready(const TaskFile& file) {
  put(file.task, file.stamp);
  for (const TaskId blocker : file.task.blocked_by) is_completed(blocker);
  settle();
  return is_ready(file.task.id);
}

std::uint8_t Index::lane_of(const Facts& facts) {
  if (facts.status == encode(Status::in_progress)) return kRunningLane;
  if (facts.status != encode(Status::pending)) return kNoLane;
  for (const TaskId blocker : facts.blockers) {
    if (file_.record(blocker).status != encode(Status::completed)) return kNoLane;
  }
  if (facts.owner != 0) return index_layout::owner_lane(facts.priority, facts.owner);
  if (facts.role != 0) return index_layout::role_lane(facts.priority, static_cast<std::uint32_t>(facts.role));
  return index_layout::open_lane(facts.priority);
}

std::optional<TaskId> Index::first_of(std::uint8_t lane, std::uint64_t owner, std::uint64_t role,
                                      const std::set<TaskId>& passed) {
  constexpr int kFew = 32;  // others' tasks that are passed over before a hint is worth its page
  const std::uint64_t name = owner != 0 ? owner : role;
  int others = 0;
  bool any_mine = false;
  for (TaskId from = 1; from <= kLargestTaskId;) {
    const auto id = lanes_.first(lane, from);
    if (!id) break;
    from = *id + 1;
    const Record& known = file_.record(*id);
    if (*id > file_.header().highest || known.lane != lane + 1) {
      rebuild();  // damage: afterwards the lane is right
      return first_of(lane, owner, role, passed);
    }
    const bool fits = known.owner == owner && (owner != 0 || known.role == static_cast<std::uint32_t>(role));
    if (fits && others >= kFew && !any_mine) lanes_.set_hint(lane, name, *id);
    if (fits && !passed.contains(*id)) return id;
    any_mine = any_mine || fits;
    if (!fits && ++others == kFew && !any_mine) from = std::max(from, lanes_.hint(lane, name));
  }
  if (others >= kFew && !any_mine) lanes_.set_hint(lane, name, kLargestTaskId + 1);
  return std::nullopt;
}

void Index::keep_hints() {
  if (lanes_.has_new_hints() && file_.header().state == index_layout::WriteState::clean) save();
}

std::optional<TaskId> Index::first_ready(const std::string& member, const std::optional<std::string>& role,
                                         const std::set<TaskId>& passed) {
  const std::uint64_t me = hash_name(member);
  for (int priority = kHighestPriority; priority >= 0; --priority) {
    if (const auto mine = first_of(index_layout::owner_lane(priority, me), me, 0, passed)) return mine;
  }
  for (int priority = kHighestPriority; priority >= 0; --priority) {
    auto best = first_of(index_layout::open_lane(priority), 0, 0, passed);
    if (role) {
      const std::uint64_t wanted = static_cast<std::uint32_t>(hash_name(*role));
      const auto of_role = first_of(index_layout::role_lane(priority, wanted), 0, wanted, passed);
      if (of_role && (!best || *of_role < *best)) best = of_role;
    }
    if (best) return best;
  }
  return std::nullopt;
}

bool Index::has_ready_of(const std::string& member) {
  const std::uint64_t owner = hash_name(member);
  for (int priority = kHighestPriority; priority >= 0; --priority) {
    if (first_of(index_layout::owner_lane(priority, owner), owner, 0, {})) return true;
  }
  return false;
}

std::vector<RunningTask> Index::running() {
  std::vector<RunningTask> all;
  for (const TaskId id : lanes_.all(kRunningLane)) {
    const Record& known = file_.record(id);
    all.push_back({id, known.owner, known.lease_end});
  }
  return all;
}

bool Index::is_completed(TaskId id) {
  if (id < 1 || id > kLargestTaskId) return false;
  if (is_racy(id) || files_.stamp(id) != stamp_of(id)) look_at(id);
  return file_.record(id).status == encode(Status::completed);
}

TaskId Index::highest() { return file_.header().highest; }
std::int64_t Index::count() { return file_.header().count; }
TaskId Index::highest_blocker() { return file_.header().highest_blocker; }

Index::Facts Index::facts_of(TaskId id) {
  const Record& known = file_.record(id);
  Facts facts{.status = known.status};
  facts.priority = known.priority;
  facts.owner = known.owner;
  facts.role = known.role;
  facts.lease_end = known.lease_end;
  // Only the blockers of a pending task decide about its lane.
  if (known.status == encode(Status::pending)) facts.blockers = edges_.blockers(id);
  return facts;
}

void Index::expect_batch() {
  file_.edit_header().batch_expected = 1;
  save();
}

void Index::begin() {
  became_ready_.clear();
  file_.begin();
}

std::vector<TaskId> Index::commit(std::int64_t folder_mtime) {
  settle();
  file_.edit_header().folder_mtime = folder_mtime;
  save();
  std::sort(became_ready_.begin(), became_ready_.end());
  return std::move(became_ready_);
}

std::vector<TaskId> Index::ready_dependents(TaskId id) {
  std::vector<TaskId> ready = edges_.dependents(id);
  std::erase_if(ready, [&](TaskId dependent) { return !is_ready(dependent); });
  return ready;
}

void Index::save() {
  lanes_.hints_saved();
  file_.save();
}

std::optional<Index::Belief> Index::belief(TaskId id) {
  const Record& known = file_.record(id);
  if (known.status == kNoTask) return std::nullopt;
  if (known.status == kBroken) return Belief{std::nullopt, false};
  return Belief{static_cast<Status>(known.status - 1), is_ready(id)};
}

}  // namespace team
