#include "libteam/serve/task_cache.h"

namespace team {

namespace {

constexpr double kLongest = 0.1;
constexpr std::size_t kMost = 1000;
// The version of a board in files is a time, whose last digits some file systems do not have. A board that changed less
// than this time ago may change once more without another version.
constexpr std::int64_t kTick = 50'000'000;

bool is_settled(std::int64_t version) { return version + kTick < now_ns(); }

}  // namespace

std::string TaskCache::get(const std::string& team, TaskId id, const Board& board,
                           const std::function<std::string()>& read) {
  const std::int64_t version = board.changed_at();
  const std::pair key(team, id);
  {
    const std::lock_guard guard(mutex_);
    const auto found = entries_.find(key);
    const bool is_valid = found != entries_.end() && found->second.version == version && !found->second.end.passed();
    if (is_valid) return found->second.json;
  }
  const bool is_kept = is_settled(version);
  Entry entry{version, Deadline::in(kLongest), read()};
  std::string json = entry.json;
  const std::lock_guard guard(mutex_);
  if (entries_.size() >= kMost) entries_.clear();
  if (is_kept) entries_.insert_or_assign(key, std::move(entry));
  return json;
}

}  // namespace team
