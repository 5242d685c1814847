#include "libteam/agent/life/step_replayer.h"

#include <fcntl.h>

#include <algorithm>

#include "libteam/agent/life/joined_batch.h"
#include "libteam/agent/life/recording_files.h"
#include "libteam/base/text.h"
#include "libteam/store/life.h"
#include "libteam/store/local_files.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/lines.h"

namespace team {

namespace {

constexpr double kPatience = 10;  // seconds without a step, while nobody works
constexpr double kLookEvery = 1;

}  // namespace

StepReplayer::StepReplayer(const std::string& folder, const TeamSession& session, const Signals& signals)
    : path_(folder + "/" + kOrderFile),
      session_(session),
      signals_(signals),
      progress_(session.lives()->local_files().outputs_path()) {
  const Fd file = find_folder(folder).open_if_there(kOrderFile, O_RDONLY);
  if (!file) fail(Code::not_found, "no recording '{}'", path_);
  LineReader reader(file, 0);
  std::size_t number = 0;
  while (const auto line = reader.next(LineReader::Tail::is_a_line)) {
    ++number;
    if (is_blank(*line)) continue;
    steps_.push_back(parse_step(*line, fmt::format("{}:{}", path_, number)));
    lines_.push_back(number);
    if (steps_.back().member == self()) own_.push_back(steps_.size() - 1);
  }
  watch_.add(progress_.folder(), ReplayProgress::kFile, Watch::Kind::written);
  watch_.wake_on(signals_.fd());
}

std::string StepReplayer::where(std::size_t step) const { return fmt::format("{}:{}", path_, lines_[step]); }

void StepReplayer::diverge(const std::string& reason) {
  progress_.fail(reason);
  throw ReplayEnded(progress_.read().failure);
}

void StepReplayer::diverge_at(std::size_t step, const std::string& reason) {
  StepReplayer::diverge(fmt::format("{}: {}: {}", where(step), describe(steps_[step]), reason));
}

ReplayProgress::State StepReplayer::read_progress() const {
  try {
    return progress_.read();
  } catch (const Error& error) {
    throw ReplayEnded(error.what());
  }
}

// The next step of this member; kNone if there is none.
std::size_t StepReplayer::next_own() {
  const ReplayProgress::State state = read_progress();
  if (!state.failure.empty()) throw ReplayEnded(state.failure);
  next_ = state.next;
  const auto found = std::lower_bound(own_.begin(), own_.end(), next_);
  return found == own_.end() ? kNone : *found;
}

bool StepReplayer::is_free() { return is_in_step_ || is_abandoned_; }

bool StepReplayer::is_over() { return is_free() || next_own() == kNone; }

bool StepReplayer::may(Kind kind) {
  if (is_free()) return true;
  const std::size_t step = next_own();
  return step != kNone && step == next_ && steps_[step].kind == kind;
}

bool StepReplayer::comes_to(std::size_t step, Look look) {
  while (next_ < step) {
    check_patience();
    if (look == Look::now) return false;
    pause();
    if (is_abandoned_) return false;
    next_own();
  }
  return true;
}

// Waits for something that the step needs, and that others bring about.
bool StepReplayer::awaits(std::size_t step, Look look, const std::function<bool()>& is_there,
                          const std::string& missing) {
  const Deadline end = Deadline::in(kPatience);
  while (!is_there()) {
    check_patience();
    if (look == Look::now || is_abandoned_) return false;
    if (end.passed() && !is_somebody_busy()) diverge_at(step, missing);
    watch_.wait(Deadline::in(0.02));
    if (can_be_read(signals_.fd())) pause();
  }
  return true;
}

// A call of a tool that may take long is running.
bool StepReplayer::is_somebody_busy() const {
  std::map<std::string, int> open;
  for (std::size_t i = 0; i < std::min(next_, steps_.size()); ++i) {
    if (steps_[i].kind == Kind::start) ++open[steps_[i].member];
    if (steps_[i].kind == Kind::end) --open[steps_[i].member];
  }
  const auto lives = session_.lives();
  return std::any_of(open.begin(), open.end(), [&](const auto& entry) {
    return entry.second > 0 && entry.first != self() && lives->life_of(entry.first) == Life::running;
  });
}

void StepReplayer::check_patience() {
  if (patience_for_ != next_) {
    patience_for_ = next_;
    patience_ = Deadline::in(kPatience);
  }
  if (!patience_.passed() || next_ >= steps_.size()) return;
  patience_ = Deadline::in(kPatience);
  const std::string& whose = steps_[next_].member;
  const auto lives = session_.lives();
  const auto state = lives->state_of(whose);
  const bool works = whose != self() && lives->life_of(whose) == Life::running && state && !is_idle(state->state) &&
                     state->state != State::plan_pending;
  if (works || is_somebody_busy()) return;
  diverge_at(next_, fmt::format("this did not happen within {} s", kPatience));
}

void StepReplayer::pause() {
  if (!can_be_read(signals_.fd())) watch_.wait(Deadline::in(kLookEvery));
  if (!can_be_read(signals_.fd())) return;
  is_abandoned_ = true;
  progress_.fail(fmt::format("{} was interrupted", self()));
}

// Lets the next member go on.
void StepReplayer::finish(std::size_t step) {
  try {
    progress_.advance(step + 1);
  } catch (const Error& error) {
    throw ReplayEnded(error.what());  // the step is done and must not be done again
  }
  next_ = step + 1;
  if (next_ >= steps_.size() || steps_[next_].member == self()) return;
  try {
    session_.mail().mailbox(steps_[next_].member).nudge();
  } catch (const Error&) {
    return;  // it is not a member yet, and looks when it begins
  }
}

void StepReplayer::do_own(Kind kind, const std::string& name, const Act& act) {
  const std::size_t step = next_own();
  Step actual;
  actual.member = self();
  actual.kind = kind;
  actual.name = name;
  if (step == kNone)
    diverge(fmt::format("{}: the recording has no further step of {}, but {}", path_, self(), describe(actual)));
  if (steps_[step].kind != kind || steps_[step].name != name) diverge_at(step, "in this run " + describe(actual));
  if (!comes_to(step, Look::at_turn)) return act();
  is_in_step_ = true;
  try {
    act();
  } catch (...) {
    is_in_step_ = false;
    throw;
  }
  is_in_step_ = false;
  finish(step);
}

void StepReplayer::begin() {
  const std::size_t step = next_own();
  if (step != kNone) first_call_ = static_cast<std::size_t>(steps_[step].calls);
  do_own(Kind::begin, "", [] {});
}

void StepReplayer::run(Kind kind, const std::string& name, const Act& act) {
  if (is_free()) act();
  else do_own(kind, name, act);
}

void StepReplayer::run_long(const std::string& name, const Act& act) {
  if (is_free()) return act();
  do_own(Kind::start, name, [] {});
  act();
  if (!is_abandoned_) do_own(Kind::end, name, [] {});
}

bool StepReplayer::notice(Kind kind, Look look, const Find& find) {
  if (is_free()) return find().has_value();
  const std::size_t step = next_own();
  if (step == kNone && kind == Kind::decide && next_ >= steps_.size()) {
    diverge(fmt::format("{}: the recording ends here, and {} has not ended", path_, self()));
  }
  if (step == kNone || steps_[step].kind != kind || !comes_to(step, look)) return false;
  std::optional<std::string> found;
  const auto look_for = [&] { return (found = find()).has_value(); };
  if (!awaits(step, look, look_for, "there is no such thing")) return false;
  if (*found != steps_[step].name) diverge_at(step, fmt::format("in this run it is '{}'", *found));
  finish(step);
  return true;
}

bool StepReplayer::has_all(const Mailbox& mailbox, const Step& step, const std::optional<std::string>& run) {
  std::map<std::pair<std::string, std::string>, int> missing;
  for (const Step::Mail& mail : step.messages) ++missing[{mail.sender, mail.type}];
  mailbox.peek({}, SIZE_MAX, run, [&](const Message& message) { --missing[{message.sender, message.type}]; });
  return std::all_of(missing.begin(), missing.end(), [](const auto& entry) { return entry.second <= 0; });
}

// The user takes no part in a replay.
void StepReplayer::send_for_user(std::size_t step) {
  if (sent_for_ == step) return;
  sent_for_ = step;
  const Actor user;
  const MailOperations desk(session_.mail(), user);
  for (const Step::Mail& mail : steps_[step].messages) {
    if (mail.sender != user.name || !mail.content || (mail.type != "message" && mail.type != "broadcast")) continue;
    OutgoingMessage outgoing;
    outgoing.to = self();
    outgoing.content = *mail.content;
    const auto sent = desk.send(outgoing);
  }
}

std::unique_ptr<Batch> StepReplayer::take_mail(const Mailbox& mailbox, std::size_t most,
                                               const std::optional<std::string>& run, Look look) {
  if (is_free()) return mailbox.take({}, most, run);
  const std::size_t next = next_own();
  // After its last step it may still be asked to end.
  if (next == kNone) return mailbox.take({.from = {}, .type = "shutdown_request", .reply_to = {}, .id = {}}, most, run);
  const Step& step = steps_[next];
  // Also if its own next step is another one: an idle member may never come to it.
  if (look == Look::now) check_patience();
  if (step.kind != Kind::mail || !comes_to(next, look)) return nullptr;
  send_for_user(next);
  const auto is_there = [&] { return has_all(mailbox, step, run); };
  if (!awaits(next, look, is_there, "the messages did not arrive")) return nullptr;
  auto batch = take_exactly(mailbox, step, run);
  for (std::size_t i = 0; i < step.messages.size(); ++i) {
    const auto& recorded = step.messages[i].request_id;
    const auto& now = batch->messages()[i].request_id;
    if (recorded && now) ids_[*recorded] = *now;
  }
  finish(next);
  return batch;
}

std::optional<Changed> StepReplayer::claim_next(const Claim& claim) {
  if (is_free()) return claim({});
  const std::size_t step = next_own();
  if (step == kNone || steps_[step].kind != Kind::claim || !comes_to(step, Look::now)) return std::nullopt;
  std::optional<Changed> claimed;
  try {
    claimed = claim(steps_[step].task);
  } catch (const Error& error) {
    // A blocker or a dead owner may need a moment.
    const bool may_change = error.code() == Code::blocked || error.code() == Code::conflict;
    if (!may_change && error.code() != Code::busy) diverge_at(step, error.what());
    check_patience();
    if (error.code() == Code::busy) throw;
    return std::nullopt;
  }
  finish(step);
  return claimed;
}

std::string StepReplayer::translate(std::string text) const {
  for (const auto& [recorded, now] : ids_) {
    for (std::size_t at = text.find(recorded); at != std::string::npos; at = text.find(recorded, at + now.size())) {
      text.replace(at, recorded.size(), now);
    }
  }
  return text;
}

}  // namespace team
