#include "libteam/agent/life/wakeups.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "libteam/base/number.h"
#include "libteam/record/settings.h"
#include "libteam/system/event_fd.h"

namespace team {

namespace {

constexpr double kLongestDoze = 30;
constexpr double kDeputyDelay = 2;  // that a lookout may take to react
constexpr double kDoubt = 1;

bool is_urgent(const Message& message) {
  return message.type == "shutdown_request" || message.type == "permission_response" || message.interrupt;
}

}  // namespace

Wakeups::Wakeups(TeamSession& session, const TeammateOptions& options, Driver& driver, const Signals& signals)
    : session_(session), options_(options), driver_(driver), signals_(signals) {}

void Wakeups::begin(const Presence& presence) { presence_ = &presence; }

std::unique_ptr<Watcher> Wakeups::watch_mail() const {
  auto watcher = session_.engine().make_watcher();
  watcher->begin(session_.board(), presence_->lives());
  watcher->watch_inbox(session_.self().name);
  return watcher;
}

std::function<bool()> Wakeups::urgent_mail_check() const {
  return [mail = session_.shared_mail(), self = session_.self().name] {
    bool urgent = false;
    const auto look = [&](const Message& message) { urgent = urgent || is_urgent(message); };
    mail->mailbox(self).peek({}, SIZE_MAX, std::nullopt, look);
    return urgent;
  };
}

void Wakeups::watch_all() {
  if (is_watching_ && !dozes_) return;
  begin_watch();
  watch_everything();
}

// A watcher that was just told something is used again: to close one takes the kernel longer than a wake-up may take.
void Wakeups::begin_watch() {
  put_watch_away();
  if (!watcher_ || !watcher_->is_told()) watcher_ = session_.engine().make_watcher();
  watcher_->begin(session_.board(), presence_->lives());
  is_watching_ = true;
  dozes_ = pauses_ = false;
}

void Wakeups::watch_everything() {
  watcher_->watch_team();
  watcher_->watch_inbox(session_.self().name);
  // A board that was removed would wake it at once, again and again. The caller looks for it from time to time.
  if (session_.has_board()) watcher_->watch_tasks();
  watch_descriptors();
}

void Wakeups::watch_descriptors() {
  for (const int fd : {signals_.fd(), driver_.news(), options_.waker}) {
    if (fd >= 0) watcher_->wake_on(fd);
  }
  watcher_->look_every(number_setting(session_.team(), "idle.poll"));
}

// A member that waits for the end of the board, or for something else, always watches for itself.
void Wakeups::doze() {
  begin_watch();
  const bool has_more = options_.until_done || options_.before_idle || options_.look_every;
  if (has_more || !watcher_->is_told()) {
    watch_everything();
    return;
  }
  const auto& role = session_.self().role;
  if (!lookout_ || duty_role_ != role) {
    lookout_ = presence_->lives().duty(LifeEngine::Post::lookout, role);
    deputy_ = presence_->lives().duty(LifeEngine::Post::deputy, role);
    duty_role_ = role;
  }
  if (options_.auto_claim && lookout_->take()) {
    watch_everything();
    deputy_->leave();
    if (watcher_->is_told()) return;
    lookout_->leave();  // it would be slow to see anything
    begin_watch();
  }
  dozes_ = true;
  watcher_->watch_own_inbox(session_.self().name);
  watcher_->watch_configuration();
  watch_descriptors();
  if (options_.auto_claim && watcher_->is_told()) queue();
  board_seen_ = session_.board().changed_at();
}

void Wakeups::pause_until(const std::optional<double>& until) {
  begin_watch();
  dozes_ = pauses_ = true;
  watcher_->watch_own_inbox(session_.self().name);
  watcher_->watch_configuration();
  watcher_->watch_quotas();
  watch_descriptors();
  constexpr double kSecond = 1e9;
  if (until) watcher_->wake_at(boot_ns() + static_cast<std::int64_t>(std::max(0.0, *until - now()) * kSecond));
  board_seen_ = session_.board().changed_at();
}

void Wakeups::queue() {
  is_deputy_ = deputy_->take_or_queue();
  if (!is_deputy_) {
    deputy_->wake(*watcher_);
    return;
  }
  if (session_.has_board()) watcher_->watch_tasks();
  if (lookout_->take_or_queue()) look_again_ = Deadline::in(0);  // it is free by now
  else lookout_->wake(*watcher_);
}

void Wakeups::stop() {
  put_watch_away();
  if (lookout_) lookout_->leave();
  if (deputy_) deputy_->leave();
}

void Wakeups::leave_team() {
  put_watch_away();
  lookout_.reset();
  deputy_.reset();
}

void Wakeups::put_watch_away() {
  is_deputy_ = is_alerted_ = pauses_ = false;
  if (std::exchange(is_watching_, false)) watcher_->clear();
}

void Wakeups::doubt_board() { doubt_ = Deadline::in(kDoubt); }

bool Wakeups::is_board_in_doubt() {
  if (!doubt_ || doubt_->passed()) return false;
  look_again_ = look_again_.or_at(*doubt_);
  return true;
}

void Wakeups::prepare_to_sleep() {
  if (lookout_ && !dozes_) wake_owners();
  watch_leases();
}

// All other members have woken by themselves.
void Wakeups::wake_owners() const {
  for (const std::string& owner : session_.board().owners_of_ready()) {
    if (owner != session_.self().name && owner != "user") session_.mail().mailbox(owner).nudge();
  }
}

// No change reports the end of a lease. A deputy leaves it to the lookout at first.
void Wakeups::watch_leases() {
  const std::int64_t end = options_.auto_claim && (!dozes_ || is_deputy_) ? session_.board().lapses().lease_end : 0;
  if (end == 0) return;
  constexpr double kSecond = 1e9;
  if (end <= boot_ns()) look_again_ = look_again_.or_in(1);  // it could not be reclaimed
  else watcher_->wake_at(end + (is_deputy_ ? static_cast<std::int64_t>(kDeputyDelay * kSecond) : 0));
}

bool Wakeups::sleep(const Deadline& end) {
  TeamChanges changes;
  while (true) {
    if (options_.look_every) look_again_ = look_again_.or_in(*options_.look_every);
    const Deadline doze_end = dozes_ ? Deadline::in(kLongestDoze) : Deadline::never();
    changes = watcher_->wait(end.or_at(look_again_).or_at(doze_end));
    if (end.passed()) return false;
    if (look_again_.passed()) break;
    if (dozes_ ? ends_doze(changes) : concerns_me(changes)) break;
  }
  if (look_again_.passed()) look_again_ = Deadline::never();
  if (changes.removed) {
    watcher_->await_removal();
    doubt_board();
  }
  if (dozes_ || changes.everything) put_watch_away();  // the team or the board may be another one by now
  return true;
}

void Wakeups::sleep_until_news() {
  TeamChanges changes;
  do changes = watcher_->wait(look_again_);
  while (changes.any && !concerns_me(changes));
  if (look_again_.passed()) look_again_ = Deadline::never();
}

bool Wakeups::sleep_until_configured(const Deadline& deadline) { return watcher_->wait(deadline).team; }

void Wakeups::sleep_until_signal(const Deadline& deadline) const { await_readable(signals_.fd(), deadline); }

// The watcher also reports changes that only others care for: their states, their mail, the log.
bool Wakeups::concerns_me(const TeamChanges& changes) {
  // The end of a life is reported just before the life is over: look once more a little later.
  if (!changes.lives.empty()) look_again_ = Deadline::in(0.05);
  if (!changes.any || changes.everything || changes.woken) return true;
  const auto& inboxes = changes.inboxes;
  const bool has_mail = std::find(inboxes.begin(), inboxes.end(), session_.self().name) != inboxes.end();
  return has_mail || changes.team || !changes.tasks.empty() || !changes.lives.empty();
}

// True if something has come for a dozing member: its mail, another configuration, the place of the lookout or deputy,
// or a nudge.
bool Wakeups::ends_doze(const TeamChanges& changes) {
  if (is_deputy_ && !is_alerted_ && !changes.tasks.empty()) {
    is_alerted_ = true;
    look_again_ = look_again_.or_in(kDeputyDelay);
  }
  const bool is_told = changes.any && !changes.untold;
  const bool is_woken = is_told && (changes.everything || changes.woken);
  if (is_woken || !changes.inboxes.empty() || changes.team) return true;
  if (is_told) return false;
  // Nothing woke it: should the lookout hang, or be missing, it looks for itself.
  return session_.board().changed_at() != board_seen_ || !session_.is_current();
}

}  // namespace team
