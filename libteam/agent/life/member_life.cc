#include "libteam/agent/life/member_life.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "libteam/agent/life/mail_handler.h"

namespace team {

namespace {

constexpr double kLongestPause = 30;
constexpr double kLongestAbsence = 10;  // of the folder of the team
constexpr double kLongestBoardAbsence = 60;
constexpr double kLookForStore = 0.5;  // while it is missing

std::string describe(const Error& error) { return fmt::format("{}: {}", name_of(error.code()), error.what()); }

}  // namespace

MemberLife::MemberLife(TeamSession& session, TeammateOptions options, Driver& driver, const Signals& signals,
                       Audience audience)
    : session_(session),
      options_(std::move(options)),
      driver_(driver),
      signals_(signals),
      audience_(std::move(audience)),
      wakeups_(session_, options_, driver_, signals_) {
  audience_.record = [this](const std::vector<Event>& events) { record(events); };
  audience_.charge = [this](const Usage& more) {
    Usage all = parse_usage(presence_->now().usage);
    all += more;
    presence_->set_usage(to_json_text(all));
  };
  audience_.keep_session = [this](const std::optional<AgentSession>& session) {
    persist([&] { presence_->set_session(session); });
  };
  audience_.spend = [this](const Usage& all) { presence_->set_usage(to_json_text(all)); };
}

void MemberLife::take_name() { presence_.emplace(session_.engine(), session_.team(), self().name); }

void MemberLife::become(State state, const std::string& reason, std::optional<TaskId> task) {
  const State from = presence_->now().state;
  try {
    presence_->become(state, reason, task, session_.mail(), self());
  } catch (const Error& error) {
    if (!may_pass(error) && error.code() != Code::unknown) throw;
    note(describe(error));
  }
  if (audience_.become) audience_.become(state);
  if (from != presence_->now().state || state == State::active) note(fmt::format("{}: {}", name_of(state), reason));
}

void MemberLife::record(const std::vector<Event>& events) const {
  try {
    session_.mail().record(self(), events);
  } catch (const Error& error) {
    note(error.what());
  }
}

void MemberLife::end_with(const Outcome& outcome, State state) {
  ending_ = Ending{outcome.reason, outcome.status, state, true};
}

bool MemberLife::end_on_signal() {
  const auto signal = signals_.take();
  if (!signal) return false;
  ending_ = Ending{fmt::format("interrupted by {}", ::strsignal(*signal)), 128 + *signal, State::shutdown, true};
  return true;
}

const Deadline& MemberLife::idle_end() {
  if (!idle_end_) {
    idle_end_ = options_.deadline;
    if (options_.idle_timeout) idle_end_ = idle_end_->or_in(*options_.idle_timeout);
  }
  return *idle_end_;
}

void MemberLife::refresh() {
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
  if (is_missing || !session_.has_board()) wakeups_.doubt_board();
  if (had_board && !session_.has_board()) note("the board was removed; waits for it to come back");
  if (!presence_->is_in_place()) return_to_team();
}

// The store was removed and made again.
void MemberLife::return_to_team() {
  wakeups_.leave_team();
  if (session_.team().find(self().name) == nullptr) {
    session_.membership().join(self().name, self().role);
    session_.refresh();
  }
  presence_->move_to(session_.engine(), session_.team().name);
  note("the team has another folder; goes on there");
}

void MemberLife::pause(const Deadline& deadline) {
  wakeups_.sleep_until_signal(deadline);
  end_on_signal();
}

// The result of a task must not be lost because somebody has taken the board away for a while.
void MemberLife::await_board() {
  refresh();
  const Deadline absence = Deadline::in(kLongestBoardAbsence);
  while (!ending_ && !session_.has_board() && !absence.passed()) {
    pause(absence.or_in(kLookForStore));
    if (!ending_) refresh();
  }
}

void MemberLife::persist(const std::function<void()>& call) {
  while (true) {
    try {
      call();
      return;
    } catch (const Error& error) {
      if (error.code() == Code::unknown) {
        note(describe(error));  // done, perhaps not on the disk or in the log
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

void MemberLife::wait_after(const Error& error) {
  wakeups_.watch_all();
  note(fmt::format("{}; tries again in {} s", describe(error), pause_));
  const Deadline deadline = Deadline::in(pause_);
  pause_ = std::min(2 * pause_, kLongestPause);
  while (!deadline.passed() && !ending_) {
    const bool is_configured = wakeups_.sleep_until_configured(deadline);
    end_on_signal();
    if (is_configured) break;  // perhaps somebody has mended it
  }
}

}  // namespace team
