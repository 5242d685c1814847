// How the life of a teammate begins and ends.
#pragma once

#include "libteam/agent/life/held_tasks.h"
#include "libteam/agent/life/mail_handler.h"
#include "libteam/agent/life/member_life.h"

namespace team {

// Takes the name, joins the team, takes over the tasks of the last life and claims the first one: all of it, or throws
// and nothing is started. Throws conflict if one of that name lives already.
void begin_life(MemberLife& life, HeldTasks& held);
// Gives tasks back, answers requests to end, writes the last state. Nothing is left of a team that is gone.
void end_life(MemberLife& life, HeldTasks& held, const MailHandler& mail);

}  // namespace team
