#include "libteam/view/top.h"

#include <poll.h>

#include <csignal>
#include <memory>
#include <utility>

#include "libteam/store/live_team.h"
#include "libteam/store/mail_operations.h"
#include "libteam/system/signals.h"
#include "libteam/view/background_worker.h"
#include "libteam/view/screen.h"
#include "libteam/view/top_view.h"

namespace team {

namespace {

constexpr double kPause = 0.1;  // seconds between two reads of changed files
constexpr double kTick = 1;     // seconds between two ticks of the clock
constexpr double kRest = 2;     // seconds between two reads of all files
constexpr double kAbsence = 5;  // seconds that the store may be missing

void send(const TopAction& action, const MailOperations& operations) {
  switch (action.kind) {
    case TopAction::Kind::approve:
    case TopAction::Kind::reject: {
      const auto feedback = action.text.empty() ? std::nullopt : std::optional(action.text);
      operations.approve_or_reject(action.request, action.kind == TopAction::Kind::approve, feedback);
      return;
    }
    case TopAction::Kind::stop: operations.ask_to_shut_down(action.member); return;
    default: break;
  }
  OutgoingMessage message;
  message.to = action.member;
  message.content = action.text;
  operations.send(message);
}

std::string_view describe(TopAction::Kind kind) {
  switch (kind) {
    case TopAction::Kind::approve: return "the plan of {} is approved";
    case TopAction::Kind::reject: return "the plan of {} is rejected";
    case TopAction::Kind::stop: return "{} was asked to shut down";
    default: return "sent to {}";
  }
}

class Top {
 public:
  explicit Top(Context& context)
      : context_(context),
        team_(context.team().name),
        actor_(context.actor()),
        live_(context.engine(), context.session().board(), context.team(), actor_.name),
        watcher_(context.engine().make_watcher()) {
    live_.watch(*watcher_);
    live_.look_at_all();  // before the screen is set up, so that an error is printed as by any other command
  }

  Exit run() {
    const Signals signals;
    const Exit end = show(signals);
    // The terminal is restored by now. The running job may wait for a lock.
    if (const auto error = worker_.finish(); error && end == Exit::done) throw *error;
    return end;
  }

 private:
  using Tone = Output::Tone;

  Exit show(const Signals& signals) {
    Screen screen;
    std::vector<int> wakers = screen.wakers();
    wakers.push_back(signals.fd());
    wakers.push_back(worker_.fd());
    wakers_ = wakers;
    for (const int waker : wakers) watcher_->wake_on(waker);
    while (true) {
      live_.listen_to(view_.listens_to());
      screen.draw(view_.draw(live_.scene(), screen.size(), now()));
      wait(wakers);
      if (const auto signal = signals.take()) return static_cast<Exit>(128 + *signal);
      if (screen.is_gone()) return static_cast<Exit>(128 + SIGHUP);
      while (const auto done = worker_.take()) {
        if (done->error) complain(*done->error);
        else view_.say(done->text, Tone::good);
      }
      while (const auto key = screen.key()) {
        const TopAction action = view_.press(*key, live_.scene());
        if (action.kind == TopAction::Kind::quit) return Exit::done;
        if (action.kind == TopAction::Kind::suspend) screen.suspend();
        else if (action.kind == TopAction::Kind::redraw) screen.forget();
        else if (action.kind != TopAction::Kind::none) perform(action);
        // If the terminal does not mark pastes, the lines after the first would be read as commands.
        if (key->kind == Key::Kind::enter && action.kind != TopAction::Kind::none) screen.drop_keys();
      }
    }
  }

  void complain(const Error& error) {
    view_.say(fmt::format("{}: {}", name_of(error.code()), error.what()), Tone::bad);
  }

  // Waits for a key, a change or the next second. A change waits until kPause has passed since the last read; a key
  // does not.
  void wait(const std::vector<int>& wakers) {
    if (!next_look_.passed()) {
      std::vector<pollfd> waiting;
      for (const int waker : wakers) waiting.push_back({waker, POLLIN, 0});
      if (::poll(waiting.data(), waiting.size(), next_look_.left_ms()) != 0) return;
    }
    TeamChanges changes = watcher_->wait(Deadline::in(live_.is_unsettled() ? kPause : kTick));
    // If no change can be watched, every key would otherwise cause a read of all files.
    all_due_ = all_due_ || changes.everything || live_.has_missed();
    changes.everything = all_due_ && next_full_.passed();
    if (!changes.everything && !changes.has_topics() && !live_.is_unsettled()) return;
    if (live_.has_missed() && !changes.everything) return;
    look(changes);
  }

  void look(const TeamChanges& changes) {
    if (changes.everything) all_due_ = false;
    try {
      live_.look(changes);
      missing_since_.reset();
      if (live_.has_moved()) renew_watch();
      if (std::exchange(has_error_, false)) view_.say("", Tone::plain);
    } catch (const Error& error) {
      // A removed store may be created again.
      if (error.code() == Code::not_found && !missing_since_) missing_since_ = Deadline::in(kAbsence);
      if (error.code() == Code::not_found && missing_since_->passed()) throw;
      has_error_ = true;
      complain(error);
    }
    next_look_ = Deadline::in(kPause);
    if (changes.everything) next_full_ = Deadline::in(kRest);
  }

  void renew_watch() {
    live_.watch(*watcher_);
    for (const int waker : wakers_) watcher_->wake_on(waker);
    all_due_ = true;  // for changes before the new watch
  }

  // Runs on the background thread with the latest state of the team, because waiting for a lock must not block the
  // screen.
  void perform(const TopAction& action) {
    view_.say(action.kind == TopAction::Kind::send ? "sending…" : "asking…", Tone::faint);
    worker_.run([&engine = context_.engine(), action, actor = actor_, name = team_] {
      const auto team = std::make_shared<const FoundTeam>(engine.find_team(name));
      const TeamSession session(engine, team, actor, Missing::refuse);
      if (action.kind == TopAction::Kind::stop && engine.life_of(name, action.member) != Life::running) {
        fail(Code::invalid_state, "{} is not running", action.member);
      }
      send(action, session.messages());
      return fmt::format(fmt::runtime(describe(action.kind)), action.member);
    });
  }

  Context& context_;
  std::string team_;
  Actor actor_;
  LiveTeam live_;
  std::unique_ptr<Watcher> watcher_;
  TopView view_;
  BackgroundWorker worker_;
  std::vector<int> wakers_;
  std::optional<Deadline> missing_since_;  // the time at which a missing store becomes an error
  Deadline next_look_ = Deadline::in(0);
  Deadline next_full_ = Deadline::in(0);
  bool all_due_ = false;
  bool has_error_ = false;
};

}  // namespace

Exit show_top(Context& context) {
  Screen::check();
  return Top(context).run();
}

}  // namespace team
