// Tasks that were read lately, as JSON. To find the tasks that wait for a task takes hundreds of system calls.
//
// A cached text is used while the version of its board is the same. A change by a program is therefore visible in the
// next read. The version does not show an edit in place, so a text is used for a tenth of a second at most. Several
// threads may use a cache.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/record/task.h"
#include "libteam/store/board.h"

namespace team {

class TaskCache {
 public:
  // The JSON of a task of this team, from the cache or else from `read`, whose errors are passed on.
  std::string get(const std::string& team, TaskId id, const Board& board, const std::function<std::string()>& read);

 private:
  struct Entry {
    std::int64_t version;  // of the board, before it was read
    Deadline end;
    std::string json;
  };
  std::mutex mutex_;
  std::map<std::pair<std::string, TaskId>, Entry> entries_;
};

}  // namespace team
