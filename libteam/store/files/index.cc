#include "libteam/store/files/index.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"

namespace team {

namespace {

constexpr const char* kIndexFile = ".index";
constexpr std::array<char, 8> kMagic = {'t', 'e', 'a', 'm', 'i', 'd', 'x', '4'};

// A writer that dies while it changes files leaves them to be looked at; one that dies while it saves the index leaves
// the index half written, and only reading everything again helps.
enum class State : std::uint32_t { clean = 0, changing = 1, saving = 2 };

enum : std::uint8_t { kNoTask = 0, kBroken = 5 };  // between them: 1 + Status

std::uint8_t encode(Status status) { return static_cast<std::uint8_t>(1 + static_cast<int>(status)); }

// Lane 0: in progress. Lane 1: every task there is, whatever other lane it is in. Then for each priority: open to
// everybody, wanted by a role (by its hash), assigned (by the owner's hash). Few roles and owners share a lane, and the
// records tell them apart.
constexpr std::uint8_t kRunningLane = 0;
constexpr std::uint8_t kKnownLane = 1;
constexpr std::uint8_t kFirstReadyLane = 2;
constexpr std::uint8_t kNoLane = 255;
constexpr int kRoleLanes = 7;
constexpr int kOwnerLanes = 24;
constexpr int kLanesPerPriority = 1 + kRoleLanes + kOwnerLanes;
constexpr int kLanes = kFirstReadyLane + (kHighestPriority + 1) * kLanesPerPriority;

std::uint8_t open_lane(int priority) {
  return static_cast<std::uint8_t>(kFirstReadyLane + priority * kLanesPerPriority);
}
std::uint8_t role_lane(int priority, std::uint64_t role) {
  return static_cast<std::uint8_t>(open_lane(priority) + 1 + static_cast<int>(role % kRoleLanes));
}
std::uint8_t owner_lane(int priority, std::uint64_t owner) {
  return static_cast<std::uint8_t>(open_lane(priority) + 1 + kRoleLanes + static_cast<int>(owner % kOwnerLanes));
}

constexpr std::uint64_t kChunkIds = 4096;
constexpr std::uint64_t kBitmapBytes = kChunkIds / 8;
constexpr std::uint64_t kRecordBytes = 64;
constexpr std::uint64_t kEdgeBytes = 16;
constexpr std::uint64_t kSummaryBytes = 512;  // a bit per chunk: 4096 chunks
constexpr std::uint64_t kHintsStart = PagedFile::kPageSize;
constexpr std::uint64_t kSummaryStart = kHintsStart + PagedFile::kPageSize;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr std::uint64_t kChunksStart = round_up(kSummaryStart + kLanes * kSummaryBytes, PagedFile::kPageSize);
constexpr std::uint64_t kChunkRecords = round_up(kLanes * kBitmapBytes, PagedFile::kPageSize);
constexpr std::uint64_t kChunkEdges = kChunkRecords + kChunkIds * kRecordBytes;
constexpr std::uint64_t kChunkBytes = kChunkEdges + kChunkIds * kEdgeBytes;  // as many edges as ids

static_assert(kSummaryBytes * 8 * kChunkIds >= static_cast<std::uint64_t>(kLargestTaskId));

std::uint64_t chunk_of(TaskId id) { return static_cast<std::uint64_t>(id - 1) / kChunkIds; }
std::uint64_t place_in_chunk(TaskId id) { return static_cast<std::uint64_t>(id - 1) % kChunkIds; }
std::uint64_t record_offset(TaskId id) {
  return kChunksStart + chunk_of(id) * kChunkBytes + kChunkRecords + place_in_chunk(id) * kRecordBytes;
}
std::uint64_t bitmap_offset(std::uint8_t lane, std::uint64_t chunk) {
  return kChunksStart + chunk * kChunkBytes + lane * kBitmapBytes;
}
std::uint64_t summary_offset(std::uint8_t lane) { return kSummaryStart + lane * kSummaryBytes; }

// The first set bit at or after `from` in a bitmap of `bytes` bytes.
std::optional<std::uint64_t> next_bit(const std::uint64_t* words, std::uint64_t bytes, std::uint64_t from) {
  for (std::uint64_t word = from / 64; word < bytes / 8; ++word) {
    std::uint64_t bits = words[word];
    if (word == from / 64) bits &= ~std::uint64_t{0} << (from % 64);
    if (bits != 0) return word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
  }
  return std::nullopt;
}

// On kernels before 6.13 two writes within one tick of the clock leave the same mtime, so a file that is as new as our
// look at it may have changed since (git's rule for its index).
constexpr std::int64_t kTickNs = 10'000'000;

// A task and one of its blockers. Each edge is in two lists: the dependents of the blocker and the blockers of the
// dependent. 0 ends a list.
struct Edge {
  std::uint32_t dependent;  // 0: dropped; the edge stays in the list of its blocker only
  std::uint32_t blocker;
  std::uint32_t next_dependent;
  std::uint32_t next_blocker;
};
static_assert(sizeof(Edge) == kEdgeBytes);

// Where a search for one owner or role begins in a lane that it shares with others: no lower id of the lane is its own.
// A slot that two of them want holds the last one; losing a hint only costs a longer search.
struct Hint {
  std::uint64_t key;
  std::int64_t from;
};
constexpr std::uint64_t kHints = PagedFile::kPageSize / sizeof(Hint);

std::uint64_t hint_key(std::uint8_t lane, std::uint64_t name) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15;
  return (name ^ (std::uint64_t{lane} + 1) * kPrime) * kPrime;
}

std::uint64_t hint_offset(std::uint64_t key) { return kHintsStart + (key >> 32) % kHints * sizeof(Hint); }

// Numbered from 1, wherever there is room: the chunk has nothing to do with the tasks that it joins.
std::uint64_t edge_offset(std::uint32_t edge) {
  return kChunksStart + edge / kChunkIds * kChunkBytes + kChunkEdges + edge % kChunkIds * kEdgeBytes;
}

}  // namespace

struct Index::Header {
  std::array<char, 8> magic;
  std::array<char, 40> boot;
  std::uint64_t folder_inode;
  std::int64_t folder_mtime;
  State state;
  std::uint32_t edges;           // how many there are
  std::uint32_t dropped;         // and how many of these were dropped
  std::uint32_t batch_expected;  // 1: a batch may be being written
  std::int64_t highest;
  std::int64_t highest_blocker;
  std::int64_t count;
  std::int64_t cursor;
  std::int64_t swept_at;  // boot clock
  std::int64_t sweep_cost;
  std::int64_t looked_at;    // in turn, the last time
  std::int64_t round_start;  // when the cursor was at the first task
  std::int64_t round_seen;   // the start of the last round that is over: every task was looked at since then
  std::uint64_t size;        // of the file: a shorter one was cut
  std::array<std::uint64_t, (kLanes + 63) / 64> lanes;   // a bit for each lane that may hold something
  std::array<std::uint64_t, (kLanes + 63) / 64> hinted;  // and for each lane that has hints
};

struct Index::Record {
  Stamp stamp;
  std::int64_t seen_at;  // wall clock, to tell a racy stamp
  std::uint64_t owner;
  std::int64_t lease_end;
  std::uint32_t role;
  std::uint32_t first_blocker;    // edge; 0: it waits for nothing
  std::uint32_t first_dependent;  // edge; 0: nothing waits for it
  std::uint8_t status;
  std::uint8_t priority;
  std::uint8_t lane;  // 1 + lane, 0: none
  std::uint8_t unused;
};

Index::Index(const TaskFiles& files)
    : files_(files), file_(files.folder().open(kIndexFile, O_RDWR | O_CREAT)), boot_(boot_id()) {
  static_assert(sizeof(Record) <= kRecordBytes && sizeof(Header) <= PagedFile::kHeadSize);
  boot_.resize(sizeof Header::boot);
}

Index::Header& Index::header() { return file_.edit<Header>(0); }

const Index::Record& Index::record(TaskId id) { return file_.get<Record>(record_offset(id)); }

Index::Record& Index::edit_record(TaskId id) { return file_.edit<Record>(record_offset(id)); }

bool Index::is_void() {
  const Header& now = file_.get<Header>(0);
  return now.magic != kMagic || std::memcmp(now.boot.data(), boot_.data(), now.boot.size()) != 0 ||
         now.folder_inode != files_.folder().inode() || now.state == State::saving || file_.size() != now.size;
}

void Index::reset() {
  file_.clear();
  changed_.clear();
  affected_.clear();
  Header& fresh = header();
  fresh.magic = kMagic;
  std::memcpy(fresh.boot.data(), boot_.data(), fresh.boot.size());
  fresh.folder_inode = files_.folder().inode();
}

void Index::refresh(Care care) {
  try {
    bring_up_to_date(care);
  } catch (const Damage&) {
    rebuild();
  }
}

void Index::bring_up_to_date(Care care) {
  if (is_void()) {
    rebuild();
    return;
  }
  // An edit of somebody else's that fell into the same tick as one of ours, or one in place, must not stay unseen: a
  // sweep is due from time to time, more rarely if looking in turn has come round.
  constexpr std::int64_t kLongestTrust = 60'000'000'000, kSweepAtLeast = 20;
  const Header& now = file_.get<Header>(0);
  const std::int64_t trust = std::max(kLongestTrust, 200 * now.sweep_cost);
  const std::int64_t moment = boot_ns();
  const bool is_due =
      moment - std::max(now.swept_at, now.round_seen) > trust || moment - now.swept_at > kSweepAtLeast * trust;
  if (now.state != State::clean || !is_current() || is_due) {
    sweep();
    return;
  }
  if (now.batch_expected != 0) header().batch_expected = files_.settle() ? 1 : 0;
  if (care == Care::usual) look_at_next();
}

void Index::rebuild() {
  reset();
  sweep();
}

bool Index::is_current() { return file_.get<Header>(0).folder_mtime == files_.folder().mtime_ns(); }

bool Index::swept_lately() {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return boot_ns() - file_.get<Header>(0).swept_at < kSecond;
}

void Index::look_at_next() {
  // Each look costs a thousandth of a command. As many as it takes to come round in some seconds, but no command pays
  // for those before it that did not come.
  constexpr std::int64_t kFewest = 8, kMost = 256;
  constexpr double kRound = 5e9;
  Header& now = header();
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
  header().batch_expected = files_.settle() ? 1 : 0;
  // Taken before the listing: a change during it makes the next refresh look again.
  const std::int64_t mtime = files_.folder().mtime_ns();
  const std::vector<TaskId> ids = files_.ids();
  for (const TaskId id : all_in_lane(kKnownLane)) {
    if (!std::binary_search(ids.begin(), ids.end(), id)) forget(id);
  }
  for (const TaskId id : ids) {
    if (is_racy(id) || files_.stamp(id) != stamp_of(id) || is_damaged(id)) look_at(id);
  }
  settle();
  // Every task has been looked at: one that stands in the wrong lane now would stay there.
  for (const TaskId id : ids) {
    if (record(id).lane != static_cast<std::uint8_t>(lane_of(facts_of(id)) + 1)) look_at(id);
  }
  settle();
  if (has_too_many_dropped_edges()) {
    rebuild();
    return;
  }
  Header& now = header();
  now.highest = ids.empty() ? 0 : ids.back();
  now.count = static_cast<std::int64_t>(ids.size());
  now.folder_mtime = mtime;
  now.swept_at = start;
  now.sweep_cost = boot_ns() - start;
  save();
  became_ready_.clear();
}

std::optional<Stamp> Index::stamp_of(TaskId id) {
  const Record& known = record(id);
  return known.status == kNoTask ? std::nullopt : std::optional(known.stamp);
}

bool Index::is_racy(TaskId id) { return record(id).stamp.mtime_ns + kTickNs > record(id).seen_at; }

// A bit that its record knows of and that is not there: somebody wrote into the file.
bool Index::is_damaged(TaskId id) {
  const std::uint8_t lane = record(id).lane;
  return !has_bit(kKnownLane, id) || (lane != 0 && !has_bit(static_cast<std::uint8_t>(lane - 1), id));
}

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
    const bool this_boot = boot_.compare(0, task.lease->boot.size(), task.lease->boot) == 0;
    constexpr double kLatest = 9e18;  // in nanoseconds, some 285 years: whoever edits a file may write any number
    facts.lease_end = this_boot ? static_cast<std::int64_t>(std::clamp(task.lease->until * 1e9, 1.0, kLatest)) : 1;
  }
  remember(task.id, facts, stamp);
}

void Index::remember(TaskId id, const Facts& facts, const Stamp& stamp) {
  Record& known = edit_record(id);
  const bool was_completed = known.status == encode(Status::completed);
  if (known.status == kNoTask) ++header().count;
  if (is_damaged(id)) known.lane = 0;
  set_bit(kKnownLane, id, true);
  known.stamp = stamp;
  known.seen_at = now_ns();
  known.owner = facts.owner;
  known.lease_end = facts.lease_end;
  known.role = static_cast<std::uint32_t>(facts.role);
  known.status = facts.status;
  known.priority = static_cast<std::uint8_t>(facts.priority);
  Header& now = header();
  now.highest = std::max(now.highest, id);
  if (facts.status != kBroken) set_blockers(id, facts.blockers);  // a broken file may still wait for the same tasks
  if (was_completed != (facts.status == encode(Status::completed))) {
    for (const TaskId dependent : dependents(id)) affected_.insert(dependent);
  }
  changed_[id] = facts;
}

void Index::forget(TaskId id) {
  Record& known = edit_record(id);
  if (known.status == kNoTask) return;
  --header().count;
  if (known.status == encode(Status::completed)) {
    for (const TaskId dependent : dependents(id)) affected_.insert(dependent);
  }
  if (known.lane != 0) move_to_lane(id, kNoLane);
  set_bit(kKnownLane, id, false);
  set_blockers(id, {});
  const std::uint32_t first_dependent = known.first_dependent;  // others may still wait for it
  known = Record{};
  known.first_dependent = first_dependent;
  changed_.erase(id);
}

// Puts every task that changed, or whose blockers did, into its lane.
void Index::settle() {
  while (!affected_.empty()) {
    const TaskId id = affected_.extract(affected_.begin()).value();
    if (!changed_.contains(id) && record(id).status == encode(Status::pending)) look_at(id);
  }
  for (const auto& [id, facts] : changed_) {
    const std::uint8_t lane = lane_of(facts);
    const std::uint8_t before = record(id).lane;
    if (lane >= kFirstReadyLane && lane != kNoLane) lower_hint(lane, id);
    if (before == static_cast<std::uint8_t>(lane + 1)) continue;
    move_to_lane(id, lane);
    if (is_ready(id)) became_ready_.push_back(id);
  }
  changed_.clear();
}

bool Index::is_ready(TaskId id) { return record(id).lane > kFirstReadyLane; }

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
    if (record(blocker).status != encode(Status::completed)) return kNoLane;
  }
  if (facts.owner != 0) return owner_lane(facts.priority, facts.owner);
  if (facts.role != 0) return role_lane(facts.priority, static_cast<std::uint32_t>(facts.role));
  return open_lane(facts.priority);
}

void Index::move_to_lane(TaskId id, std::uint8_t lane) {
  Record& known = edit_record(id);
  if (known.lane != 0) set_bit(static_cast<std::uint8_t>(known.lane - 1), id, false);
  known.lane = static_cast<std::uint8_t>(lane + 1);  // kNoLane becomes 0
  if (known.lane != 0) set_bit(lane, id, true);
}

void Index::set_bit(std::uint8_t lane, TaskId id, bool value) {
  using Words = std::uint64_t[kBitmapBytes / 8];
  using Summary = std::uint64_t[kSummaryBytes / 8];
  const std::uint64_t chunk = chunk_of(id);
  const std::uint64_t place = place_in_chunk(id);
  if (has_bit(lane, id) == value) return;
  auto& words = file_.edit<Words>(bitmap_offset(lane, chunk));
  const bool had_any = next_bit(words, kBitmapBytes, 0).has_value();
  words[place / 64] ^= std::uint64_t{1} << (place % 64);
  // That a chunk or a lane is empty is left to be found out by the next one who looks for something there.
  if (!value || had_any) return;
  const std::uint64_t chunk_bit = std::uint64_t{1} << (chunk % 64);
  const bool is_known = (file_.get<Summary>(summary_offset(lane))[chunk / 64] & chunk_bit) != 0;
  if (!is_known) file_.edit<Summary>(summary_offset(lane))[chunk / 64] |= chunk_bit;
  header().lanes[lane / 64] |= std::uint64_t{1} << (lane % 64);
}

bool Index::has_bit(std::uint8_t lane, TaskId id) {
  using Words = std::uint64_t[kBitmapBytes / 8];
  const std::uint64_t place = place_in_chunk(id);
  return (file_.get<Words>(bitmap_offset(lane, chunk_of(id)))[place / 64] >> (place % 64) & 1) != 0;
}

std::vector<TaskId> Index::all_in_lane(std::uint8_t lane) {
  std::vector<TaskId> all;
  for (auto id = first_in_lane(lane, 1); id; id = *id < kLargestTaskId ? first_in_lane(lane, *id + 1) : std::nullopt) {
    if (*id > header().highest) break;  // damage: no task has that number
    all.push_back(*id);
  }
  return all;
}

std::optional<TaskId> Index::first_in_lane(std::uint8_t lane, TaskId from) {
  if ((file_.get<Header>(0).lanes[lane / 64] >> (lane % 64) & 1) == 0) return std::nullopt;
  using Words = std::uint64_t[kBitmapBytes / 8];
  using Summary = std::uint64_t[kSummaryBytes / 8];
  std::uint64_t place = place_in_chunk(from);
  int spared =
      lane == kRunningLane ? 1 : 0;  // where one task is taken and ended after the other: it will be used again
  for (std::uint64_t start = chunk_of(from); start < kSummaryBytes * 8; ++start, place = 0) {
    const auto chunk = next_bit(file_.get<Summary>(summary_offset(lane)), kSummaryBytes, start);
    if (!chunk) break;
    if (*chunk != start) place = 0;
    start = *chunk;
    const auto& words = file_.get<Words>(bitmap_offset(lane, start));
    if (const auto bit = next_bit(words, kBitmapBytes, place)) return static_cast<TaskId>(start * kChunkIds + *bit + 1);
    const bool is_empty = place == 0 || !next_bit(words, kBitmapBytes, 0);
    if (is_empty && --spared < 0)
      file_.edit<Summary>(summary_offset(lane))[start / 64] &= ~(std::uint64_t{1} << (start % 64));
  }
  if (!next_bit(file_.get<Summary>(summary_offset(lane)), kSummaryBytes, 0)) {
    header().lanes[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
  }
  return std::nullopt;
}

std::optional<TaskId> Index::first_of(std::uint8_t lane, std::uint64_t owner, std::uint64_t role,
                                      const std::set<TaskId>& passed) {
  constexpr int kFew = 32;  // others' tasks that are passed over before a hint is worth its page
  const std::uint64_t name = owner != 0 ? owner : role;
  int others = 0;
  bool any_mine = false;
  for (TaskId from = 1; from <= kLargestTaskId;) {
    const auto id = first_in_lane(lane, from);
    if (!id) break;
    from = *id + 1;
    const Record& known = record(*id);
    if (*id > header().highest || known.lane != lane + 1) {
      rebuild();  // damage: then the lane holds what it should
      return first_of(lane, owner, role, passed);
    }
    const bool fits = known.owner == owner && (owner != 0 || known.role == static_cast<std::uint32_t>(role));
    if (fits && others >= kFew && !any_mine) set_hint(lane, name, *id);
    if (fits && !passed.contains(*id)) return id;
    any_mine = any_mine || fits;
    if (!fits && ++others == kFew && !any_mine) from = std::max(from, hint(lane, name));
  }
  if (others >= kFew && !any_mine) set_hint(lane, name, kLargestTaskId + 1);
  return std::nullopt;
}

bool Index::is_hinted(std::uint8_t lane) { return (file_.get<Header>(0).hinted[lane / 64] >> (lane % 64) & 1) != 0; }

TaskId Index::hint(std::uint8_t lane, std::uint64_t name) {
  if (!is_hinted(lane)) return 1;
  const std::uint64_t key = hint_key(lane, name);
  const auto& found = file_.get<Hint>(hint_offset(key));
  return found.key == key ? found.from : 1;
}

void Index::set_hint(std::uint8_t lane, std::uint64_t name, TaskId from) {
  if (hint(lane, name) == from) return;
  const std::uint64_t key = hint_key(lane, name);
  file_.edit<Hint>(hint_offset(key)) = {key, from};
  header().hinted[lane / 64] |= std::uint64_t{1} << (lane % 64);
  has_new_hints_ = true;
}

void Index::keep_hints() {
  if (has_new_hints_ && file_.get<Header>(0).state == State::clean) save();
}

// A search for the owner or role of this task must not begin behind it.
void Index::lower_hint(std::uint8_t lane, TaskId id) {
  if (!is_hinted(lane)) return;
  const Record& known = record(id);
  const std::uint64_t name = known.owner != 0 ? known.owner : known.role;
  if (hint(lane, name) > id) set_hint(lane, name, id);
}

std::optional<TaskId> Index::first_ready(const std::string& member, const std::optional<std::string>& role,
                                         const std::set<TaskId>& passed) {
  const std::uint64_t me = hash_name(member);
  for (int priority = kHighestPriority; priority >= 0; --priority) {
    if (const auto mine = first_of(owner_lane(priority, me), me, 0, passed)) return mine;
  }
  for (int priority = kHighestPriority; priority >= 0; --priority) {
    auto best = first_of(open_lane(priority), 0, 0, passed);
    if (role) {
      const std::uint64_t wanted = static_cast<std::uint32_t>(hash_name(*role));
      const auto of_role = first_of(role_lane(priority, wanted), 0, wanted, passed);
      if (of_role && (!best || *of_role < *best)) best = of_role;
    }
    if (best) return best;
  }
  return std::nullopt;
}

bool Index::has_ready_of(const std::string& member) {
  const std::uint64_t owner = hash_name(member);
  for (int priority = kHighestPriority; priority >= 0; --priority) {
    if (first_of(owner_lane(priority, owner), owner, 0, {})) return true;
  }
  return false;
}

std::vector<RunningTask> Index::running() {
  std::vector<RunningTask> all;
  for (const TaskId id : all_in_lane(kRunningLane)) all.push_back({id, record(id).owner, record(id).lease_end});
  return all;
}

bool Index::is_completed(TaskId id) {
  if (id < 1 || id > kLargestTaskId) return false;
  if (is_racy(id) || files_.stamp(id) != stamp_of(id)) look_at(id);
  return record(id).status == encode(Status::completed);
}

TaskId Index::highest() { return header().highest; }
std::int64_t Index::count() { return header().count; }
TaskId Index::highest_blocker() { return header().highest_blocker; }

std::vector<TaskId> Index::dependents(TaskId id) {
  std::vector<TaskId> found;
  std::uint32_t edge = record(id).first_dependent;
  for (std::uint32_t steps = header().edges; edge != 0; --steps) {
    if (steps == 0) throw Damage();  // a ring
    const Edge& entry = file_.get<Edge>(edge_offset(edge));
    if (entry.dependent != 0) found.push_back(entry.dependent);
    edge = entry.next_dependent;
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::uint32_t> Index::edges_to_blockers(TaskId id) {
  std::vector<std::uint32_t> found;
  std::uint32_t edge = record(id).first_blocker;
  for (std::uint32_t steps = header().edges; edge != 0; --steps) {
    if (steps == 0) throw Damage();
    found.push_back(edge);
    edge = file_.get<Edge>(edge_offset(edge)).next_blocker;
  }
  return found;
}

// Makes these, and no others, the blockers of a task. Most often they are already.
void Index::set_blockers(TaskId id, std::vector<TaskId> wanted) {
  if (wanted.empty() && record(id).first_blocker == 0) return;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::map<TaskId, std::uint32_t> known;
  for (const std::uint32_t edge : edges_to_blockers(id)) known[file_.get<Edge>(edge_offset(edge)).blocker] = edge;
  if (std::equal(known.begin(), known.end(), wanted.begin(), wanted.end(),
                 [](const auto& entry, TaskId blocker) { return entry.first == blocker; })) {
    return;
  }
  std::uint32_t first = 0;
  for (const TaskId blocker : wanted) {
    const auto kept = known.find(blocker);
    const std::uint32_t edge = kept != known.end() ? kept->second : add_edge(blocker, id);
    file_.edit<Edge>(edge_offset(edge)).next_blocker = first;
    first = edge;
    known.erase(blocker);
  }
  edit_record(id).first_blocker = first;
  for (const auto& [blocker, edge] : known) {
    file_.edit<Edge>(edge_offset(edge)).dependent = 0;
    ++header().dropped;
  }
}

std::uint32_t Index::add_edge(TaskId blocker, TaskId dependent) {
  Header& now = header();
  now.highest_blocker = std::max(now.highest_blocker, blocker);
  Record& head = edit_record(blocker);
  const std::uint32_t edge = ++now.edges;
  file_.edit<Edge>(edge_offset(edge)) = {static_cast<std::uint32_t>(dependent), static_cast<std::uint32_t>(blocker),
                                         head.first_dependent, 0};
  head.first_dependent = edge;
  return edge;
}

// A dropped edge keeps its place until the index is built anew.
bool Index::has_too_many_dropped_edges() {
  constexpr std::uint32_t kFew = 4096;
  const Header& now = file_.get<Header>(0);
  return now.dropped > kFew && now.dropped > now.edges / 2;
}

Index::Facts Index::facts_of(TaskId id) {
  const Record& known = record(id);
  Facts facts{.status = known.status};
  facts.priority = known.priority;
  facts.owner = known.owner;
  facts.role = known.role;
  facts.lease_end = known.lease_end;
  if (known.status != encode(Status::pending)) return facts;  // nobody asks
  for (const std::uint32_t edge : edges_to_blockers(id)) {
    facts.blockers.push_back(file_.get<Edge>(edge_offset(edge)).blocker);
  }
  return facts;
}

void Index::expect_batch() {
  header().batch_expected = 1;
  save();
}

void Index::begin() {
  became_ready_.clear();
  header().state = State::changing;
  file_.flush_first_page();
}

std::vector<TaskId> Index::commit(std::int64_t folder_mtime) {
  settle();
  header().folder_mtime = folder_mtime;
  save();
  std::sort(became_ready_.begin(), became_ready_.end());
  return std::move(became_ready_);
}

std::vector<TaskId> Index::ready_dependents(TaskId id) {
  std::vector<TaskId> ready = dependents(id);
  std::erase_if(ready, [&](TaskId dependent) { return !is_ready(dependent); });
  return ready;
}

// A disk that is full only costs us the cache: the files are what counts, and the next one sees that this was not
// finished.
void Index::save() {
  has_new_hints_ = false;
  header().state = State::saving;
  if (!file_.flush_first_page() || !file_.flush()) return;
  header().size = file_.size();
  header().state = State::clean;
  file_.flush_first_page();
}

std::optional<Index::Belief> Index::belief(TaskId id) {
  const Record& known = record(id);
  if (known.status == kNoTask) return std::nullopt;
  if (known.status == kBroken) return Belief{std::nullopt, false};
  return Belief{static_cast<Status>(known.status - 1), is_ready(id)};
}

}  // namespace team
