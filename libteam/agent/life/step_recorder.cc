#include "libteam/agent/life/step_recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "libteam/agent/life/recording_files.h"
#include "libteam/system/lines.h"

namespace team {

namespace {

constexpr double kLongestStep = 600;  // of another member, seconds

std::int64_t count_lines(const Folder& folder, const std::string& name) {
  const Fd file = folder.open_if_there(name, O_RDONLY);
  std::int64_t count = 0;
  if (!file) return count;
  LineReader reader(file, 0);
  while (reader.next(LineReader::Tail::is_a_line)) ++count;
  return count;
}

}  // namespace

// The lock, and the mark that steps inside of this one are a part of it.
class StepRecorder::Turn {
 public:
  explicit Turn(StepRecorder& recorder)
      : recorder_(recorder), lock_(Lock::acquire(recorder.folder_, kRecordingLock, kLongestStep)) {
    recorder_.is_in_step_ = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { recorder_.is_in_step_ = false; }

 private:
  StepRecorder& recorder_;
  Lock lock_;
};

StepRecorder::StepRecorder(const std::string& folder, std::string member)
    : folder_(find_folder(folder)),
      member_(std::move(member)),
      file_(folder_.open(kOrderFile, O_RDWR | O_APPEND | O_CREAT)) {}

// Under the lock. A line that a killed writer left torn is cut off first.
void StepRecorder::write(Step step) {
  step.member = member_;
  const off_t found = size_of(file_);
  const auto last = line_before(file_, found);
  const off_t size = last ? last->start + static_cast<off_t>(last->text.size()) + 1 : 0;
  const bool is_whole = size == found || ::ftruncate(file_.get(), size) == 0;
  if (!is_whole || !append_or_undo(file_, size, to_line(step) + "\n")) {
    fail_errno("cannot write", folder_.path_of(kOrderFile));
  }
}

void StepRecorder::begin() {
  const Turn turn(*this);
  write({.member = {}, .kind = Kind::begin, .name = {}, .calls = count_lines(folder_, answers_file(member_))});
}

void StepRecorder::run(Kind kind, const std::string& name, const Act& act) {
  if (is_in_step_) return act();
  const Turn turn(*this);
  act();
  write({.member = {}, .kind = kind, .name = name});
}

void StepRecorder::run_long(const std::string& name, const Act& act) {
  if (is_in_step_) return act();
  const auto mark = [&](Kind kind) {
    const Turn turn(*this);
    write({.member = {}, .kind = kind, .name = name});
  };
  mark(Kind::start);
  act();
  mark(Kind::end);
}

bool StepRecorder::notice(Kind kind, Look look, const Find& find) {
  if (is_in_step_) return StepOrder::notice(kind, look, find);
  const Turn turn(*this);
  const auto found = find();
  if (found) write({.member = {}, .kind = kind, .name = *found});
  return found.has_value();
}

std::unique_ptr<Batch> StepRecorder::take_mail(const Mailbox& mailbox, std::size_t most,
                                               const std::optional<std::string>& run, Look /*look*/) {
  const Turn turn(*this);
  auto batch = mailbox.take({}, most, run);
  if (!batch) return batch;
  Step step;
  step.kind = Kind::mail;
  for (const Message& message : batch->messages()) {
    Step::Mail mail{message.sender, message.type, message.request_id, {}};
    if (message.sender == "user") mail.content = message.content;
    step.messages.push_back(std::move(mail));
  }
  write(std::move(step));
  return batch;
}

std::optional<Changed> StepRecorder::claim_next(const Claim& claim) {
  const Turn turn(*this);
  auto claimed = claim({});
  if (claimed) write({.member = {}, .kind = Kind::claim, .name = {}, .task = claimed->task.id});
  return claimed;
}

}  // namespace team
