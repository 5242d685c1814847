#include "libteam/agent/life/life_bounds.h"

#include <unistd.h>

#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/repo/member_tree.h"
#include "libteam/system/host.h"

namespace team {

namespace {

MemberState first_state(MemberLife& life) {
  const auto& before = life.presence().before();
  const TeammateOptions& options = life.options();
  MemberState first;
  first.reason = before ? "started again" : "started";
  first.host = host_name();
  first.pid = ::getpid();
  first.run = life.self().run.value_or("");
  first.model = options.model;
  if (before) {
    first.usage = before->usage;
    first.worked = before->worked;
    first.session = before->session;
  }
  if (options.start.mode != "background") first.pane = environment_variable("TMUX_PANE");
  if (first.pane) first.tmux = split(environment_variable("TMUX").value_or(""), ',').front();
  first.start = options.start;
  if (options.prompt) first.start.arguments.insert(first.start.arguments.end(), {"--prompt", *options.prompt});
  return first;
}

}  // namespace

void begin_life(MemberLife& life, HeldTasks& held) {
  TeamSession& session = life.session();
  const Actor& self = life.self();
  const auto& role = life.options().role;
  const bool joins = session.team().find(self.name) == nullptr;
  if (joins) {
    Team trial = session.team();
    add_member(trial, self.name, role, session.membership().lives());
  }
  life.take_name();
  // Others may have taken its place since it ended.
  if (!joins && life.presence().before()) check_room_for(session.team(), self.name, session.membership().lives());
  if (life.tree() != nullptr) life.tree()->prepare(session);
  life.driver().begin_life();
  life.wakeups().begin(life.presence());
  held.recover();
  if (life.options().task) held.claim(*life.options().task);
  try {
    if (joins) {
      session.membership().join(self.name, role);
      session.refresh();
    }
  } catch (const Error&) {
    held.put_back_claimed("released: its owner could not be started");
    throw;
  }
  life.presence().begin(first_state(life), session.mail(), self);
  life.record({make_event("RUN_STARTED", {{"run_id", self.run.value_or("")}})});
}

void end_life(MemberLife& life, HeldTasks& held, const MailHandler& mail) {
  const MemberLife::Ending& ending = life.ending();
  life.presence().set_resumable(ending.resumable);
  if (ending.status == static_cast<int>(Code::not_found)) return;
  try {
    held.put_back_all(ending.reason);
    mail.agree_with_all();  // the requests do not mean its next life
    life.become(ending.state, ending.reason);
    const bool failed = ending.state == State::error;
    life.record({make_event(failed ? "RUN_ERROR" : "RUN_FINISHED", {{failed ? "message" : "reason", ending.reason}})});
    if (failed && life.driver().converses() && life.self().name != life.team().lead) {
      life.session().mail().notify(life.team().lead, "error",
                                   fmt::format("[System] {} has ended: {}", life.self().name, one_line(ending.reason)));
    }
  } catch (const Error& error) {
    life.note(error.what());  // a full disk or a team that is gone; nobody is left to be told
  }
}

}  // namespace team
