#include "libteam/agent/teammate.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "libteam/base/clock.h"
#include "libteam/base/text.h"
#include "libteam/record/settings.h"
#include "libteam/system/id.h"

namespace team {

namespace {

constexpr std::size_t kMostMessages = 50;                // in one piece of work
constexpr std::size_t kMostText = std::size_t{1} << 20;  // of one large message
constexpr double kLongestPause = 30;

std::string title_of(const std::optional<Task>& task) { return task ? fmt::format("task {}", task->id) : "the prompt"; }

std::string senders_of(const std::vector<Message>& messages) {
  std::vector<std::string> names;
  for (const Message& message : messages) {
    if (std::find(names.begin(), names.end(), message.sender) == names.end()) names.push_back(message.sender);
  }
  return join(names, ", ");
}

// The system may do better later; everything else would fail again.
bool may_pass(const Error& error) {
  return error.code() == Code::io || error.code() == Code::again || error.code() == Code::corrupt;
}

}  // namespace

Teammate::Teammate(Workplace& place, TeammateOptions options, Driver& driver, const Signals& signals, Audience audience)
    : place_(place), options_(std::move(options)), driver_(driver), signals_(signals), audience_(std::move(audience)) {
  audience_.record = [this](const std::vector<Event>& events) { record(events); };
}

Teammate::~Teammate() = default;

int Teammate::run() {
  start();
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
  const Actor& self = place_.self();
  const bool joins = place_.team().find(self.name) == nullptr;
  if (joins) {
    Team trial = place_.team();
    add_member(trial, self.name, options_.role);
  }
  presence_.emplace(place_.roster(), place_.team(), self.name, place_.lock_timeout());
  recover();
  if (options_.task) {
    TaskChange claim;
    claim.status = Status::in_progress;
    Changed claimed = place_.board().change(*options_.task, claim, self);
    held_.push_front({std::move(claimed.task), claimed.owner_before == self.name, std::nullopt});
  }
  try {
    if (joins) {
      place_.roster().change(place_.team().name, [&](Team& team) { add_member(team, self.name, options_.role); });
      place_.refresh();
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
  if (options_.start.mode != "background") first.pane = environment_variable("TMUX_PANE");
  if (first.pane) first.tmux = split(environment_variable("TMUX").value_or(""), ',').front();
  first.start = options_.start;
  if (options_.prompt) first.start.arguments.insert(first.start.arguments.end(), {"--prompt", *options_.prompt});
  presence_->begin(std::move(first), place_.mail(), self);
  record({make_event("RUN_STARTED", {{"run_id", self.run.value_or("")}})});
}

// What the last life held is this one's, unless another task was asked for or it takes none by itself: then it is given
// back. Plans for it that wait for an answer are void.
void Teammate::recover() {
  const bool keeps = options_.auto_claim && !options_.task;
  const auto recovery = keeps ? Board::Recovery::take_over : Board::Recovery::release;
  for (Task& task : place_.board().recover(place_.self(), recovery)) {
    note(fmt::format("task {} is left from the last life", task.id));
    for (const Request& request : place_.mail().requests().all([](const Error&) {})) {
      const bool stale = request.kind == RequestKind::plan && request.status == RequestStatus::pending &&
                         request.from == place_.self().name && request.task == task.id;
      if (stale) place_.mail().requests().withdraw(request.id);
    }
    if (keeps) held_.push_back({std::move(task), false, std::nullopt});
  }
}

void Teammate::live() {
  if (options_.task && !held_.empty()) work_on_held();
  if (!ending_ && options_.prompt) work_on({});
  while (!ending_) {
    try {
      step();
      pause_ = 1;
    } catch (const Error& error) {
      if (!may_pass(error)) throw;
      wait_after(error);
    }
  }
}

// One look around, and one piece of work if there is one.
void Teammate::step() {
  if (const auto signal = signals_.take()) {
    interrupt(*signal);
    return;
  }
  place_.refresh();
  if (work_on_messages(options_.plan ? Phase::plan : Phase::work) || ending_) return;
  if (!held_.empty()) {
    work_on_held();
    return;
  }
  if (auto claimed = claim_next()) {
    const bool assigned = claimed->owner_before == place_.self().name;
    work_on({std::move(claimed->task), assigned, std::nullopt});
    return;
  }
  if (!held_.empty()) return;
  if (options_.until_done && place_.board().is_over_for(place_.self())) {
    ending_ = Ending{.reason = "the board has nothing left for it"};
    return;
  }
  idle();
}

void Teammate::work_on_held() {
  Job job = std::move(held_.front());
  held_.pop_front();
  work_on(std::move(job));
}

std::optional<Changed> Teammate::claim_next() {
  if (!options_.auto_claim) return std::nullopt;
  try {
    return place_.board().claim_next(place_.self());
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
  filter.owner = place_.self().name;
  const auto keep = [&](const SeenTask& seen) {
    if (seen.task.run == place_.self().run) held_.push_back({seen.task, false, std::nullopt});
  };
  place_.board().view().each(filter, BoardView::Detail::open_blockers, keep, [](TaskId, const Error&) {});
}

void Teammate::end() {
  presence_->set_resumable(ending_->resumable);
  if (ending_->status == static_cast<int>(Code::not_found)) return;  // of a team that is gone nothing is to be left
  try {
    while (!held_.empty()) {
      if (is_mine(held_.front())) put_back(held_.front(), ending_->reason);
      held_.pop_front();
    }
    answer_others();
    become(ending_->state, ending_->reason);
    const bool failed = ending_->state == State::error;
    record({make_event(failed ? "RUN_ERROR" : "RUN_FINISHED", {{failed ? "message" : "reason", ending_->reason}})});
  } catch (const Error& error) {
    note(error.what());  // a full disk or a team that is gone; there is nothing more to say it to
  }
}

void Teammate::finish_piece(bool success) {
  succeeded_ = succeeded_ || success;
  objections_ = 0;
  idle_end_.reset();
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
  return {place_.self().name, place_.self().role, place_.team().name, options_.role_prompt};
}

// A system that refuses to have it written down does not keep anybody from working.
void Teammate::become(State state, const std::string& reason, std::optional<TaskId> task) {
  const State from = presence_->now().state;
  try {
    presence_->become(state, reason, task, place_.mail(), place_.self());
  } catch (const Error& error) {
    if (!may_pass(error) && error.code() != Code::unknown) throw;
    note(fmt::format("{}: {}", name_of(error.code()), error.what()));
  }
  if (from != presence_->now().state || state == State::active) note(fmt::format("{}: {}", name_of(state), reason));
}

// That something could not be written down is no reason to stop working.
void Teammate::record(const std::vector<Event>& events) const {
  try {
    place_.mail().record(place_.self(), events);
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
      if (error.code() == Code::unknown) return;
      if (error.code() != Code::io && error.code() != Code::again) throw;
      wait_after(error);
      if (ending_) return;
    }
  }
}

// From here on nothing is missed. Only for who is about to wait: the folders of a busy team change all the time, and
// each who watches makes that dearer for all.
void Teammate::watch() {
  watch_.emplace(presence_->folder());
  place_.board().watch(*watch_);
  watch_->wake_on(signals_.fd());
  watch_->look_every(number_setting(place_.team(), "idle.poll"));
}

void Teammate::wait_after(const Error& error) {
  if (!watch_) watch();
  note(fmt::format("{}: {}; tries again in {} s", name_of(error.code()), error.what(), pause_));
  const Deadline deadline = Deadline::in(pause_);
  pause_ = std::min(2 * pause_, kLongestPause);
  while (!deadline.passed() && !ending_) {
    const Changes changes = watch_->wait(deadline);
    if (const auto signal = signals_.take()) interrupt(*signal);
    const auto& names = changes.names;
    if (std::find(names.begin(), names.end(), "config.json") != names.end()) break;  // perhaps it is mended
  }
}

// A request counts if its record says so: what a message pretends is nothing.
bool Teammate::answer_shutdown(const Message& message) {
  if (message.type != "shutdown_request" || !message.request_id || !is_id(*message.request_id)) return false;
  return answer_shutdown(*message.request_id, message_event("SHUTDOWN_REQUESTED", message));
}

// True if it is agreed to end.
bool Teammate::answer_shutdown(const std::string& request_id, const Event& event) {
  try {
    const Request request = place_.mail().requests().get(request_id);
    const bool asked = request.kind == RequestKind::shutdown && request.status == RequestStatus::pending &&
                       request.to == place_.self().name;
    if (!asked) return false;
    Letter letter;
    letter.type = "shutdown_response";
    letter.to = request.from;
    letter.request_id = request.id;
    if (!ending_) letter.feedback = place_.mail().objection("teammate-shutdown", place_.self(), event);
    letter.approve = !letter.feedback;
    place_.mail().send(letter, place_.self());
    if (letter.feedback) return false;
    if (!ending_) ending_ = Ending{.reason = fmt::format("asked to by {}", request.from)};
    return true;
  } catch (const Error& error) {
    if (may_pass(error)) throw;
    note(error.what());
    return false;
  }
}

// Whoever else has asked it to end gets what it wants; its next life is not meant.
void Teammate::answer_others() {
  for (const Request& request : place_.mail().requests().all([](const Error&) {})) {
    const bool open = request.kind == RequestKind::shutdown && request.status == RequestStatus::pending;
    if (open && request.to == place_.self().name) answer_shutdown(request.id, make_event("SHUTDOWN_REQUESTED", {}));
  }
}

void Teammate::read_body(const Mailbox& mailbox, Message& message) const {
  if (message.body_size == 0 || !mailbox.has_body(message)) return;
  message.content.clear();
  mailbox.each_body_piece(message, [&](std::string_view piece) {
    message.content += piece.substr(0, kMostText - std::min(kMostText, message.content.size()));
  });
  message.content = repair_utf8(message.content);
}

// Takes what is there, or a part of it. False if there is nothing.
bool Teammate::work_on_messages(Phase phase) {
  const Mailbox mailbox = place_.mailbox();
  auto batch = mailbox.take({}, kMostMessages, place_.self().run);
  if (!batch) return false;
  // Before all else, and the others are not lost by it: they wait for the next life.
  for (const Message& message : batch->messages()) {
    if (!answer_shutdown(message)) continue;
    if (batch->messages().size() == 1) persist([&] { batch->acknowledge(); });
    else batch->release();
    return false;
  }
  std::vector<Message> messages;
  std::vector<Event> events;
  for (const Message& message : batch->messages()) {
    events.push_back(message_event("MESSAGE_DELIVERED", message));
    const bool wakes = message.type == "task_assigned" || message.type == "task_unblocked";
    const bool is_control = message.type == "shutdown_request" || message.type == "plan_approval_response";
    if (is_control || (wakes && options_.auto_claim)) continue;
    messages.push_back(message);
    read_body(mailbox, messages.back());
    note(fmt::format("{} from {}: {}", message.type, one_line(message.sender), one_line(message.summary)));
  }
  record(events);
  if (!messages.empty()) {
    watch_.reset();
    if (phase == Phase::work || presence_->now().state != State::plan_pending) {
      become(State::active, fmt::format("messages from {}", senders_of(messages)));
    }
    Outcome outcome;
    for (std::int64_t attempt = 0; attempt <= options_.retries; ++attempt) {
      outcome = driver_.work({phase, "messages", prompt_for_messages(identity(), messages), {}, ""}, audience_);
      if (outcome.kind != Outcome::Kind::failed) break;
      note(outcome.reason);
    }
    if (outcome.kind == Outcome::Kind::interrupted) {
      batch->release();
      end_with(outcome, State::shutdown);
      return true;
    }
    if (outcome.kind == Outcome::Kind::hopeless && !succeeded_) {
      batch->release();
      end_with(outcome, State::error);
      return true;
    }
    const bool done = outcome.kind == Outcome::Kind::done;
    if (done) {
      reply(messages, outcome.result);
    } else {
      for (const Message& message : messages) {
        if (message.sender == "system") continue;
        place_.mail().notify(message.sender, "error",
                             fmt::format("[System] {} could not work on \"{}\": {}", place_.self().name,
                                         message.summary, outcome.reason));
      }
    }
    if (presence_->now().state != State::plan_pending) finish_piece(done);
  }
  events.clear();
  for (const Message& message : batch->messages()) events.push_back(message_event("MESSAGE_PROCESSED", message));
  persist([&] { batch->acknowledge(); });
  record(events);
  return true;
}

// What was said about messages goes back to those who wrote them, one by one.
void Teammate::reply(const std::vector<Message>& messages, const std::string& text) {
  if (text.empty()) return;
  std::set<std::string> answered;
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    if (message->type != "message" || message->sender == "system" || message->sender == place_.self().name) continue;
    if (!answered.insert(message->sender).second) continue;
    Letter letter;
    letter.to = message->sender;
    letter.content = text;
    letter.reply_to = message->id;
    try {
      place_.mail().send(letter, place_.self());
    } catch (const Error& error) {
      if (error.code() == Code::io || error.code() == Code::again) throw;
      note(error.what());
      if (error.code() == Code::paused) become(State::paused, error.what());
    }
  }
}

bool Teammate::is_mine(const Job& job) const {
  if (!job.task) return true;
  try {
    const Task now = place_.board().view().get(job.task->id);
    return now.status == Status::in_progress && now.owner == place_.self().name && now.run == place_.self().run;
  } catch (const Error& error) {
    return error.code() != Code::not_found;  // a broken file: whoever mends it decides
  }
}

Work Teammate::piece_of(const Job& job, Phase phase) const {
  Work work{phase, title_of(job.task), "", job.task, ""};
  if (job.task) {
    std::vector<Task> done;
    for (const TaskId id : job.task->blocked_by) {
      try {
        done.push_back(place_.board().view().get(id));
      } catch (const Error&) {
        continue;  // its result is missing, no more
      }
    }
    work.prompt = prompt_for_task(identity(), *job.task, done, job.plan);
    work.task_file = std::filesystem::absolute(place_.board().path_of(job.task->id));
  } else {
    work.prompt = prompt_for_text(identity(), *options_.prompt, job.plan);
  }
  if (phase == Phase::plan) work.prompt += ask_for_plan();
  return work;
}

void Teammate::work_on(Job job) {
  watch_.reset();
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
  settle(job, driver_.work(piece_of(job, Phase::work), audience_));
}

// Has plans made until one is approved. False if it came to something else, which is then settled.
bool Teammate::agree_on_plan(Job& job) {
  const auto id = job.task ? std::optional(job.task->id) : std::nullopt;
  while (true) {
    Outcome outcome = driver_.work(piece_of(job, Phase::plan), audience_);
    if (outcome.kind == Outcome::Kind::done && outcome.result.empty()) {
      outcome = {Outcome::Kind::failed, "", "the plan is empty", 0};
    }
    if (outcome.kind != Outcome::Kind::done) {
      settle(job, std::move(outcome));
      return false;
    }
    Letter letter;
    letter.type = "plan_approval_request";
    letter.to = place_.team().lead;
    letter.content = outcome.result;
    if (job.task) letter.task = job.task->id;
    std::string request;
    try {
      persist([&] { request = *place_.mail().send(letter, place_.self()).front().request_id; });
    } catch (const Error& error) {
      if (error.code() != Code::permission_denied) throw;
      settle(job, {Outcome::Kind::failed, "", error.what(), 0});  // a hook refused the plan
      return false;
    }
    if (ending_) {
      put_back(job, ending_->reason);
      return false;
    }
    become(State::plan_pending, fmt::format("plan {} waits for {}", request, place_.team().lead), id);
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
      if (!watch_) watch();
      const Request request = place_.mail().requests().get(id);
      if (request.status != RequestStatus::pending) {
        return PlanAnswer{request.status == RequestStatus::approved, request.feedback.value_or("")};
      }
      if (const auto signal = signals_.take()) interrupt(*signal);
      if (!ending_) place_.refresh();
      if (!ending_ && work_on_messages(Phase::plan) && !ending_) continue;
      const bool lost = !is_mine(job);
      if (ending_ || lost) {
        persist([&] { place_.mail().requests().withdraw(id); });
        if (lost) note(fmt::format("{} is no longer its own", title_of(job.task)));
        else put_back(job, ending_->reason);
        return std::nullopt;
      }
      // An answer is noted, sent and then final; of the last step nothing tells.
      if (place_.mail().requests().get(id).verdict) look_again_ = Deadline::in(0.02);
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
  if (outcome.kind == Outcome::Kind::interrupted) {
    end_with(outcome, State::shutdown);
    if (is_mine(job)) put_back(job, outcome.reason);
    return;
  }
  if (outcome.kind == Outcome::Kind::hopeless && !succeeded_) {
    end_with(outcome, State::error);
  }
  if (!job.task) report_prompt(outcome);
  // The program may have completed or released it by itself, or the lead has taken it away.
  if (!job.task || !is_mine(job)) {
    finish_piece(outcome.kind == Outcome::Kind::done);
    return;
  }
  if (outcome.kind == Outcome::Kind::done) {
    try {
      complete(*job.task, outcome.result);
      finish_piece(true);
      return;
    } catch (const Error& error) {
      if (error.code() != Code::invalid_state && error.code() != Code::permission_denied) throw;
      outcome = {Outcome::Kind::failed, "", error.what(), 0};  // no deliverable, or a hook refused it
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
  place_.mail().notify(
      place_.team().lead, "error",
      fmt::format("[System] {} could not do what its prompt asks: {}", place_.self().name, outcome.reason));
}

void Teammate::complete(const Task& task, const std::string& result) {
  TaskChange change;
  change.status = Status::completed;
  if (!result.empty()) change.result = result;
  std::optional<Changed> changed;
  persist([&] { changed = place_.board().change(task.id, change, place_.self()); });
  if (!changed) return;
  note(fmt::format("completed task {}", task.id));
  try {
    announce_freed(place_.mail(), place_.team(), changed->task, changed->freed, place_.self());
  } catch (const Error& error) {
    note(error.what());  // the board says it too
  }
}

void Teammate::give_up(const Task& task, const std::string& reason) {
  TaskChange change;
  change.status = Status::failed;
  change.reason = reason;
  persist([&] { place_.board().change(task.id, change, place_.self()); });
  note(fmt::format("failed task {} after {} attempts", task.id, task.attempts));
}

void Teammate::put_back(const Job& job, const std::string& reason) {
  if (!job.task) return;
  TaskChange change;
  change.status = Status::pending;
  change.reason = reason;
  if (job.assigned) change.owner = place_.self().name;
  std::optional<Changed> changed;
  persist([&] { changed = place_.board().change(job.task->id, change, place_.self()); });
  if (changed && job.plan && job.plan->approved) approved_ = {changed->task, *job.plan};
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
  const auto objection = place_.mail().objection("teammate-idle", place_.self(), event);
  if (!objection) return false;
  ++objections_;
  become(State::active, fmt::format("the hook teammate-idle: {}", *objection));
  const Phase phase = options_.plan ? Phase::plan : Phase::work;
  const Outcome outcome =
      driver_.work({phase, "a hook", prompt_for_text(identity(), *objection, {}), {}, ""}, audience_);
  if (outcome.kind == Outcome::Kind::interrupted) {
    end_with(outcome, State::shutdown);
  }
  return true;
}

// Sleeps until something happens that may concern this member.
void Teammate::idle() {
  if (!watch_) {
    watch();
    return;  // and look once more
  }
  if (is_kept_busy()) return;
  if (!is_idle(presence_->now().state)) {
    become(State::idle, "nothing to do");
    if (!is_idle(presence_->now().state)) look_again_ = Deadline::in(1);
    if (switch_setting(place_.team(), "idle.notify")) {
      place_.mail().notify(place_.team().lead, "idle_notification",
                           fmt::format("[Idle] {} is idle.", place_.self().name));
    }
  }
  if (!idle_end_) idle_end_ = options_.idle_timeout ? Deadline::in(*options_.idle_timeout) : Deadline::never();
  presence_->tell_if_all_idle(place_.roster(), place_.team(), place_.board(), place_.mail());
  while (true) {
    const Changes changes = watch_->wait(idle_end_->or_at(look_again_));
    if (idle_end_->passed()) {
      ending_ = Ending{.reason = fmt::format("idle for {} s", *options_.idle_timeout)};
      return;
    }
    if (look_again_.passed()) break;
    if (concerns_me(changes)) return;
  }
  look_again_ = Deadline::never();
}

// The folders also tell of what only others care for: their states, their mail, the log.
bool Teammate::concerns_me(const Changes& changes) {
  if (changes.all || changes.names.empty()) return true;
  const std::string inbox = place_.self().name + "_inbox.jsonl";
  bool concerns = false;
  for (const std::string& name : changes.names) {
    const bool is_task = name.ends_with(".json") && parse_integer(name.substr(0, name.size() - 5));
    const bool somebody_died = name.ends_with(".alive");
    // The kernel tells of the end of a life just before it frees the lock: look once more a little later.
    if (somebody_died) look_again_ = Deadline::in(0.05);
    concerns = concerns || is_task || somebody_died || name == inbox || name == "config.json";
  }
  return concerns;
}

}  // namespace team
