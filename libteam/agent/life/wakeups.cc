#include "libteam/agent/life/wakeups.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "libteam/base/number.h"
#include "libteam/record/settings.h"
#include "libteam/store/files/task_files.h"

namespace team {

namespace {

constexpr double kLongestDoze = 30;
constexpr double kDeputyDelay = 2;  // that a lookout may take to react
constexpr double kDoubt = 1;
constexpr double kRemoval = 0.1;  // between the removals of two files
constexpr double kLongestRemoval = 5;

std::string inbox_of(const std::string& name) { return name + "_inbox.jsonl"; }

std::string inbox_lock_of(const std::string& name) { return name + "_inbox.lock"; }

bool is_urgent(const Message& message) { return message.type == "shutdown_request" || message.interrupt; }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Wakeups::Wakeups(TeamSession& session, const TeammateOptions& options, Driver& driver, const Signals& signals)
    : session_(session), options_(options), driver_(driver), signals_(signals) {}

void Wakeups::begin(const Presence& presence) {
  presence_ = &presence;
  door_.emplace(presence.folder(), session_.self().name, Durability::process, session_.lock_timeout());
}

std::string Wakeups::inbox_file() const { return inbox_of(session_.self().name); }

bool Wakeups::has_urgent_mail() const {
  bool urgent = false;
  door_->peek({}, SIZE_MAX, std::nullopt, [&](const Message& message) { urgent = urgent || is_urgent(message); });
  return urgent;
}

void Wakeups::watch_all() {
  if (!watch_ || dozes_) watch();
}

void Wakeups::watch() {
  dozes_ = false;
  watch_ = take_watch();
  watch_->add(presence_->folder());
  session_.board().watch(*watch_);
  watch_descriptors();
}

void Wakeups::watch_descriptors() {
  for (const int fd : {signals_.fd(), driver_.news(), options_.waker}) {
    if (fd >= 0) watch_->wake_on(fd);
  }
  watch_->look_every(number_setting(session_.team(), "idle.poll"));
}

// A member that waits for the end of the board, or for something else, always watches for itself.
void Wakeups::doze() {
  const Folder& folder = presence_->folder();
  const bool has_more = options_.until_done || options_.before_idle || options_.look_every;
  if (has_more || !Watch::is_told_of(folder)) {
    watch();
    return;
  }
  const std::string role = session_.self().role ? "-" + *session_.self().role : "";
  const std::string lookout = fmt::format(".lookout{}.lock", role);
  if (!lookout_ || lookout_->name() != lookout) {
    lookout_.emplace(folder, lookout);
    deputy_.emplace(folder, fmt::format(".deputy{}.lock", role));
  }
  if (options_.auto_claim && lookout_->take()) {
    watch();
    deputy_->leave();
    if (watch_->is_told()) return;
    lookout_->leave();  // it would be slow to see anything
  }
  dozes_ = true;
  watch_ = take_watch();
  door_->watch(*watch_);
  watch_->add(folder, kTeamConfig, Watch::Kind::written);
  watch_descriptors();
  if (options_.auto_claim && watch_->is_told()) queue();
  board_seen_ = session_.board().changed_at();
}

void Wakeups::queue() {
  is_deputy_ = deputy_->take_or_wait();
  if (!is_deputy_) {
    watch_->wake_on(deputy_->fd());
    return;
  }
  session_.board().watch(*watch_);
  if (lookout_->take_or_wait()) look_again_ = Deadline::in(0);  // it is free by now
  else watch_->wake_on(lookout_->fd());
}

void Wakeups::stop() {
  put_watch_away();
  if (lookout_) lookout_->leave();
  if (deputy_) deputy_->leave();
}

void Wakeups::leave_folder() {
  put_watch_away();
  lookout_.reset();
  deputy_.reset();
}

// The watch is kept: a member that was just woken has no time to close it.
void Wakeups::put_watch_away() {
  is_deputy_ = is_alerted_ = false;
  if (!watch_) return;
  watch_->clear();
  put_away_ = std::move(watch_);
  watch_.reset();
}

Watch Wakeups::take_watch() {
  put_watch_away();
  Watch watch = put_away_ && put_away_->is_told() ? std::move(*put_away_) : Watch();
  put_away_.reset();
  return watch;
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

// The end of a lease is no change of any file. A deputy leaves it to the lookout at first.
void Wakeups::watch_leases() {
  const std::int64_t end = options_.auto_claim && (!dozes_ || is_deputy_) ? session_.board().lapses().lease_end : 0;
  if (end == 0) return;
  constexpr double kSecond = 1e9;
  if (end <= boot_ns()) look_again_ = look_again_.or_in(1);  // it could not be reclaimed
  else watch_->wake_at(end + (is_deputy_ ? static_cast<std::int64_t>(kDeputyDelay * kSecond) : 0));
}

bool Wakeups::sleep(const Deadline& end) {
  Changes changes;
  while (true) {
    if (options_.look_every) look_again_ = look_again_.or_in(*options_.look_every);
    const Deadline doze_end = dozes_ ? Deadline::in(kLongestDoze) : Deadline::never();
    changes = watch_->wait(end.or_at(look_again_).or_at(doze_end));
    if (end.passed()) return false;
    if (look_again_.passed()) break;
    if (dozes_ ? ends_doze(changes) : concerns_me(changes)) break;
  }
  if (look_again_.passed()) look_again_ = Deadline::never();
  if (is_being_removed(changes)) await_removal();
  if (dozes_ || changes.all) put_watch_away();  // the files may be others by now
  return true;
}

void Wakeups::sleep_until_news() {
  Changes changes;
  do changes = watch_->wait(look_again_);
  while (changes.any && !concerns_me(changes));
  if (look_again_.passed()) look_again_ = Deadline::never();
}

bool Wakeups::sleep_until_configured(const Deadline& deadline) {
  return contains(watch_->wait(deadline).names, kTeamConfig);
}

void Wakeups::sleep_until_signal(const Deadline& deadline) const {
  Watch watch;
  watch.wake_on(signals_.fd());
  watch.wait(deadline);
}

// The folders also tell of changes that only others care for: their states, their mail, the log.
bool Wakeups::concerns_me(const Changes& changes) {
  if (changes.all || changes.names.empty()) return true;
  const std::string inbox = inbox_file();
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

// True if something has come for a dozing member: its mail, another configuration, the place of the lookout or deputy,
// or a nudge.
bool Wakeups::ends_doze(const Changes& changes) {
  const auto& names = changes.names;
  const bool is_told = changes.any && !changes.untold;
  const auto is_task = [](const std::string& name) { return TaskFiles::id_of(name).has_value(); };
  if (is_deputy_ && !is_alerted_ && std::any_of(names.begin(), names.end(), is_task)) {
    is_alerted_ = true;
    look_again_ = look_again_.or_in(kDeputyDelay);
  }
  const bool is_woken = is_told && (changes.all || names.empty());
  if (is_woken || door_->has_new() || contains(names, kTeamConfig)) return true;
  if (is_told) return false;
  // Nothing woke it: should the lookout hang, or be missing, it looks for itself.
  return session_.board().changed_at() != board_seen_ || !session_.is_current();
}

// True if files are gone that only go with the whole store, or with a deleted task.
bool Wakeups::is_being_removed(const Changes& changes) const {
  const Folder& team = presence_->folder();
  if (changes.all) return !team.has(kTeamConfig) || !team.has(inbox_lock_of(session_.self().name));
  if (!changes.removed) return false;
  return std::any_of(changes.names.begin(), changes.names.end(), [&](const std::string& name) {
    if (TaskFiles::id_of(name)) return !session_.board().folder().has(name);
    return (name.ends_with(".alive") || name == kTeamConfig) && !team.has(name);
  });
}

// A lock file that is made while somebody removes a folder would keep the folder from going.
void Wakeups::await_removal() {
  const Deadline limit = Deadline::in(kLongestRemoval);
  while (!limit.passed() && watch_->wait(Deadline::in(kRemoval)).removed) continue;
  doubt_board();
}

}  // namespace team
