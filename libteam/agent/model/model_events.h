// Reports what a model says and does as it happens: on the console, and as AG-UI events in the log.
//
// Text is buffered for a tenth of a second. This keeps the log small and readable when twenty members talk at once, and
// does not change the order of events.
#pragma once

#include <string>
#include <string_view>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/tools/tool.h"
#include "libteam/base/clock.h"

namespace team {

class ModelEvents {
 public:
  // `audience` outlives this.
  explicit ModelEvents(const Audience& audience) : audience_(audience) {}

  void begin_step(const Work& work);
  void end_step(const Work& work, const Outcome& outcome);

  // Reports a piece of text.
  void say(std::string_view text);
  // Ends the current text. `no` if the text is void because the call failed: the model will repeat it.
  enum class Counts { yes, no };
  void end_message(Counts counts = Counts::yes);
  // The same for a complete answer: the last event names its model and its tokens, also if it had no text.
  void end_answer(const ModelAnswer& answer);

  void call(const Part& call);
  void result(const Part& call, const ToolResult& result);
  void note(const std::string& line) const { audience_.note(line); }

 private:
  void begin_message();
  void finish_message(const std::string& details, std::string_view remark);
  void flush();
  void show(std::string_view text);

  const Audience& audience_;
  std::string message_;  // the id of the current text; empty if there is none
  std::string unsaid_, unshown_;
  bool is_in_line_ = false;  // the console text does not end with a newline
  Deadline next_ = Deadline::never();
  double began_ = 0;
};

}  // namespace team
