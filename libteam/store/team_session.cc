#include "libteam/store/team_session.h"

#include "libteam/base/clock.h"
#include "libteam/base/environment_variable.h"
#include "libteam/record/actor.h"
#include "libteam/record/landing_rules.h"
#include "libteam/record/settings.h"
#include "libteam/store/digest.h"
#include "libteam/store/team_choice.h"
#include "libteam/store/team_waiting.h"
#include "libteam/system/process.h"

namespace team {

namespace {

// A team that is being made again: how long it may be missing, and how often to look for it. In seconds.
constexpr double kAbsence = 5;
constexpr double kLook = 0.2;

}  // namespace

TeamSession::TeamSession(const Engine& engine, std::string team, Actor self)
    : engine_(engine), name_(std::move(team)), self_(std::move(self)) {
  refresh();
  missing_ = Missing::refuse;
}

TeamSession::TeamSession(const Engine& engine, std::shared_ptr<const FoundTeam> team, Actor self, Missing missing)
    : engine_(engine),
      name_(team ? team->team.name : ""),
      self_(std::move(self)),
      missing_(missing),
      parts_(std::make_shared<Parts>()) {
  parts_->found = std::move(team);
}

void TeamSession::open(FoundTeam found) {
  auto parts = std::make_shared<Parts>();
  parts->found = std::make_shared<const FoundTeam>(std::move(found));
  parts_ = std::move(parts);
  const Member* member = team().find(self_.name);
  if (member != nullptr) self_.role = member->role;
  self_.leads = self_.name == team().lead || self_.name == "user";
}

void TeamSession::refresh() {
  const std::string version = engine_.version_of(name_);
  if (parts_) has_board_ = board().is_in_place() || engine_.has_board(team());
  if (!has_board_) return;
  if (parts_ && version == version_ && board().is_in_place()) return;
  const auto before = parts_;
  try {
    open(engine_.find_team(name_));
    board();
    mail();
  } catch (const Error&) {
    parts_ = before;
    throw;
  }
  version_ = version;
}

bool TeamSession::is_current() const {
  try {
    return engine_.version_of(name_) == version_ && board().is_in_place();
  } catch (const Error&) {
    return false;
  }
}

void TeamSession::reopen(const Deadline& deadline) {
  const Deadline absence = deadline.or_in(kAbsence);
  while (true) {
    try {
      open(engine_.find_team(team().name));
      return;
    } catch (const Error& error) {
      if (error.code() != Code::not_found || absence.passed()) throw;
    }
    sleep_until(absence.or_in(kLook));
  }
}

const Team& TeamSession::team() const {
  if (!parts_->found) fail_without_team(engine_);
  return parts_->found->team;
}

Board& TeamSession::board() const {
  if (!parts_->board) {
    const auto handle = parts_->found ? parts_->found->handle : nullptr;
    parts_->board.reset(new Board(engine_.open_board(team_or_none(), missing_, handle)));
    if (parts_->found) tell_of_landed(engine_, *parts_);
  }
  return *parts_->board;
}

const Mail& TeamSession::mail() const {
  team();  // throws if there is none
  return open_mail(engine_, *parts_);
}

const Mail& TeamSession::open_mail(const Engine& engine, Parts& parts) {
  const FoundTeam& found = *parts.found;
  if (!parts.mail) parts.mail.emplace(engine.open_team(found.team, found.handle), found.team);
  return *parts.mail;
}

void TeamSession::tell_of_landed(const Engine& engine, Parts& parts) {
  parts.board->tell_of_landed([&engine, &parts](const Changed& landed) {
    try {
      const Actor owner = owner_of(landed.task);
      TaskOperations(*parts.board, &open_mail(engine, parts), &parts.found->team, owner).tell_of_landed(landed);
    } catch (const Error&) {
      return;  // a team without mail; the tasks are on the board
    }
  });
}

void TeamSession::require_lead(std::string_view what) const { team::require_lead(self_, what); }

void TeamSession::require_trust(std::string_view what) const {
  team();  // throws if there is none
  engine_.require_trust(*parts_->found, what);
}

void TeamSession::set(const std::string& key, const std::optional<std::string>& value) {
  require_lead("change settings");
  engine_.change(team().name, [&](Team& changed) {
    if (value) set_setting(changed, key, *value);
    else unset_setting(changed, key);
  });
  after_change([&] {
    mail().record(self_, {make_event("SETTING_CHANGED", {{"key", key}, {"value", value.value_or("default")}})});
  });
}

void TeamSession::prepare_run(const std::vector<Role>& roles, const Budget& budget) {
  if (roles.empty() && !team().finished_at && budget.is_unlimited()) return;
  engine_.change(team().name, [&](Team& changed) {
    for (const Role& role : roles) put_role(changed, role);
    set_budget(changed, budget);
    changed.finished_at.reset();
  });
  after_change([&] { refresh(); });
}

void TeamSession::finish(const std::optional<std::string>& summary) {
  engine_.change(team().name, [&](Team& changed) {
    changed.finished_at = now();
    if (summary) changed.summary = summary;
  });
  after_change([&] {
    refresh();
    mail().record(self_, {make_event("TEAM_FINISHED", {{"summary", summary.value_or("")}})});
  });
}

std::string TeamSession::submit_plan(OutgoingMessage outgoing) const {
  if (outgoing.task) view().get(*outgoing.task);  // throws not_found
  outgoing.to = self_.name == team().lead ? "user" : team().lead;
  return messages().submit_plan(std::move(outgoing));
}

ClaimEnd TeamSession::wait_next(const WaitRules& rules) const {
  return team::wait_next(board(), engine_, team_or_none(), self_, rules);
}

WaitEnd TeamSession::wait_ended(const std::vector<TaskId>& ids, const WaitRules& rules,
                                const TaskVisits& visits) const {
  return team::wait_ended(board(), engine_, team_or_none(), ids, rules, visits);
}

WaitEnd TeamSession::wait_all_ended(const WaitRules& rules, const TaskVisits& visits) const {
  return team::wait_all_ended(board(), engine_, team_or_none(), rules, visits);
}

WaitEnd TeamSession::wait_idle(const std::string& member, const WaitRules& rules) const {
  mail().mailbox(member);  // throws if there is no such member
  return team::wait_idle(board(), engine_, team().name, member, rules);
}

WaitEnd TeamSession::wait_all_idle(const WaitRules& rules) const {
  return team::wait_all_idle(board(), engine_, team().name, rules);
}

// In a team that is made again, members join one by one.
const Mailbox& TeamSession::find_mailbox_again(const Deadline& deadline) {
  const Deadline absence = deadline.or_in(kAbsence);
  while (true) {
    reopen(absence);
    try {
      return mailbox();
    } catch (const Error& error) {
      if (error.code() != Code::not_found || absence.passed()) throw;
    }
    sleep_until(absence.or_in(kLook));
  }
}

bool TeamSession::wait_mail(const Deadline& deadline, int reader,
                            const std::function<bool(const Mailbox& mailbox)>& arrived) {
  const Mailbox* box = &mailbox();
  while (true) {
    const auto waited = box->wait(deadline, reader, [&] { return arrived(*box); });
    if (waited != Mailbox::Waited::moved) return waited == Mailbox::Waited::arrived;
    box = &find_mailbox_again(deadline);
  }
}

bool TeamSession::wait_processed(const Deadline& deadline, const std::string& message_id) {
  while (true) {
    const Mail& mail = this->mail();
    const auto waited = mail.wait(deadline, [&] { return mail.state_of(message_id) == "processed"; });
    if (waited != Mailbox::Waited::moved) return waited == Mailbox::Waited::arrived;
    reopen(deadline);
  }
}

TeamStatus TeamSession::status(const BoardView::Report& broken) const {
  return look_at_team(mail().engine(), team(), view(), broken);
}

std::vector<MemberStatus> TeamSession::members() const { return look_at_members(mail().engine(), team()); }

std::vector<Reason> TeamSession::explain(TaskId id) const {
  const Task task = view().get(id);
  const Mail* mail = mail_or_none();
  return team::explain(task, mail != nullptr ? &mail->engine() : nullptr, team_or_none(), view());
}

std::vector<std::string> TeamSession::digest() const { return digest_for(mail().events(), team(), self_.name); }

std::vector<std::pair<std::string, std::optional<std::string>>> TeamSession::environment() const {
  const std::string path = environment_variable("PATH").value_or("/usr/bin:/bin");
  return {{"TEAM_ROOT", engine_.place()},      {"TEAM_NAME", team().name},
          {"TEAM_MEMBER", self_.name},         {"TEAM_RUN_ID", self_.run},
          {"PATH", own_folder() + ":" + path}, {"TEAM_DETACHED", std::nullopt},
          {"TEAM_START_MODE", std::nullopt},   {"TEAM_TREE", environment_variable("TEAM_TREE")}};
}

std::unique_ptr<Watcher> TeamSession::watch_team() const {
  auto watcher = engine_.make_watcher();
  watcher->begin(board());
  watcher->watch_team();
  return watcher;
}

std::vector<Member> TeamSession::running() const {
  const auto lives = this->lives();
  std::vector<Member> running;
  for (const Member& member : team().members) {
    if (member.name != team().lead && lives->life_of(member.name) == Life::running) running.push_back(member);
  }
  return running;
}

}  // namespace team
