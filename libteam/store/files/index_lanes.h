// The lanes of an index: the tasks in a lane as bitmaps, and hints where a search in a lane begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/store/files/index_file.h"

namespace team {

class IndexLanes {
 public:
  // `file` outlives this.
  explicit IndexLanes(IndexFile& file) : file_(file) {}

  // Moves a task from the lane of its record to this one.
  void move(TaskId id, std::uint8_t lane);
  void set_bit(std::uint8_t lane, TaskId id, bool value);
  // True if the bitmaps contradict the record of a task.
  bool is_damaged(TaskId id);

  // The lowest task of the lane from `from` on.
  std::optional<TaskId> first(std::uint8_t lane, TaskId from);
  std::vector<TaskId> all(std::uint8_t lane);

  // The lowest id at which a search for this owner or role must begin.
  TaskId hint(std::uint8_t lane, std::uint64_t name);
  void set_hint(std::uint8_t lane, std::uint64_t name, TaskId from);
  // A search for the owner or role of this task begins no later than at the task.
  void lower_hint(std::uint8_t lane, TaskId id);
  // True if a hint was set since the last hints_saved().
  bool has_new_hints() const { return has_new_hints_; }
  void hints_saved() { has_new_hints_ = false; }

 private:
  bool has_bit(std::uint8_t lane, TaskId id);
  bool is_hinted(std::uint8_t lane);

  IndexFile& file_;
  bool has_new_hints_ = false;
};

}  // namespace team
