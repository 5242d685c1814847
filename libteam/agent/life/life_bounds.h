// The beginning and the end of a teammate's life.
#pragma once

#include "libteam/agent/life/held_tasks.h"
#include "libteam/agent/life/mail_handler.h"
#include "libteam/agent/life/member_life.h"

namespace team {

// Takes the name, joins the team, takes over the tasks of the last run and claims the first task. If one step fails,
// throws and leaves nothing behind. Throws conflict if a teammate of that name is running.
void begin_life(MemberLife& life, HeldTasks& held);
// Gives tasks back, answers shutdown requests, writes the last state. Does nothing to a team that was removed.
void end_life(MemberLife& life, HeldTasks& held, const MailHandler& mail);

}  // namespace team
