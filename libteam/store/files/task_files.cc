#include "libteam/store/files/task_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/system/flock.h"
#include "libteam/system/lock.h"
#include "libteam/system/random.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

constexpr int kMarkWidth = 10;

std::string lock_of_batch(std::string_view name) { return std::string(name).append(layout::kBatchLockSuffix); }

std::string text_of(const Task& task) {
  std::string text = to_file(task);
  const std::size_t most = JsonLimits{}.bytes;
  if (text.size() > most) fail(Code::invalid_state, "task {} would be larger than {} bytes", task.id, most);
  return text;
}

}  // namespace

std::optional<TaskFile> TaskFiles::read(TaskId id) const {
  const auto contents = folder_.read(layout::task_file(id), JsonLimits{}.bytes);
  if (!contents) return std::nullopt;
  return TaskFile{parse_task(contents->text, id, path_of(id)), contents->stamp};
}

std::vector<TaskId> TaskFiles::ids() const {
  std::vector<TaskId> ids;
  folder_.each_name([&](const char* name) {
    if (const auto id = layout::task_of(name)) ids.push_back(*id);
  });
  std::sort(ids.begin(), ids.end());
  return ids;
}

TaskId TaskFiles::highest_given() const {
  constexpr std::size_t kMost = 64;
  const auto contents = folder_.read(layout::kHighWatermark, kMost);
  if (!contents || contents->text.empty()) return 0;
  std::string mark = first_line(contents->text);
  mark.resize(mark.find_last_not_of(' ') + 1);
  const auto id = parse_integer(mark);
  if (!id) fail(Code::corrupt, "{}:1:1: not a number", folder_.path_of(layout::kHighWatermark));
  if (*id > kLargestTaskId)
    fail(Code::corrupt, "{}:1:1: above {}", folder_.path_of(layout::kHighWatermark), kLargestTaskId);
  return *id;
}

void TaskFiles::give(TaskId id, Durability durability) const {
  // In place, and always as long: a few bytes are written whole, and a number that is taken back leaves no rest.
  const Fd fd = folder_.open(layout::kHighWatermark, O_WRONLY | O_CREAT);
  const std::string text = fmt::format("{:<{}}\n", id, kMarkWidth);
  if (::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    fail_errno("cannot write", folder_.path_of(layout::kHighWatermark));
  }
  if (durability == Durability::power && ::fdatasync(fd.get()) != 0) {
    fail_errno("cannot write", folder_.path_of(layout::kHighWatermark));
  }
}

const Folder& TaskFiles::scratch() const {
  if (!scratch_) scratch_.emplace(folder_.make_beneath(layout::kScratch, durability_));
  return *scratch_;
}

// The board's lock guards the scratch folder: nobody sweeps it without.
NewFile TaskFiles::prepare(const Task& task) const {
  return NewFile(scratch(), text_of(task), durability_, NewFile::Guard::callers_lock);
}

bool TaskFiles::create(const std::vector<Task>& tasks, std::vector<Stamp>& stamps,
                       const std::function<bool()>& undisturbed) const {
  if (tasks.size() > 1) {
    TaskBatch batch(*this);
    batch.write(tasks);
    stamps = batch.stamps();
    return batch.commit(undisturbed);
  }
  NewFile file = prepare(tasks[0]);
  stamps = {file.stamp()};
  if (!undisturbed() || !file.create(folder_, layout::task_file(tasks[0].id))) return false;
  changed_at_ = file.folder_mtime();
  return true;
}

// 1. Everything is written where nobody looks. 2. One rename decides. 3. Moves the files to their places. If this
// process dies in the middle, the next process that looks continues.
TaskBatch::TaskBatch(const TaskFiles& files)
    : files_(files), name_(fmt::format("{}{:016x}", layout::kBatchPrefix, random_number())) {
  try {
    lock_ = Lock::try_acquire(files.scratch(), lock_of_batch(name_));
  } catch (const Error&) {
    files.scratch().remove(lock_of_batch(name_));
    throw;
  }
}

TaskBatch::~TaskBatch() {
  try {
    if (!committed_ && folder_) files_.scratch().remove_tree(name_);
    files_.scratch().remove(lock_of_batch(name_));
  } catch (const Error&) {
    // It is litter from now on: a later writer removes it.
  }
}

void TaskBatch::write(const std::vector<Task>& tasks) {
  folder_.emplace(files_.scratch().make_beneath(name_, Durability::process));
  constexpr std::size_t kFew = 16;  // above it one flush of everything is cheaper than one each
  const bool durable = files_.durability_ == Durability::power;
  const bool each = durable && tasks.size() <= kFew;
  for (const Task& task : tasks) {
    stamps_.push_back(folder_->write_unseen(layout::task_file(task.id), text_of(task),
                                            each ? Durability::power : Durability::process));
  }
  if (each) folder_->sync(Code::io);
  else if (durable) folder_->sync_filesystem();
}

bool TaskBatch::commit(const std::function<bool()>& undisturbed) {
  if (!undisturbed()) return false;
  files_.scratch().rename_into(name_, files_.folder_, layout::kBatch);
  committed_ = true;
  after_change([&] {
    if (files_.durability_ == Durability::power) files_.folder_.sync();
    files_.move_batch_in();
    files_.changed_at_ = files_.folder_.mtime_ns();
  });
  return true;
}

void TaskFiles::move_batch_in() const {
  const auto batch = folder_.find_beneath(layout::kBatch);
  if (!batch) return;
  std::vector<std::string> names;
  batch->each_name([&](const char* name) { names.emplace_back(name); });
  for (const std::string& name : names) {
    // Somebody who took no lock has made a file of that name since: theirs stands, ours is kept beside it.
    if (!folder_.adopt(*batch, name)) batch->rename_into(name, folder_, name + std::string(layout::kSetAsideSuffix));
  }
  if (durability_ == Durability::power) folder_.sync();
  folder_.remove_tree(layout::kBatch);
}

void TaskFiles::remove(TaskId id) const {
  folder_.remove(layout::task_file(id));
  changed_at_ = after_change([&] { return folder_.mtime_ns(); });
  if (durability_ == Durability::power) folder_.sync();
}

bool TaskFiles::is_being_written(const Folder& scratch, std::string_view name) {
  if (name.ends_with(layout::kBatchLockSuffix)) name.remove_suffix(layout::kBatchLockSuffix.size());
  return name.starts_with(layout::kBatchPrefix) && look_at_lock(scratch, lock_of_batch(name)) == Held::yes;
}

bool TaskFiles::settle() const {
  move_batch_in();
  const auto scratch_folder = folder_.find_beneath(layout::kScratch);
  if (!scratch_folder) return false;
  std::vector<std::string> litter;
  scratch_folder->each_name([&](const char* name) {
    if (is_temporary(name) || std::string_view(name).starts_with(layout::kBatchPrefix)) litter.emplace_back(name);
  });
  const auto alive =
      std::erase_if(litter, [&](const std::string& name) { return is_being_written(*scratch_folder, name); });
  for (const std::string& name : litter) scratch_folder->remove_tree(name);
  return alive > 0;
}

}  // namespace team
