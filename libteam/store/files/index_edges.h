// The edges of an index: which task waits for which.
#pragma once

#include <cstdint>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/store/files/index_file.h"

namespace team {

class IndexEdges {
 public:
  // `file` outlives this.
  explicit IndexEdges(IndexFile& file) : file_(file) {}

  // The tasks with an edge to this blocker, in the order of their ids.
  std::vector<TaskId> dependents(TaskId id);
  std::vector<TaskId> blockers(TaskId id);
  // Makes these, and no others, the blockers of a task.
  void set_blockers(TaskId id, std::vector<TaskId> wanted);
  // A dropped edge keeps its place until the index is built anew. True if that is worth it.
  bool has_too_many_dropped();

 private:
  std::vector<std::uint32_t> edges_to_blockers(TaskId id);
  std::uint32_t add(TaskId blocker, TaskId dependent);

  IndexFile& file_;
};

}  // namespace team
