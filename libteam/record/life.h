// Whether the process of a member runs.
#pragma once

namespace team {

// The process of a member holds a lock for its whole life, so neither a clock nor a reused pid can fool this.
enum class Life {
  running,
  dead,     // ran once and does not run any more
  unknown,  // teamkit never started it: a person, a script
};

}  // namespace team
