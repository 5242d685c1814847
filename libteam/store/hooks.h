// The user's veto on changes, and notifications of them: programs that run before and after a change.
//
// A hook NAME runs before a change, with the event on stdin, and refuses it by an exit status other than 0. A hook
// post-NAME runs after the change. The caller holds no lock meanwhile, so the change is checked again when it is made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/event.h"

namespace team {

class Hooks {
 public:
  virtual ~Hooks() = default;

  // False if there are no hooks, or if a hook runs this process.
  virtual bool any() const = 0;
  // Whether there is a hook of this name. Throws permission_denied if it cannot be trusted.
  virtual bool has(const std::string& name) const = 0;

  // The objection of a hook to a proposed event, in one line; none if it agrees or does not exist.
  virtual std::optional<std::string> refusal(const std::string& name, const EventOrigin& origin,
                                             const Event& event) const = 0;
  // The same, thrown as permission_denied.
  void ask(const std::string& name, const EventOrigin& origin, const Event& event) const {
    if (const auto feedback = refusal(name, origin, event)) {
      fail(Code::permission_denied, "hook {}: {}", name, *feedback);
    }
  }

  // Runs the post hook of each of these recorded events. Throws nothing: a hook that fails is recorded as HOOK_FAILED,
  // an event that has no hook.
  virtual void tell(const EventOrigin& origin, const std::vector<Event>& events, const Logged& logged) const = 0;
};

}  // namespace team
