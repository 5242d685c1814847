#include "libteam/agent/life/shutdown.h"

#include <set>

#include "libteam/agent/life/tmux.h"
#include "libteam/base/terminal_text.h"
#include "libteam/store/life.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/process_tree.h"

namespace team {

namespace {

// A teammate that is asked to end.
class Handshake {
 public:
  Handshake(const TeamSession& session, const LifeEngine& lives, const std::string& name)
      : session_(session), lives_(lives), stopped_{name, Stopped::Kind::silent, "has not answered"} {
    pid_ = lives.process_of(name);
    if (!is_running()) {
      stopped_.kind = Stopped::Kind::not_running;
      return;
    }
    request_ = session.messages().ask_to_shut_down(name);
  }

  bool is_running() const { return lives_.life_of(stopped_.name) == Life::running; }

  // Whether there is nothing more to wait for.
  bool is_over() {
    if (stopped_.kind != Stopped::Kind::silent) return true;
    const Request request = session_.mail().requests().get(request_);
    if (request.status == RequestStatus::rejected) {
      stopped_.kind = Stopped::Kind::refused;
      stopped_.reason = request.feedback.value_or("no reason given");
    } else if (!is_running()) {
      // It has agreed, or it ended for another reason; either way it is gone, and its next life is not meant.
      stopped_.kind = Stopped::Kind::agreed;
      if (request.status == RequestStatus::pending) session_.mail().requests().withdraw(request_);
    } else if (request.status == RequestStatus::approved) {
      stopped_.reason = "has agreed and not ended";
    }
    return stopped_.kind != Stopped::Kind::silent;
  }

  // Ends the process that holds the life, and no other, with all that descends from it.
  void kill() {
    const bool killed = pid_ && kill_tree(*pid_, [&] { return lives_.is_process_of(*pid_, stopped_.name); });
    if (is_running() && !killed) {
      stopped_.reason = "cannot be killed: which process it is cannot be told from here";
      return;
    }
    const auto watcher = session_.watch_team();
    const Deadline deadline = Deadline::in(5);
    while (is_running() && !deadline.passed()) watcher->wait(deadline.or_in(0.02));
    if (is_running()) {
      stopped_.reason = "was killed and has not ended";
      return;
    }
    stopped_.kind = Stopped::Kind::killed;
    const auto event = lives_.note_end(stopped_.name, fmt::format("killed by {}", session_.self().name));
    Actor victim;
    victim.name = stopped_.name;
    if (event) session_.mail().record(victim, {*event});
    // Nobody will answer any more.
    if (session_.mail().requests().get(request_).status == RequestStatus::pending) {
      session_.mail().requests().withdraw(request_);
    }
  }

  const Stopped& stopped() const { return stopped_; }

 private:
  const TeamSession& session_;
  const LifeEngine& lives_;
  Stopped stopped_;
  std::optional<int> pid_;
  std::string request_;
};

// Takes the answers from the mailbox: the agent gets them as the result, so they must not wake it as mail.
void take_answers(const TeamSession& session, const std::vector<Stopped>& stopped) {
  const Mailbox& mailbox = session.mailbox();
  for (const Stopped& one : stopped) {
    const MessageFilter answer{.from = one.name, .type = "shutdown_response", .reply_to = {}, .id = {}};
    while (auto batch = mailbox.take(answer, 1, session.self().run)) batch->acknowledge();
  }
}

}  // namespace

std::vector<Stopped> stop_teammates(const TeamSession& session, const std::vector<std::string>& names, double seconds,
                                    Insist insist, int interrupt) {
  session.require_lead("stop a teammate");
  for (const std::string& name : names) session.mail().check_member(name, "member");
  const auto lives = session.lives();
  const auto watcher = session.watch_team();
  std::vector<Handshake> all;
  std::set<std::string> asked;
  for (const std::string& name : names) {
    if (asked.insert(name).second) all.emplace_back(session, *lives, name);
  }
  const Deadline deadline = Deadline::in(seconds);
  const auto over = [&] {
    bool every = true;
    for (Handshake& one : all) every = one.is_over() && every;
    return every;
  };
  // The end of a life is reported just before the life is over: hence a look every now and then.
  if (interrupt >= 0) watcher->wake_on(interrupt);
  const auto is_interrupted = [&] { return interrupt >= 0 && can_be_read(interrupt); };
  while (!over() && !deadline.passed() && !is_interrupted()) watcher->wait(deadline.or_in(0.1));
  if (is_interrupted()) insist = Insist::no;
  std::vector<Stopped> stopped;
  bool killed = false;
  for (Handshake& one : all) {
    if (runs_on(one.stopped()) && insist == Insist::yes) one.kill();
    killed = killed || one.stopped().kind == Stopped::Kind::killed;
    stopped.push_back(one.stopped());
  }
  if (killed) session.board().reclaim();
  if (session.self().run) take_answers(session, stopped);
  for (const Stopped& one : stopped) {
    if (const auto state = runs_on(one) ? std::nullopt : lives->state_of(one.name)) close_left_pane(*state, one.name);
  }
  return stopped;
}

bool runs_on(const Stopped& stopped) {
  return stopped.kind == Stopped::Kind::refused || stopped.kind == Stopped::Kind::silent;
}

std::string_view name_of(Stopped::Kind kind) {
  switch (kind) {
    case Stopped::Kind::agreed: return "stopped";
    case Stopped::Kind::not_running: return "not running";
    case Stopped::Kind::refused: return "refused";
    case Stopped::Kind::silent: return "silent";
    case Stopped::Kind::killed: return "killed";
  }
  return "";
}

std::string describe(const Stopped& stopped) {
  switch (stopped.kind) {
    case Stopped::Kind::agreed: return fmt::format("{} has shut down", stopped.name);
    case Stopped::Kind::not_running: return fmt::format("{} is not running", stopped.name);
    case Stopped::Kind::refused: return fmt::format("{} refuses: {}", stopped.name, one_line(stopped.reason));
    case Stopped::Kind::silent: return fmt::format("{} {}", stopped.name, stopped.reason);
    case Stopped::Kind::killed: return fmt::format("{} was killed", stopped.name);
  }
  return stopped.name;
}

std::vector<std::string> running_teammates(const TeamSession& session) {
  std::vector<std::string> names;
  for (const Member& member : session.running()) names.push_back(member.name);
  return names;
}

}  // namespace team
