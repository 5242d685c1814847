#include "libteam/agent/life/teammate.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/base/text.h"
#include "libteam/record/settings.h"
#include "libteam/system/id.h"

namespace team {

namespace {

constexpr std::size_t kMostMessages = 50;  // in one piece of work
constexpr double kLongestPause = 30;

constexpr double kLongestDoze = 30;
constexpr double kDeputyDelay = 2;      // that a lookout may take to react
constexpr double kLongestAbsence = 10;  // of the folder of the team
constexpr double kLongestBoardAbsence = 60;
constexpr double kLookForStore = 0.5;  // while it is missing
constexpr double kDoubt = 1;
constexpr double kRemoval = 0.1;  // between the removals of two files
constexpr double kLongestRemoval = 5;

constexpr const char* kPrompt = "the prompt";

std::string title_of(const std::optional<Task>& task) { return task ? fmt::format("task {}", task->id) : kPrompt; }

std::string inbox_of(const std::string& name) { return name + "_inbox.jsonl"; }

std::string inbox_lock_of(const std::string& name) { return name + "_inbox.lock"; }

bool is_urgent(const Message& message) { return message.type == "shutdown_request" || message.interrupt; }

std::string senders_of(const std::vector<Message>& messages) {
  std::vector<std::string> names;
  for (const Message& message : messages) {
    if (std::find(names.begin(), names.end(), message.sender) == names.end()) names.push_back(message.sender);
  }
  return join(names, ", ");
}

}  // namespace

Teammate::Teammate(TeamSession& session, TeammateOptions options, Driver& driver, const Signals& signals,
                   Audience audience)
    : session_(session),
      options_(std::move(options)),
      driver_(driver),
      signals_(signals),
      audience_(std::move(audience)),
      mail_(session_, {options_.auto_claim, options_.plan, driver.converses(), options_.user_listens},
            [this](const std::string& line) { note(line); }) {
  audience_.record = [this](const std::vector<Event>& events) { record(events); };
  audience_.spend = [this](const Usage& all) { presence_->set_usage(to_json_text(all)); };
}

Teammate::~Teammate() = default;

int Teammate::run() {
  start();
  has_begun_ = true;
  try {
    live();
  } catch (const Error& error) {
    ending_ = Ending{error.what(), static_cast<int>(error.code()), State::error, true};
    end();
    throw;
  }
  end();
  return ending_->status;
}

// All or nothing: who cannot have the name, a place in the team or the task is not started.
void Teammate::start() {
  const Actor& self = session_.self();
  const bool joins = session_.team().find(self.name) == nullptr;
  if (joins) {
    Team trial = session_.team();
    add_member(trial, self.name, options_.role, session_.membership().lives());
  }
  presence_.emplace(session_.roster(), session_.team(), self.name, session_.lock_timeout());
  // Others may have taken its place since it ended.
  if (!joins && presence_->before()) check_room_for(session_.team(), self.name, session_.membership().lives());
  driver_.begin_life();
  door_.emplace(presence_->folder(), self.name, Durability::process, session_.lock_timeout());
  recover();
  if (options_.task) {
    TaskChange claim;
    claim.status = Status::in_progress;
    Changed claimed = session_.board().change(*options_.task, claim, self);
    held_.push_front({std::move(claimed.task), claimed.owner_before == self.name, std::nullopt, false});
  }
  try {
    if (joins) {
      session_.membership().join(self.name, options_.role);
      session_.refresh();
    }
  } catch (const Error&) {
    for (const Job& job : held_) put_back(job, "released: its owner could not be started");
    throw;
  }
  MemberState first;
  first.reason = presence_->before() ? "started again" : "started";
  first.host = host_name();
  first.pid = ::getpid();
  first.run = self.run.value_or("");
  first.model = options_.model;
  if (presence_->before()) first.usage = presence_->before()->usage;
  if (options_.start.mode != "background") first.pane = environment_variable("TMUX_PANE");
  if (first.pane) first.tmux = split(environment_variable("TMUX").value_or(""), ',').front();
  first.start = options_.start;
  if (options_.prompt) first.start.arguments.insert(first.start.arguments.end(), {"--prompt", *options_.prompt});
  presence_->begin(std::move(first), session_.mail(), self);
  record({make_event("RUN_STARTED", {{"run_id", self.run.value_or("")}})});
}

// What the last life held is this one's, unless another task was asked for or it takes none by itself: then it is given
// back. Plans for it that wait for an answer are void.
void Teammate::recover() {
  const bool keeps = options_.auto_claim && !options_.task;
  const auto recovery = keeps ? Board::Recovery::take_over : Board::Recovery::release;
  for (Task& task : session_.board().recover(session_.self(), recovery)) {
    note(fmt::format("task {} is left from the last life", task.id));
    for (const Request& request : session_.mail().requests().pending([](const Error&) {})) {
      const bool stale =
          request.kind == RequestKind::plan && request.from == session_.self().name && request.task == task.id;
      if (stale) session_.mail().requests().withdraw(request.id);
    }
    if (keeps) held_.push_back({std::move(task), false, std::nullopt, true});
  }
}

void Teammate::live() {
  // What a life begins with, each once; and then whatever comes.
  std::deque<std::function<void()>> steps;
  if (options_.task) {
    steps.emplace_back([this] {
      if (!held_.empty()) work_on_held();
    });
  }
  steps.emplace_back([this] { resume(); });
  if (options_.prompt) steps.emplace_back([this] { work_on(Job{.left = true}); });
  bool was_disturbed = false;
  while (!ending_) {
    try {
      // What its driver was at when the system refused is gone on with.
      if (std::exchange(was_disturbed, false)) resume();
      if (ending_) break;
      if (steps.empty()) {
        step();
      } else {
        const auto next = std::move(steps.front());
        steps.pop_front();
        next();
      }
      pause_ = 1;
    } catch (const Error& error) {
      if (!may_pass(error)) throw;
      wait_after(error);
      was_disturbed = true;
    }
  }
}

// Goes on with what its driver was at when the last life ended, before anything else comes between: with a task if it
// is still this one's. The prompt is gone on with if it is given again.
void Teammate::resume() {
  const auto left = ending_ ? std::nullopt : driver_.left();
  if (!left || (options_.prompt && left->title == kPrompt)) return;
  if (left->task) {
    if (held_.empty()) find_left_tasks();
    const auto held = std::find_if(held_.begin(), held_.end(),
                                   [&](const Job& job) { return job.task && job.task->id == left->task->id; });
    if (held == held_.end()) return;
    Job job = std::move(*held);
    held_.erase(held);
    work_on(std::move(job));
    return;
  }
  // The phase of this life, not that of the transcript: an approval of an earlier life is none.
  Work work = make_work(options_.plan ? Phase::plan : Phase::work, left->title);
  work.messages = left->messages;
  work.is_left = true;
  become(State::active, fmt::format("goes on with {}", left->title));
  settle(left->messages, drive(work));
}

// One look around, and one piece of work if there is one.
void Teammate::step() {
  if (const auto signal = signals_.take()) {
    interrupt(*signal);
    return;
  }
  refresh();
  if (ending_) return;
  if (work_on_messages(options_.plan ? Phase::plan : Phase::work) || ending_) return;
  if (driver_.has_news() && work_on_text("what has ended", "")) return;
  if (!held_.empty()) {
    work_on_held();
    return;
  }
  if (auto claimed = claim_next()) {
    const bool assigned = claimed->owner_before == session_.self().name;
    work_on({std::move(claimed->task), assigned, std::nullopt, false});
    return;
  }
  if (!held_.empty()) return;
  if (options_.until_done && is_done_with_board()) {
    ending_ = Ending{.reason = "the board has nothing left for it"};
    return;
  }
  idle();
}

// Looks at the team as it is now. If its folder was removed, waits for it to come back, and then goes on there.
void Teammate::refresh() {
  const bool had_board = session_.has_board();
  const Deadline absence = Deadline::in(kLongestAbsence);
  bool is_missing = false;
  while (true) {
    try {
      session_.refresh();
      break;
    } catch (const Error& error) {
      if (error.code() != Code::not_found || absence.passed()) throw;
      if (!std::exchange(is_missing, true)) note(fmt::format("{}; waits for it to come back", error.what()));
    }
    pause(absence.or_in(kLookForStore));
    if (ending_) return;
  }
  if (is_missing || !session_.has_board()) doubt_ = Deadline::in(kDoubt);
  if (had_board && !session_.has_board()) note("the board was removed; waits for it to come back");
  if (!presence_->folder().is_in_place()) return_to_team();
}

// The store was removed and made again.
void Teammate::return_to_team() {
  put_watch_away();
  post_.reset();
  deputy_post_.reset();
  const Actor& self = session_.self();
  if (session_.team().find(self.name) == nullptr) {
    session_.membership().join(self.name, self.role);
    session_.refresh();
  }
  presence_->move_to(session_.roster().folder_of(session_.team().name));
  note("the team has another folder; goes on there");
}

// A signal ends it.
void Teammate::pause(const Deadline& deadline) {
  Watch watch;
  watch.wake_on(signals_.fd());
  watch.wait(deadline);
  if (const auto signal = signals_.take()) interrupt(*signal);
}

// What was done is not to be lost because somebody has taken the board away for a while.
void Teammate::await_board() {
  refresh();
  const Deadline absence = Deadline::in(kLongestBoardAbsence);
  while (!ending_ && !session_.has_board() && !absence.passed()) {
    pause(absence.or_in(kLookForStore));
    if (!ending_) refresh();
  }
}

// Whether no task can come to it any more. Not said for a moment after tasks were removed: they may come back.
bool Teammate::is_done_with_board() {
  if (!session_.has_board() || !session_.board().is_over_for(session_.self())) return false;
  if (!doubt_ || doubt_->passed()) return true;
  look_again_ = look_again_.or_at(*doubt_);
  return false;
}

void Teammate::work_on_held() {
  Job job = std::move(held_.front());
  held_.pop_front();
  work_on(std::move(job));
}

std::optional<Changed> Teammate::claim_next() {
  if (!options_.auto_claim || !session_.has_board()) return std::nullopt;
  try {
    return session_.board().claim_next(session_.self());
  } catch (const Error& error) {
    if (error.code() != Code::busy) throw;
    find_left_tasks();
    return std::nullopt;
  }
}

// Its program has taken others by hand and left them lying: they are its own, and done like any.
void Teammate::find_left_tasks() {
  TaskFilter filter;
  filter.statuses = {Status::in_progress};
  filter.owner = session_.self().name;
  const auto keep = [&](const SeenTask& seen) {
    if (seen.task.run == session_.self().run) held_.push_back({seen.task, false, std::nullopt, true});
  };
  session_.board().view().each(filter, BoardView::Detail::open_blockers, keep, [](TaskId, const Error&) {});
}

void Teammate::end() {
  presence_->set_resumable(ending_->resumable);
  if (ending_->status == static_cast<int>(Code::not_found)) return;  // of a team that is gone nothing is to be left
  try {
    find_left_tasks();
    while (!held_.empty()) {
      if (is_mine(held_.front())) put_back(held_.front(), ending_->reason);
      held_.pop_front();
    }
    mail_.agree_with_all();  // its next life is not meant
    become(ending_->state, ending_->reason);
    const bool failed = ending_->state == State::error;
    record({make_event(failed ? "RUN_ERROR" : "RUN_FINISHED", {{failed ? "message" : "reason", ending_->reason}})});
    if (failed && driver_.converses() && session_.self().name != session_.team().lead) {
      session_.mail().notify(session_.team().lead, "error",
                             fmt::format("[System] {} has ended: {}", session_.self().name, one_line(ending_->reason)));
    }
  } catch (const Error& error) {
    note(error.what());  // a full disk or a team that is gone; there is nothing more to say it to
  }
}

void Teammate::finish_piece(bool success) {
  driver_.settle();
  succeeded_ = succeeded_ || success;
  objections_ = 0;
  idle_end_.reset();
  if (!ending_ && options_.is_over && options_.is_over()) ending_ = Ending{.reason = "all is done"};
  if (options_.once && !ending_) {
    ending_ = success ? Ending{.reason = "one piece of work is done"}
                      : Ending{.reason = "one piece of work is not done", .status = static_cast<int>(Code::no)};
  }
}

void Teammate::interrupt(int signal) {
  ending_ = Ending{fmt::format("interrupted by {}", ::strsignal(signal)), 128 + signal, State::shutdown, true};
}

// It can be started again.
void Teammate::end_with(const Outcome& outcome, State state) {
  ending_ = Ending{outcome.reason, outcome.status, state, true};
}

Identity Teammate::identity() const {
  return {session_.self().name, session_.self().role, session_.team().name, options_.role_prompt};
}

// A system that refuses to have it written down does not keep anybody from working.
void Teammate::become(State state, const std::string& reason, std::optional<TaskId> task) {
  const State from = presence_->now().state;
  try {
    presence_->become(state, reason, task, session_.mail(), session_.self());
  } catch (const Error& error) {
    if (!may_pass(error) && error.code() != Code::unknown) throw;
    note(fmt::format("{}: {}", name_of(error.code()), error.what()));
  }
  if (audience_.become) audience_.become(state);
  if (from != presence_->now().state || state == State::active) note(fmt::format("{}: {}", name_of(state), reason));
}

// That something could not be written down is no reason to stop working.
void Teammate::record(const std::vector<Event>& events) const {
  try {
    session_.mail().record(session_.self(), events);
  } catch (const Error& error) {
    note(error.what());
  }
}

// Tries again while the system refuses; what has been done must not be lost for a full disk.
template <class Call>
void Teammate::persist(Call call) {
  while (true) {
    try {
      call();
      return;
    } catch (const Error& error) {
      if (error.code() == Code::unknown) {
        note(
            fmt::format("{}: {}", name_of(error.code()), error.what()));  // done, perhaps not on the disk or in the log
        return;
      }
      if (error.code() != Code::io && error.code() != Code::again) throw;
      wait_after(error);
      if (ending_) return;
      refresh();  // it may be the folder that is another one by now
      if (ending_) return;
    }
  }
}

// From here on nothing is missed. Only for who is about to wait: the folders of a busy team change all the time, and
// each who watches makes that dearer for all.
void Teammate::watch() {
  dozes_ = false;
  watch_ = take_watch();
  watch_->add(presence_->folder());
  session_.board().watch(*watch_);
  hear_of_news();
}

// What is in no folder.
void Teammate::hear_of_news() {
  for (const int fd : {signals_.fd(), driver_.news(), options_.waker}) {
    if (fd >= 0) watch_->wake_on(fd);
  }
  watch_->look_every(number_setting(session_.team(), "idle.poll"));
}

// Idle members elect one lookout per role, so that a new task wakes one process instead of hundreds. The lookout
// watches the folders. The deputy watches the board and looks for itself if the lookout, which may be stopped, does not
// react. The others watch their own mailbox and queue for the place of the deputy, who queues for that of the lookout.
// A member that waits for the end of the board, or for something else, always watches for itself.
void Teammate::doze() {
  const Folder& folder = presence_->folder();
  const bool has_more = options_.until_done || options_.before_idle || options_.look_every;
  if (has_more || !Watch::is_told_of(folder)) {
    watch();
    return;
  }
  const std::string role = session_.self().role ? "-" + *session_.self().role : "";
  const std::string post = fmt::format(".lookout{}.lock", role);
  if (!post_ || post_->name() != post) {
    post_.emplace(folder, post);
    deputy_post_.emplace(folder, fmt::format(".deputy{}.lock", role));
  }
  if (options_.auto_claim && post_->take()) {
    watch();
    deputy_post_->leave();
    if (watch_->is_told()) return;
    post_->leave();  // it would be slow to see anything
  }
  dozes_ = true;
  watch_ = take_watch();
  door_->watch(*watch_);
  watch_->add(folder, kTeamConfig, Watch::Kind::written);
  hear_of_news();
  if (options_.auto_claim && watch_->is_told()) queue();
  board_seen_ = session_.board().changed_at();
}

void Teammate::queue() {
  is_deputy_ = deputy_post_->take_or_wait();
  if (!is_deputy_) {
    watch_->wake_on(deputy_post_->fd());
    return;
  }
  session_.board().watch(*watch_);
  if (post_->take_or_wait()) look_again_ = Deadline::in(0);  // it is free by now
  else watch_->wake_on(post_->fd());
}

void Teammate::stop_watching() {
  put_watch_away();
  if (post_) post_->leave();
  if (deputy_post_) deputy_post_->leave();
}

// It is kept: who has just been woken has no time to close it.
void Teammate::put_watch_away() {
  is_deputy_ = is_alerted_ = false;
  if (!watch_) return;
  watch_->clear();
  put_away_ = std::move(watch_);
  watch_.reset();
}

Watch Teammate::take_watch() {
  put_watch_away();
  Watch watch = put_away_ && put_away_->is_told() ? std::move(*put_away_) : Watch();
  put_away_.reset();
  return watch;
}

void Teammate::wait_after(const Error& error) {
  if (!watch_ || dozes_) watch();
  note(fmt::format("{}: {}; tries again in {} s", name_of(error.code()), error.what(), pause_));
  const Deadline deadline = Deadline::in(pause_);
  pause_ = std::min(2 * pause_, kLongestPause);
  while (!deadline.passed() && !ending_) {
    const Changes changes = watch_->wait(deadline);
    if (const auto signal = signals_.take()) interrupt(*signal);
    const auto& names = changes.names;
    if (std::find(names.begin(), names.end(), kTeamConfig) != names.end()) break;  // perhaps it is mended
  }
}

// Whether one of them ends this life. Before all else, and the others are not lost by it: they wait for the next.
bool Teammate::ends_by(Batch& batch) {
  for (const Message& message : batch.messages()) {
    const auto who = mail_.agree_to_end(message);
    if (!who) continue;
    ending_ = Ending{.reason = fmt::format("asked to by {}", *who)};
    if (batch.messages().size() == 1) persist([&] { batch.acknowledge(); });
    else batch.release();
    return true;
  }
  return false;
}

std::vector<Message> Teammate::deliver(const Batch& batch) const {
  std::vector<Event> events;
  for (const Message& message : batch.messages()) events.push_back(message_event("MESSAGE_DELIVERED", message));
  auto messages = mail_.select(batch);
  record(events);
  return messages;
}

void Teammate::acknowledge(Batch& batch) {
  std::vector<Event> events;
  for (const Message& message : batch.messages()) events.push_back(message_event("MESSAGE_PROCESSED", message));
  persist([&] { batch.acknowledge(); });
  record(events);
}

// The mail that came while its driver works. False if this life ends by it.
bool Teammate::hear(const Meanwhile::Keep& keep) {
  session_.refresh();
  const Mailbox mailbox = session_.mailbox();
  auto batch = mailbox.take({}, kMostMessages, session_.self().run);
  if (!batch) return true;
  if (ends_by(*batch)) return false;
  const auto messages = deliver(*batch);
  if (!messages.empty()) keep(messages);
  acknowledge(*batch);
  return true;
}

Work Teammate::make_work(Phase phase, std::string title) const {
  Work work;
  work.phase = phase;
  work.is_gated = options_.plan;
  work.title = std::move(title);
  work.introduction = introduce(identity());
  return work;
}

Outcome Teammate::drive(const Work& work) {
  stop_watching();
  if (!driver_.converses()) return driver_.work(work, audience_);
  Work open = work;
  open.meanwhile.file = inbox_of(session_.self().name);
  open.meanwhile.hear = [this](const Meanwhile::Keep& keep) { return hear(keep); };
  open.meanwhile.is_urgent = [this] {
    bool urgent = false;
    door_->peek({}, SIZE_MAX, std::nullopt, [&](const Message& message) { urgent = urgent || is_urgent(message); });
    return urgent;
  };
  Outcome outcome = driver_.work(open, audience_);
  if (outcome.kind == Outcome::Kind::done) last_word_ = outcome.result;
  last_failure_ = outcome.kind == Outcome::Kind::failed ? std::optional(outcome.reason) : std::nullopt;
  if (outcome.paused) become(State::paused, *outcome.paused);
  return outcome;
}

// Takes what is there, or a part of it. False if there is nothing.
bool Teammate::work_on_messages(Phase phase) {
  const Mailbox mailbox = session_.mailbox();
  auto batch = mailbox.take({}, kMostMessages, session_.self().run);
  if (!batch || ends_by(*batch)) return false;
  const auto messages = deliver(*batch);
  bool kept = false;
  const auto keep = [&] {
    acknowledge(*batch);
    kept = true;
  };
  if (!messages.empty()) {
    stop_watching();
    if (phase == Phase::work || presence_->now().state != State::plan_pending) {
      become(State::active, fmt::format("messages from {}", senders_of(messages)));
    }
    if (!settle(messages, work_on(messages, phase, keep)) && !kept) {
      batch->release();
      return true;
    }
  }
  if (!kept) keep();
  return true;
}

Outcome Teammate::work_on(const std::vector<Message>& messages, Phase phase, const std::function<void()>& kept) {
  Work work = make_work(phase, "messages");
  work.prompt = prompt_for_messages(messages);
  work.messages = messages;
  work.kept = kept;
  Outcome outcome;
  for (std::int64_t attempt = 0; attempt <= options_.retries; ++attempt) {
    outcome = drive(work);
    if (outcome.kind != Outcome::Kind::failed || driver_.converses()) break;
    note(outcome.reason);
  }
  return outcome;
}

// What becomes of messages that were worked on. False if they wait for the next life.
bool Teammate::settle(const std::vector<Message>& messages, const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::interrupted: end_with(outcome, State::shutdown); return false;
    case Outcome::Kind::unavailable: end_with(outcome, State::error); return false;
    case Outcome::Kind::stopped: return false;
    case Outcome::Kind::hopeless:
      if (succeeded_) break;
      end_with(outcome, State::error);
      return false;
    default: break;
  }
  const bool done = outcome.kind == Outcome::Kind::done;
  if (!done) note(outcome.reason);
  answer(messages, outcome);
  if (presence_->now().state == State::plan_pending) driver_.settle();
  else finish_piece(done);
  return true;
}

// Those who wrote before it began and while it was at it.
void Teammate::answer(std::vector<Message> messages, const Outcome& outcome) {
  messages.insert(messages.end(), outcome.heard.begin(), outcome.heard.end());
  if (outcome.kind != Outcome::Kind::done) {
    mail_.regret(messages, outcome.reason);
  } else if (const auto paused = mail_.reply(messages, outcome)) {
    become(State::paused, *paused);
  }
}

// Something that is neither a message nor on the board. False if it was nothing.
bool Teammate::work_on_text(const std::string& title, const std::string& text) {
  stop_watching();
  if (presence_->now().state != State::plan_pending) become(State::active, title);
  Work work = make_work(options_.plan ? Phase::plan : Phase::work, title);
  if (!text.empty()) work.prompt = prompt_for_text(text, {});
  settle(std::vector<Message>{}, drive(work));
  return true;
}

bool Teammate::is_mine(const Job& job) const {
  if (!job.task) return true;
  try {
    const Task now = session_.board().view().get(job.task->id);
    return now.status == Status::in_progress && now.owner == session_.self().name && now.run == session_.self().run;
  } catch (const Error& error) {
    return error.code() != Code::not_found;  // a broken file: whoever mends it decides
  }
}

bool Teammate::has_status(const Job& job, Status status) const {
  try {
    return job.task && session_.board().view().get(job.task->id).status == status;
  } catch (const Error&) {
    return false;  // it is gone or broken, which is not this one's fault
  }
}

Work Teammate::piece_of(const Job& job, Phase phase) const {
  Work work = make_work(phase, title_of(job.task));
  work.task = job.task;
  work.is_left = job.left;
  if (job.task) {
    std::vector<Task> done;
    for (const TaskId id : job.task->blocked_by) {
      try {
        done.push_back(session_.board().view().get(id));
      } catch (const Error&) {
        continue;  // its result is missing, no more
      }
    }
    work.prompt = prompt_for_task(*job.task, done, job.plan);
    work.task_file = std::filesystem::absolute(session_.board().path_of(job.task->id));
  } else {
    work.prompt = prompt_for_text(*options_.prompt, job.plan);
  }
  if (phase == Phase::plan) work.prompt += ask_for_plan();
  work.wants_plan = phase == Phase::plan;
  if (options_.plan && phase == Phase::work) work.is_approved = [this, job] { return is_mine(job); };
  return work;
}

void Teammate::work_on(Job job) {
  stop_watching();
  const auto id = job.task ? std::optional(job.task->id) : std::nullopt;
  const std::string subject = job.task ? ": " + one_line(job.task->subject) : "";
  become(State::active, title_of(job.task) + subject, id);
  if (options_.plan) {
    // Approved before, given back, and nobody has touched it since: its own claim is the only change.
    const bool untouched =
        job.task && approved_ && approved_->first.id == job.task->id && approved_->first.rev + 1 == job.task->rev;
    if (untouched) job.plan = approved_->second;
    approved_.reset();
    if (!untouched && !agree_on_plan(job)) return;
  }
  settle(job, drive(piece_of(job, Phase::work)));
}

// Has plans made until one is approved. False if it came to something else, which is then settled.
bool Teammate::agree_on_plan(Job& job) {
  const auto id = job.task ? std::optional(job.task->id) : std::nullopt;
  while (true) {
    Outcome outcome = drive(piece_of(job, Phase::plan));
    job.left = false;
    if (outcome.kind == Outcome::Kind::done && outcome.result.empty()) {
      outcome = {.kind = Outcome::Kind::failed, .reason = "the plan is empty"};
    }
    // It failed, or it has given the task back or lost it: there is nothing to be approved.
    if (outcome.kind != Outcome::Kind::done || !is_mine(job)) {
      settle(job, std::move(outcome));
      return false;
    }
    OutgoingMessage letter;
    letter.type = "plan_approval_request";
    letter.to = session_.team().lead;
    letter.content = outcome.result;
    if (job.task) letter.task = job.task->id;
    const std::string request = new_id();  // ours, so that it is known even if it is not known how the sending ended
    letter.request_id = request;
    try {
      persist([&] { session_.mail().send(letter, session_.self()); });
    } catch (const Error& error) {
      if (error.code() != Code::permission_denied) throw;
      settle(job, Outcome{.kind = Outcome::Kind::failed, .reason = error.what()});  // a hook refused the plan
      return false;
    }
    if (ending_) {
      put_back(job, ending_->reason);
      return false;
    }
    become(State::plan_pending, fmt::format("plan {} waits for {}", request, session_.team().lead), id);
    const auto answer = await_answer(request, job);
    if (!answer) return false;
    job.plan = answer;
    if (answer->approved) {
      become(State::active, fmt::format("{}: the plan is approved", title_of(job.task)), id);
      return true;
    }
    become(State::active, fmt::format("{}: the plan was rejected: {}", title_of(job.task), one_line(answer->feedback)),
           id);
  }
}

// Waits for the lead, and meanwhile for whatever else may come. None if there is nothing to wait for any more.
std::optional<PlanAnswer> Teammate::await_answer(const std::string& id, const Job& job) {
  while (true) {
    try {
      if (!watch_ || dozes_) watch();
      const Request request = session_.mail().requests().get(id);
      const bool is_answered = request.status != RequestStatus::pending;
      if (is_answered && is_mine(job)) {
        return PlanAnswer{request.status == RequestStatus::approved, request.feedback.value_or(""),
                          request.answered_by.value_or("")};
      }
      if (const auto signal = signals_.take()) interrupt(*signal);
      if (!ending_) refresh();
      if (!ending_ && work_on_messages(Phase::plan) && !ending_) continue;
      if (!ending_ && driver_.has_news() && work_on_text("what has ended", "") && !ending_) continue;
      const bool lost = !is_mine(job);
      if (ending_ || lost) {
        if (!is_answered) persist([&] { session_.mail().requests().withdraw(id); });
        if (ending_) {
          if (!lost) put_back(job, ending_->reason);
        } else {
          note(fmt::format("{} is no longer its own", title_of(job.task)));
          finish_piece(has_status(job, Status::completed));
        }
        return std::nullopt;
      }
      // An answer is noted, sent and then final; of the last step nothing tells.
      if (session_.mail().requests().get(id).verdict) look_again_ = Deadline::in(0.02);
      Changes changes;
      do changes = watch_->wait(look_again_);
      while (changes.any && !concerns_me(changes));
      if (look_again_.passed()) look_again_ = Deadline::never();
    } catch (const Error& error) {
      if (!may_pass(error)) throw;
      wait_after(error);
      if (ending_) put_back(job, ending_->reason);
      if (ending_) return std::nullopt;
    }
  }
}

// What becomes of the task.
void Teammate::settle(const Job& job, Outcome outcome) {
  if (job.task) await_board();
  const bool broken_off = outcome.kind == Outcome::Kind::interrupted || outcome.kind == Outcome::Kind::stopped ||
                          outcome.kind == Outcome::Kind::unavailable;
  if (broken_off) {
    if (outcome.kind == Outcome::Kind::interrupted) end_with(outcome, State::shutdown);
    if (outcome.kind == Outcome::Kind::unavailable) end_with(outcome, State::error);
    if (is_mine(job)) put_back(job, ending_->reason);
    return;
  }
  if (outcome.kind == Outcome::Kind::hopeless && !succeeded_) {
    end_with(outcome, State::error);
  }
  if (!job.task) report_prompt(outcome);
  if (!outcome.heard.empty()) answer({}, outcome);
  // The program may have completed or released it by itself, or the lead has taken it away.
  if (!job.task || !is_mine(job)) {
    finish_piece(outcome.kind == Outcome::Kind::done && !has_status(job, Status::failed));
    return;
  }
  if (outcome.kind == Outcome::Kind::done) {
    try {
      complete(*job.task, outcome.result);
      finish_piece(true);
      return;
    } catch (const Error& error) {
      if (error.code() != Code::invalid_state && error.code() != Code::permission_denied) throw;
      outcome = {.kind = Outcome::Kind::failed, .reason = error.what()};  // no deliverable, or a hook refused it
    }
    if (!is_mine(job)) {  // it was taken away while the hook looked at it
      finish_piece(false);
      return;
    }
  }
  note(fmt::format("{}: {}", title_of(job.task), outcome.reason));
  if (job.task->attempts > options_.retries) give_up(*job.task, outcome.reason);
  else put_back(job, outcome.reason);
  finish_piece(false);
}

// The prompt is done with, well or not: who is started again does not begin with it.
void Teammate::report_prompt(const Outcome& outcome) {
  presence_->set_start(options_.start);
  if (outcome.kind == Outcome::Kind::done) return;
  note(outcome.reason);
  if (session_.self().name == session_.team().lead) return;
  session_.mail().notify(
      session_.team().lead, "error",
      fmt::format("[System] {} could not do what its prompt asks: {}", session_.self().name, one_line(outcome.reason)));
}

void Teammate::complete(const Task& task, const std::string& result) {
  std::optional<TaskUpdate> update;
  persist([&] { update = session_.tasks().complete(task.id, result.empty() ? std::nullopt : std::optional(result)); });
  if (!update) return;
  note(fmt::format("completed task {}", task.id));
  note_trouble(*update);
}

// The change stands: what came after it and failed is only told.
void Teammate::note_trouble(const TaskUpdate& update) const {
  if (!update.trouble.empty()) note(fmt::format("{}: {}", name_of(Code::unknown), update.trouble));
}

void Teammate::give_up(const Task& task, const std::string& reason) {
  persist([&] { note_trouble(session_.tasks().fail(task.id, reason)); });
  note(fmt::format("failed task {} after {} attempts", task.id, task.attempts));
}

void Teammate::put_back(const Job& job, const std::string& reason) {
  if (!job.task) return;
  const auto owner = job.assigned ? std::optional(session_.self().name) : std::nullopt;
  std::optional<TaskUpdate> update;
  persist([&] { update = session_.tasks().release(job.task->id, reason, owner); });
  if (!update) return;
  note_trouble(*update);
  if (job.plan && job.plan->approved) approved_ = {update->changed.task, *job.plan};
}

// Work that the hook finds before this member may idle. False if it has nothing against it, or only ever the same.
bool Teammate::is_kept_busy() {
  constexpr int kMostObjections = 3;
  if (is_idle(presence_->now().state) || objections_ >= kMostObjections) return false;
  MemberState wanted = presence_->now();
  wanted.state = State::idle;
  wanted.reason = "nothing to do";
  wanted.task.reset();
  const Event event = member_state_event(presence_->now().state, wanted);
  const auto objection = session_.mail().objection("teammate-idle", session_.self(), event);
  if (!objection) return false;
  ++objections_;
  become(State::active, fmt::format("the hook teammate-idle: {}", *objection));
  Work work = make_work(options_.plan ? Phase::plan : Phase::work, "a hook");
  work.prompt = prompt_for_objection("teammate-idle", *objection);
  const Outcome outcome = drive(work);
  driver_.settle();
  if (outcome.kind == Outcome::Kind::interrupted) end_with(outcome, State::shutdown);
  if (outcome.kind == Outcome::Kind::unavailable) end_with(outcome, State::error);
  return true;
}

// What the lead is to do when nothing else happens. False if it may idle.
bool Teammate::follows_decision() {
  if (!options_.before_idle) return false;
  const IdleDecision decision = options_.before_idle();
  if (decision.prompt) return work_on_text("a reminder", *decision.prompt);
  if (!decision.ending) return false;
  ending_ = Ending{.reason = *decision.ending, .status = decision.status};
  return true;
}

// Sleeps until something happens that may concern this member.
void Teammate::idle() {
  if (!watch_) {
    doze();
    return;  // and look once more
  }
  if (is_kept_busy() || follows_decision()) return;
  if (!is_idle(presence_->now().state)) {
    become(State::idle, "nothing to do");
    if (!is_idle(presence_->now().state)) look_again_ = Deadline::in(1);
    if (switch_setting(session_.team(), "idle.notify")) {
      session_.mail().notify(session_.team().lead, "idle_notification",
                             fmt::format("[Idle] {} is idle.", session_.self().name));
    }
  }
  if (!idle_end_) {
    idle_end_ = options_.deadline;
    if (options_.idle_timeout) idle_end_ = idle_end_->or_in(*options_.idle_timeout);
  }
  if (session_.has_board()) {
    presence_->tell_if_all_idle(session_.roster(), session_.team(), session_.board(), session_.mail());
    if (post_ && !dozes_) wake_owners();
    watch_leases();
  } else {
    look_again_ = look_again_.or_in(kLookForStore);
  }
  Changes changes;
  while (true) {
    if (options_.look_every) look_again_ = look_again_.or_in(*options_.look_every);
    const Deadline doze_end = dozes_ ? Deadline::in(kLongestDoze) : Deadline::never();
    changes = watch_->wait(idle_end_->or_at(look_again_).or_at(doze_end));
    if (options_.deadline.passed()) {
      ending_ = Ending{"the time is over", static_cast<int>(Code::no), State::shutdown, true};
      return;
    }
    if (idle_end_->passed()) {
      ending_ = Ending{.reason = fmt::format("idle for {} s", *options_.idle_timeout)};
      return;
    }
    if (look_again_.passed()) break;
    if (dozes_ ? stirs(changes) : concerns_me(changes)) break;
  }
  if (look_again_.passed()) look_again_ = Deadline::never();
  if (is_being_removed(changes)) await_removal();
  if (dozes_ || changes.all) put_watch_away();  // the files may be others by now
}

// Whether files are gone that only go with the whole store, or with a task that is deleted.
bool Teammate::is_being_removed(const Changes& changes) const {
  const Folder& team = presence_->folder();
  if (changes.all) return !team.has(kTeamConfig) || !team.has(inbox_lock_of(session_.self().name));
  if (!changes.removed) return false;
  return std::any_of(changes.names.begin(), changes.names.end(), [&](const std::string& name) {
    if (TaskFiles::id_of(name)) return !session_.board().folder().has(name);
    return (name.ends_with(".alive") || name == kTeamConfig) && !team.has(name);
  });
}

// A lock file that is made while somebody removes a folder would keep the folder from going.
void Teammate::await_removal() {
  const Deadline limit = Deadline::in(kLongestRemoval);
  while (!limit.passed() && watch_->wait(Deadline::in(kRemoval)).removed) continue;
  doubt_ = Deadline::in(kDoubt);
}

// The end of a lease is no change of any file. A deputy leaves it to the lookout at first.
void Teammate::watch_leases() {
  const std::int64_t end = options_.auto_claim && (!dozes_ || is_deputy_) ? session_.board().lapses().lease_end : 0;
  if (end == 0) return;
  constexpr double kSecond = 1e9;
  if (end <= boot_ns()) look_again_ = look_again_.or_in(1);  // it could not be reclaimed
  else watch_->wake_at(end + (is_deputy_ ? static_cast<std::int64_t>(kDeputyDelay * kSecond) : 0));
}

// Whether something has come for one who dozes: its mail, another configuration, the post, or a nudge.
bool Teammate::stirs(const Changes& changes) {
  const auto& names = changes.names;
  const bool is_told = changes.any && !changes.untold;
  const auto is_task = [](const std::string& name) { return TaskFiles::id_of(name).has_value(); };
  if (is_deputy_ && !is_alerted_ && std::any_of(names.begin(), names.end(), is_task)) {
    is_alerted_ = true;
    look_again_ = look_again_.or_in(kDeputyDelay);
  }
  const bool is_woken = is_told && (changes.all || names.empty());
  if (is_woken || door_->has_new() || std::find(names.begin(), names.end(), kTeamConfig) != names.end()) return true;
  if (is_told) return false;
  // Nobody has told it anything: should the one at the post hang, or be missing, it looks for itself.
  return session_.board().changed_at() != board_seen_ || !session_.is_current();
}

// Those who have tasks that are ready and doze; all others have woken by themselves.
void Teammate::wake_owners() const {
  for (const std::string& owner : session_.board().owners_of_ready()) {
    if (owner != session_.self().name && owner != "user") session_.mail().mailbox(owner).nudge();
  }
}

// The folders also tell of what only others care for: their states, their mail, the log.
bool Teammate::concerns_me(const Changes& changes) {
  if (changes.all || changes.names.empty()) return true;
  const std::string inbox = inbox_of(session_.self().name);
  bool concerns = false;
  for (const std::string& name : changes.names) {
    const bool is_task = name.ends_with(".json") && parse_integer(name.substr(0, name.size() - 5));
    const bool somebody_died = name.ends_with(".alive");
    // The kernel tells of the end of a life just before it frees the lock: look once more a little later.
    if (somebody_died) look_again_ = Deadline::in(0.05);
    concerns = concerns || is_task || somebody_died || name == inbox || name == kTeamConfig;
  }
  return concerns;
}

}  // namespace team
