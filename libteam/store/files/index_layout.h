// The layout of `.tasks/.index`.
//
// The file begins with a header, a page of hints and one summary bitmap per lane. Then come chunks of 4096 ids each. A
// chunk has a bitmap per lane, a 64-byte record per task and room for as many edges. A lane holds the tasks that are
// ready for the same reason. An edge joins a task and one of its blockers; linked lists lead from a task to its
// blockers and from a blocker to its dependents.
#pragma once

#include <array>
#include <cstdint>

#include "libteam/record/task.h"
#include "libteam/store/files/task_files.h"
#include "libteam/system/paged_file.h"

namespace team::index_layout {

constexpr std::array<char, 8> kMagic = {'t', 'e', 'a', 'm', 'i', 'd', 'x', '4'};

// A writer that dies while it changes files leaves `changing`: the files must be looked at. A writer that dies while it
// saves the index leaves `saving`: the index is half written, and all files must be read again.
enum class WriteState : std::uint32_t { clean = 0, changing = 1, saving = 2 };

// The status of a record.
enum : std::uint8_t { kNoTask = 0, kBroken = 5 };  // between them: 1 + Status
constexpr std::uint8_t encode(Status status) { return static_cast<std::uint8_t>(1 + static_cast<int>(status)); }

// Lane 0: in progress. Lane 1: every known task, which may be in another lane too. Then for each priority: open to
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

constexpr std::uint8_t open_lane(int priority) {
  return static_cast<std::uint8_t>(kFirstReadyLane + priority * kLanesPerPriority);
}
constexpr std::uint8_t role_lane(int priority, std::uint64_t role) {
  return static_cast<std::uint8_t>(open_lane(priority) + 1 + static_cast<int>(role % kRoleLanes));
}
constexpr std::uint8_t owner_lane(int priority, std::uint64_t owner) {
  return static_cast<std::uint8_t>(open_lane(priority) + 1 + kRoleLanes + static_cast<int>(owner % kOwnerLanes));
}

struct Header {
  std::array<char, 8> magic;
  std::array<char, 40> boot;
  std::uint64_t folder_inode;
  std::int64_t folder_mtime;
  WriteState state;
  std::uint32_t edges;           // the number of all edges
  std::uint32_t dropped;         // the number of dropped edges
  std::uint32_t batch_expected;  // 1: a batch may be being written
  std::int64_t highest;
  std::int64_t highest_blocker;
  std::int64_t count;
  std::int64_t cursor;
  std::int64_t swept_at;  // boot clock
  std::int64_t sweep_cost;
  std::int64_t looked_at;    // in turn, the last time
  std::int64_t round_start;  // when the cursor was at the first task
  std::int64_t round_seen;   // the start of the last complete round: every task was looked at since then
  std::uint64_t size;        // of the file: a shorter one was cut
  std::array<std::uint64_t, (kLanes + 63) / 64> lanes;   // a bit for each lane that may hold something
  std::array<std::uint64_t, (kLanes + 63) / 64> hinted;  // a bit for each lane that has hints
};

struct Record {
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

// A task and one of its blockers. Each edge is in two lists: the dependents of the blocker and the blockers of the
// dependent. 0 ends a list.
struct Edge {
  std::uint32_t dependent;  // 0: dropped; the edge stays in the list of its blocker only
  std::uint32_t blocker;
  std::uint32_t next_dependent;
  std::uint32_t next_blocker;
};

// Where a search for one owner or role begins in a lane that it shares with others: no lower id of the lane is its own.
// Two searches may share a slot; it holds the last hint. A lost hint only costs a longer search.
struct Hint {
  std::uint64_t key;
  std::int64_t from;
};

constexpr std::uint64_t kChunkIds = 4096;
constexpr std::uint64_t kBitmapBytes = kChunkIds / 8;
constexpr std::uint64_t kRecordBytes = 64;
constexpr std::uint64_t kEdgeBytes = 16;
constexpr std::uint64_t kSummaryBytes = 512;  // a bit per chunk: 4096 chunks
constexpr std::uint64_t kHints = PagedFile::kPageSize / sizeof(Hint);
constexpr std::uint64_t kHintsStart = PagedFile::kPageSize;
constexpr std::uint64_t kSummaryStart = kHintsStart + PagedFile::kPageSize;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr std::uint64_t kChunksStart = round_up(kSummaryStart + kLanes * kSummaryBytes, PagedFile::kPageSize);
constexpr std::uint64_t kChunkRecords = round_up(kLanes * kBitmapBytes, PagedFile::kPageSize);
constexpr std::uint64_t kChunkEdges = kChunkRecords + kChunkIds * kRecordBytes;
constexpr std::uint64_t kChunkBytes = kChunkEdges + kChunkIds * kEdgeBytes;  // as many edges as ids

static_assert(sizeof(Record) <= kRecordBytes && sizeof(Header) <= PagedFile::kHeadSize);
static_assert(sizeof(Edge) == kEdgeBytes);
static_assert(kSummaryBytes * 8 * kChunkIds >= static_cast<std::uint64_t>(kLargestTaskId));

constexpr std::uint64_t chunk_of(TaskId id) { return static_cast<std::uint64_t>(id - 1) / kChunkIds; }
constexpr std::uint64_t place_in_chunk(TaskId id) { return static_cast<std::uint64_t>(id - 1) % kChunkIds; }
constexpr std::uint64_t record_offset(TaskId id) {
  return kChunksStart + chunk_of(id) * kChunkBytes + kChunkRecords + place_in_chunk(id) * kRecordBytes;
}
constexpr std::uint64_t bitmap_offset(std::uint8_t lane, std::uint64_t chunk) {
  return kChunksStart + chunk * kChunkBytes + lane * kBitmapBytes;
}
constexpr std::uint64_t summary_offset(std::uint8_t lane) { return kSummaryStart + lane * kSummaryBytes; }
// Edges are numbered from 1. The chunk of an edge has nothing to do with the tasks that it joins.
constexpr std::uint64_t edge_offset(std::uint32_t edge) {
  return kChunksStart + edge / kChunkIds * kChunkBytes + kChunkEdges + edge % kChunkIds * kEdgeBytes;
}
constexpr std::uint64_t hint_offset(std::uint64_t key) { return kHintsStart + (key >> 32) % kHints * sizeof(Hint); }

}  // namespace team::index_layout
