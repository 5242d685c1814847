// Tells those who watch what a model says and does, as it comes: on the console, and as events of AG-UI in the log.
//
// Pieces of text are gathered for a tenth of a second, so that the log of a team of twenty that all talk at once stays
// readable and cheap; nothing is out of order for it.
#pragma once

#include <string>
#include <string_view>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/model/conversation.h"
#include "libteam/agent/tools/tool.h"
#include "libteam/base/clock.h"

namespace team {

class ModelEvents {
 public:
  // `audience` outlives this.
  explicit ModelEvents(const Audience& audience) : audience_(audience) {}

  void begin_step(const Work& work);
  void end_step(const Work& work, const Outcome& outcome);

  // A piece of what the model says.
  void say(std::string_view text);
  // It has said what it wanted, or what it said does not count: it broke off, and will say it again.
  enum class Counts { yes, no };
  void end_message(Counts counts = Counts::yes);

  void call(const Part& call);
  void result(const Part& call, const ToolResult& result);
  void note(const std::string& line) const { audience_.note(line); }

 private:
  void flush();
  void show(std::string_view text);

  const Audience& audience_;
  std::string message_;  // the id of what is being said; empty if nothing is
  std::string unsaid_, unshown_;
  std::string line_;  // what stands on the console after the last newline
  Deadline next_ = Deadline::never();
  double began_ = 0;
};

}  // namespace team
