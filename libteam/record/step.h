// One step of a member in the recording of a team (order.jsonl): the steps have one order for all members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/task.h"

namespace team {

struct Step {
  enum class Kind {
    begin,      // its process has begun
    mail,       // it takes messages
    claim,      // it claims a task
    tool,       // it calls a tool that ends soon
    start,      // it calls a tool that may take long: others go on meanwhile
    end,        // and that call has ended
    skip,       // it does not run a call, because something urgent came
    settle,     // it completes, fails or releases its work, and sends answers
    plan,       // it submits a plan
    answer,     // it notices the answer to its plan
    decide,     // the lead, with nothing to do, gets a reminder or ends
    news,       // it notices that background programs have ended
    objection,  // the hook teammate-idle has more work for it
  };
  struct Mail {
    std::string sender, type;
    std::optional<std::string> request_id;
    std::optional<std::string> content;  // only of the user: a replay sends it again
  };

  std::string member;
  Kind kind = Kind::begin;
  std::string name;                 // of a tool; or the kind of a decision or an answer
  TaskId task = 0;                  // of a claim
  std::int64_t calls = 0;           // at `begin`: the calls of its model that were recorded before
  std::vector<Mail> messages = {};  // of `mail`
};

// The name of a kind in the file.
std::string_view name_of(Step::Kind kind);
// A line of the file, without its newline.
std::string to_line(const Step& step);
// Throws corrupt, with `where`.
Step parse_step(std::string_view line, std::string_view where);
// For messages: "bob claims task 3".
std::string describe(const Step& step);

}  // namespace team
