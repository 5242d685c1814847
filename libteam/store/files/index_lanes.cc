#include "libteam/store/files/index_lanes.h"

#include <bit>

namespace team {

using index_layout::chunk_of;
using index_layout::kBitmapBytes;
using index_layout::kChunkIds;
using index_layout::kKnownLane;
using index_layout::kRunningLane;
using index_layout::kSummaryBytes;
using index_layout::place_in_chunk;

namespace {

// The first set bit at or after `from` in a bitmap of `bytes` bytes.
std::optional<std::uint64_t> next_bit(const std::uint64_t* words, std::uint64_t bytes, std::uint64_t from) {
  for (std::uint64_t word = from / 64; word < bytes / 8; ++word) {
    std::uint64_t bits = words[word];
    if (word == from / 64) bits &= ~std::uint64_t{0} << (from % 64);
    if (bits != 0) return word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
  }
  return std::nullopt;
}

std::uint64_t hint_key(std::uint8_t lane, std::uint64_t name) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15;
  return (name ^ (std::uint64_t{lane} + 1) * kPrime) * kPrime;
}

}  // namespace

void IndexLanes::move(TaskId id, std::uint8_t lane) {
  IndexFile::Record& known = file_.edit_record(id);
  if (known.lane != 0) set_bit(static_cast<std::uint8_t>(known.lane - 1), id, false);
  known.lane = static_cast<std::uint8_t>(lane + 1);  // kNoLane becomes 0
  if (known.lane != 0) set_bit(lane, id, true);
}

void IndexLanes::set_bit(std::uint8_t lane, TaskId id, bool value) {
  const std::uint64_t chunk = chunk_of(id);
  const std::uint64_t place = place_in_chunk(id);
  if (has_bit(lane, id) == value) return;
  auto& words = file_.edit_bitmap(lane, chunk);
  const bool had_any = next_bit(words, kBitmapBytes, 0).has_value();
  words[place / 64] ^= std::uint64_t{1} << (place % 64);
  // The next search in an empty chunk or lane clears its bit.
  if (!value || had_any) return;
  const std::uint64_t chunk_bit = std::uint64_t{1} << (chunk % 64);
  const bool is_known = (file_.summary(lane)[chunk / 64] & chunk_bit) != 0;
  if (!is_known) file_.edit_summary(lane)[chunk / 64] |= chunk_bit;
  file_.edit_header().lanes[lane / 64] |= std::uint64_t{1} << (lane % 64);
}

bool IndexLanes::has_bit(std::uint8_t lane, TaskId id) {
  const std::uint64_t place = place_in_chunk(id);
  return (file_.bitmap(lane, chunk_of(id))[place / 64] >> (place % 64) & 1) != 0;
}

// The record names a lane whose bit is not set: somebody wrote into the file.
bool IndexLanes::is_damaged(TaskId id) {
  const std::uint8_t lane = file_.record(id).lane;
  return !has_bit(kKnownLane, id) || (lane != 0 && !has_bit(static_cast<std::uint8_t>(lane - 1), id));
}

std::vector<TaskId> IndexLanes::all(std::uint8_t lane) {
  std::vector<TaskId> all;
  for (auto id = first(lane, 1); id; id = *id < kLargestTaskId ? first(lane, *id + 1) : std::nullopt) {
    if (*id > file_.header().highest) break;  // damage: no task has that number
    all.push_back(*id);
  }
  return all;
}

std::optional<TaskId> IndexLanes::first(std::uint8_t lane, TaskId from) {
  if ((file_.header().lanes[lane / 64] >> (lane % 64) & 1) == 0) return std::nullopt;
  std::uint64_t place = place_in_chunk(from);
  // Where tasks are claimed and completed one after the other, a running lane is often empty and soon used again: one
  // empty chunk keeps its bit.
  int spared = lane == kRunningLane ? 1 : 0;
  for (std::uint64_t start = chunk_of(from); start < kSummaryBytes * 8; ++start, place = 0) {
    const auto chunk = next_bit(file_.summary(lane), kSummaryBytes, start);
    if (!chunk) break;
    if (*chunk != start) place = 0;
    start = *chunk;
    const auto& words = file_.bitmap(lane, start);
    if (const auto bit = next_bit(words, kBitmapBytes, place)) return static_cast<TaskId>(start * kChunkIds + *bit + 1);
    const bool is_empty = place == 0 || !next_bit(words, kBitmapBytes, 0);
    if (is_empty && --spared < 0) file_.edit_summary(lane)[start / 64] &= ~(std::uint64_t{1} << (start % 64));
  }
  if (!next_bit(file_.summary(lane), kSummaryBytes, 0)) {
    file_.edit_header().lanes[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
  }
  return std::nullopt;
}

bool IndexLanes::is_hinted(std::uint8_t lane) { return (file_.header().hinted[lane / 64] >> (lane % 64) & 1) != 0; }

TaskId IndexLanes::hint(std::uint8_t lane, std::uint64_t name) {
  if (!is_hinted(lane)) return 1;
  const std::uint64_t key = hint_key(lane, name);
  const IndexFile::Hint& found = file_.hint(key);
  return found.key == key ? found.from : 1;
}

void IndexLanes::set_hint(std::uint8_t lane, std::uint64_t name, TaskId from) {
  if (hint(lane, name) == from) return;
  const std::uint64_t key = hint_key(lane, name);
  file_.edit_hint(key) = {key, from};
  file_.edit_header().hinted[lane / 64] |= std::uint64_t{1} << (lane % 64);
  has_new_hints_ = true;
}

void IndexLanes::lower_hint(std::uint8_t lane, TaskId id) {
  if (!is_hinted(lane)) return;
  const IndexFile::Record& known = file_.record(id);
  const std::uint64_t name = known.owner != 0 ? known.owner : known.role;
  if (hint(lane, name) > id) set_hint(lane, name, id);
}

}  // namespace team
