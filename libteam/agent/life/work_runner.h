// Runs pieces of work on the driver of a teammate: messages, or a text of the toolkit.
//
// Messages are acknowledged when their work is done and answered, or when the driver has stored them. A teammate that
// dies before that gets them again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/held_tasks.h"
#include "libteam/agent/life/mail_handler.h"
#include "libteam/agent/life/member_life.h"
#include "libteam/agent/life/work_limits.h"
#include "libteam/store/mailbox.h"

namespace team {

class WorkRunner {
 public:
  // All outlive this.
  WorkRunner(MemberLife& life, HeldTasks& held, MailHandler& mail, WorkLimits& limits)
      : life_(life), held_(held), mail_(mail), limits_(limits) {}

  // The last answer of the driver.
  const std::string& last_word() const { return last_word_; }
  // Why the last piece of work failed; none if it succeeded.
  const std::optional<std::string>& last_failure() const { return last_failure_; }
  // True if a piece of work succeeded in this run.
  bool has_succeeded() const { return succeeded_; }
  // The phase of work that belongs to no task.
  Phase phase() const { return life_.options().plan ? Phase::plan : Phase::work; }

  Work make_work(Phase phase, std::string title) const;
  Work make_work(const Job& job, Phase phase) const;
  // Lets the driver do the work. A driver that keeps a conversation gets the mail that arrives meanwhile.
  Outcome drive(const Work& work);
  // Call it when the outcome is recorded: the driver may drop its copy of the work. Ends the run if this was the last
  // work.
  void finish_piece(bool success);

  // True if a waiting message ends this life. Other messages stay.
  bool ends_by_request();
  // Takes waiting messages and works on them. False if there are none, or one ends this life.
  bool work_on_messages(Phase phase);
  void work_on_text(const std::string& title, const std::string& text);
  // Resumes work of an earlier run that is about messages or a text.
  void resume(const Work& left);
  // Does the work that the hook teammate-idle demands before this member may idle. False if it demands none, or too
  // often.
  bool work_on_objection();
  // Answers all members that wrote before or during the work.
  void answer(std::vector<Message> messages, const Outcome& outcome);
  // Tells the lead the result of a prompt, unless the driver wrote to it.
  void report(const Outcome& outcome);

 private:
  Outcome converse(const Work& work);
  Outcome work_on(const std::vector<Message>& messages, Phase phase, const std::function<void()>& kept);
  bool settle(const std::vector<Message>& messages, const Outcome& outcome);
  bool settle_now(const std::vector<Message>& messages, const Outcome& outcome);
  std::unique_ptr<Batch> take_mail(StepOrder::Look look);
  bool hear(const Meanwhile::Keep& keep);
  bool ends_by(Batch& batch);
  std::vector<Message> deliver(const Batch& batch) const;
  void acknowledge(Batch& batch);

  MemberLife& life_;
  HeldTasks& held_;
  MailHandler& mail_;
  WorkLimits& limits_;
  std::string last_word_;
  std::optional<std::string> last_failure_;
  bool succeeded_ = false;
  int objections_ = 0;  // demands of the hook since the last piece of work
};

}  // namespace team
