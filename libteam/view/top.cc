#include "libteam/view/top.h"

#include <poll.h>

#include <csignal>
#include <utility>

#include "libteam/store/live_team.h"
#include "libteam/system/process.h"
#include "libteam/view/background_worker.h"
#include "libteam/view/screen.h"
#include "libteam/view/top_view.h"

namespace team {

namespace {

constexpr double kPause = 0.1;  // between two looks at what has changed
constexpr double kTick = 1;     // of the clock
constexpr double kRest = 2;     // between two looks at everything
constexpr double kAbsence = 5;  // that the store may be missing

OutgoingMessage letter_of(const TopWish& wish) {
  OutgoingMessage letter;
  letter.to = wish.member;
  switch (wish.kind) {
    case TopWish::Kind::approve:
    case TopWish::Kind::reject:
      letter.type = "plan_approval_response";
      letter.request_id = wish.request;
      letter.approve = wish.kind == TopWish::Kind::approve;
      if (!wish.text.empty()) letter.feedback = wish.text;
      break;
    case TopWish::Kind::stop: letter.type = "shutdown_request"; break;
    default: letter.content = wish.text; break;
  }
  return letter;
}

std::string_view describe(TopWish::Kind kind) {
  switch (kind) {
    case TopWish::Kind::approve: return "the plan of {} is approved";
    case TopWish::Kind::reject: return "the plan of {} is rejected";
    case TopWish::Kind::stop: return "{} was asked to shut down";
    default: return "sent to {}";
  }
}

class Top {
 public:
  explicit Top(Context& context)
      : context_(context),
        team_(context.team().name),
        actor_(context.actor()),
        live_(context.roster(), context.board(), context.team(), actor_.name, context.choices().lock_timeout),
        watch_(live_.make_watch()) {
    live_.look_at_all();  // before the screen is ours: what is wrong from the start is said as in any other command
  }

  Exit run() {
    const Signals signals;
    const Exit end = show(signals);
    // The terminal is restored by now: an errand may take as long as a lock does.
    if (const auto trouble = errands_.finish(); trouble && end == Exit::done) throw *trouble;
    return end;
  }

 private:
  using Tone = Output::Tone;

  Exit show(const Signals& signals) {
    Screen screen;
    std::vector<int> wakers = screen.wakers();
    wakers.push_back(signals.fd());
    wakers.push_back(errands_.fd());
    wakers_ = wakers;
    for (const int waker : wakers) watch_.wake_on(waker);
    while (true) {
      live_.listen_to(view_.listens_to());
      screen.draw(view_.draw(live_.scene(), screen.size(), now()));
      wait(wakers);
      if (const auto signal = signals.take()) return static_cast<Exit>(128 + *signal);
      if (screen.is_gone()) return static_cast<Exit>(128 + SIGHUP);
      while (const auto done = errands_.take()) {
        if (done->error) complain(*done->error);
        else view_.say(done->text, Tone::good);
      }
      while (const auto key = screen.key()) {
        const TopWish wish = view_.press(*key, live_.scene());
        if (wish.kind == TopWish::Kind::quit) return Exit::done;
        if (wish.kind == TopWish::Kind::suspend) screen.suspend();
        else if (wish.kind == TopWish::Kind::redraw) screen.forget();
        else if (wish.kind != TopWish::Kind::none) grant(wish);
        // From a terminal that does not mark pastes the lines after the first would be commands.
        if (key->kind == Key::Kind::enter && wish.kind != TopWish::Kind::none) screen.drop_keys();
      }
    }
  }

  void complain(const Error& error) {
    view_.say(fmt::format("{}: {}", name_of(error.code()), error.what()), Tone::bad);
  }

  // Until there is something to draw: a key, a change, the next second. Changes wait until the last look is a pause
  // old; keys do not.
  void wait(const std::vector<int>& wakers) {
    if (!next_look_.passed()) {
      std::vector<pollfd> waiting;
      for (const int waker : wakers) waiting.push_back({waker, POLLIN, 0});
      if (::poll(waiting.data(), waiting.size(), next_look_.left_ms()) != 0) return;
    }
    Changes changes = watch_.wait(Deadline::in(live_.is_unsettled() ? kPause : kTick));
    // Where nothing tells of changes, every key would be a reason to look at everything.
    all_due_ = all_due_ || changes.all || live_.has_missed();
    changes.all = all_due_ && next_full_.passed();
    if (!changes.all && changes.names.empty() && !live_.is_unsettled()) return;
    if (live_.has_missed() && !changes.all) return;
    look(changes);
  }

  void look(const Changes& changes) {
    if (changes.all) all_due_ = false;
    try {
      live_.look(changes);
      missing_since_.reset();
      if (live_.has_moved()) watch_anew();
      if (std::exchange(troubled_, false)) view_.say("", Tone::plain);
    } catch (const Error& error) {
      // A store that was removed may be made again.
      if (error.code() == Code::not_found && !missing_since_) missing_since_ = Deadline::in(kAbsence);
      if (error.code() == Code::not_found && missing_since_->passed()) throw;
      troubled_ = true;
      complain(error);
    }
    next_look_ = Deadline::in(kPause);
    if (changes.all) next_full_ = Deadline::in(kRest);
  }

  void watch_anew() {
    watch_ = live_.make_watch();
    for (const int waker : wakers_) watch_.wake_on(waker);
    all_due_ = true;  // what changed before the watch began
  }

  // By somebody else, with the team as it is then: a lock that is not free must not hold up the screen.
  void grant(const TopWish& wish) {
    view_.say(wish.kind == TopWish::Kind::send ? "sending…" : "asking…", Tone::faint);
    const Root& root = context_.root();
    const Roster& roster = context_.roster();
    const double lock_timeout = context_.choices().lock_timeout;
    errands_.run([&root, &roster, lock_timeout, wish, actor = actor_, name = team_] {
      const Team team = roster.get(name);
      if (wish.kind == TopWish::Kind::stop && roster.life_of(name, wish.member) != Life::running) {
        fail(Code::invalid_state, "{} is not running", wish.member);
      }
      OutgoingMessage letter = letter_of(wish);
      if (wish.kind == TopWish::Kind::stop) letter.content = fmt::format("{} asks you to shut down", actor.name);
      Mail(root, team, lock_timeout).send(letter, actor);
      return fmt::format(fmt::runtime(describe(wish.kind)), wish.member);
    });
  }

  Context& context_;
  std::string team_;
  Actor actor_;
  LiveTeam live_;
  Watch watch_;
  TopView view_;
  BackgroundWorker errands_;
  std::vector<int> wakers_;
  std::optional<Deadline> missing_since_;  // until when the store may be missing
  Deadline next_look_ = Deadline::in(0);
  Deadline next_full_ = Deadline::in(0);
  bool all_due_ = false;
  bool troubled_ = false;
};

}  // namespace

Exit show_top(Context& context) {
  Screen::check();
  return Top(context).run();
}

}  // namespace team
