// The life of a teammate: it wakes, takes messages and tasks, has a driver do the work, reports, idles, shuts down.
//
//   spawn → active ⇄ idle → shutdown          (and plan_pending, paused, error)
//
// Messages come before the board. A message is acknowledged when its work is done and answered, a task completed when
// its work is done; who dies in between does it again. Control (shutdown, approval) is what the records of the requests
// say, never the text of a message.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/mail_handler.h"
#include "libteam/agent/life/prompt.h"
#include "libteam/store/files/presence.h"
#include "libteam/store/team_session.h"
#include "libteam/system/process.h"
#include "libteam/system/queued_lock.h"
#include "libteam/system/watch.h"

namespace team {

// What becomes of one that has nothing to do.
struct IdleDecision {
  std::optional<std::string> prompt;  // more work
  std::optional<std::string> ending;  // why it ends, and with which exit status
  int status = 0;
};

struct TeammateOptions {
  std::optional<std::string> role;  // to join with, for one who is no member yet
  std::string role_prompt;
  std::optional<std::string> prompt;  // the first piece of work
  std::optional<TaskId> task;         // claimed at the start, or nothing is started
  bool auto_claim = true;
  bool once = false;        // ends after one piece of work
  bool until_done = false;  // ends when the board has nothing left for it
  bool plan = false;        // tasks need an approved plan
  // For a lead. Asked whenever it is about to idle: what it is to do instead, or why it is to end.
  std::function<IdleDecision()> before_idle;
  // Asked after each piece of work: whether it was the last.
  std::function<bool()> is_over;
  Deadline deadline = Deadline::never();
  std::optional<double> look_every;  // idling, seconds
  int waker = -1;                    // a descriptor that wakes it when it can be read from
  bool user_listens = false;         // hears what it says, so that it is not sent
  std::optional<double> idle_timeout;
  std::int64_t retries = 2;
  Start start;  // without the prompt and the task
  std::optional<std::string> model;
};

class Teammate {
 public:
  // `session`, `driver`, `signals` and `audience` outlive this. Nothing happens yet.
  Teammate(TeamSession& session, TeammateOptions options, Driver& driver, const Signals& signals, Audience audience);
  ~Teammate();

  // Whether it has the name, and so its life.
  bool has_begun() const { return has_begun_; }
  // What its driver said last.
  const std::string& last_word() const { return last_word_; }
  // Why its last piece of work failed; none if it did not.
  const std::optional<std::string>& last_failure() const { return last_failure_; }
  // Why it ended, after run().
  const std::string& reason() const { return ending_->reason; }

  // Lives; gives the exit status. Throws conflict if one of that name lives already, what the claim of its first task
  // threw, not_found when the team is gone.
  int run();

 private:
  struct Ending {
    std::string reason;
    int status = 0;
    State state = State::shutdown;
    bool resumable = false;
  };
  // A task that it holds, or what its prompt asks.
  struct Job {
    std::optional<Task> task = {};
    bool assigned = false;  // to this member, before it was claimed
    std::optional<PlanAnswer> plan = {};
    bool left = false;  // begun in an earlier life
  };

  void start();
  void recover();
  void live();
  void step();
  void refresh();
  void return_to_team();
  void await_board();
  void pause(const Deadline& deadline);
  std::optional<Changed> claim_next();
  void find_left_tasks();
  void end();
  void finish_piece(bool success);

  void resume();
  bool work_on_messages(Phase phase);
  Outcome work_on(const std::vector<Message>& messages, Phase phase, const std::function<void()>& kept);
  bool settle(const std::vector<Message>& messages, const Outcome& outcome);
  void answer(std::vector<Message> messages, const Outcome& outcome);
  bool work_on_text(const std::string& title, const std::string& text);
  bool hear(const Meanwhile::Keep& keep);
  std::vector<Message> deliver(const Batch& batch) const;
  bool ends_by(Batch& batch);
  void acknowledge(Batch& batch);
  Work make_work(Phase phase, std::string title) const;
  Outcome drive(const Work& work);
  void work_on_held();
  void work_on(Job job);
  bool agree_on_plan(Job& job);
  std::optional<PlanAnswer> await_answer(const std::string& request, const Job& job);
  void settle(const Job& job, Outcome outcome);
  void report_prompt(const Outcome& outcome);
  void complete(const Task& task, const std::string& result);
  void give_up(const Task& task, const std::string& reason);
  void put_back(const Job& job, const std::string& reason);
  void note_trouble(const TaskUpdate& update) const;
  bool is_mine(const Job& job) const;
  bool has_status(const Job& job, Status status) const;
  Work piece_of(const Job& job, Phase phase) const;

  bool is_done_with_board();
  void watch();
  void doze();
  void queue();
  void watch_leases();
  bool is_being_removed(const Changes& changes) const;
  void await_removal();
  void hear_of_news();
  void stop_watching();
  void put_watch_away();
  Watch take_watch();
  void idle();
  bool is_kept_busy();
  bool follows_decision();
  bool concerns_me(const Changes& changes);
  bool stirs(const Changes& changes);
  void wake_owners() const;
  void wait_after(const Error& error);
  template <class Call>
  void persist(Call call);
  void note(const std::string& line) const { audience_.note(line); }
  void record(const std::vector<Event>& events) const;
  void become(State state, const std::string& reason, std::optional<TaskId> task = std::nullopt);
  void interrupt(int signal);
  void end_with(const Outcome& outcome, State state);
  Identity identity() const;

  TeamSession& session_;
  TeammateOptions options_;
  Driver& driver_;
  const Signals& signals_;
  Audience audience_;
  MailHandler mail_;
  std::optional<Presence> presence_;
  std::optional<Mailbox> door_;  // for a look from another thread
  std::optional<Watch> watch_;
  // Of all idle members of a role the lookout watches the board. The deputy watches it too, and acts if the lookout
  // does not. All others stand in line to be the deputy.
  std::optional<QueuedLock> post_, deputy_post_;
  std::optional<Watch> put_away_;  // for the next time
  bool dozes_ = false;             // `watch_` is of its own mail, and somebody else is the lookout
  bool is_deputy_ = false;
  bool is_alerted_ = false;  // the deputy looks at the board soon
  std::int64_t board_seen_ = 0;
  std::deque<Job> held_;  // what it holds and has not come to: of --task, or from its last life
  std::optional<Ending> ending_;
  std::optional<Deadline> idle_end_;
  Deadline look_again_ = Deadline::never();
  // A task that was given back for another try, as it was then: while nobody has touched it, its plan is approved.
  std::optional<std::pair<Task, PlanAnswer>> approved_;
  bool has_begun_ = false;
  std::string last_word_;
  std::optional<std::string> last_failure_;
  double pause_ = 1;
  bool succeeded_ = false;
  std::optional<Deadline> doubt_;  // until then tasks that were removed may come back
  int objections_ = 0;             // of the hook, since the last piece of work
};

}  // namespace team
