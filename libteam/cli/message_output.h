// How messages look, and the order in which they are taken: print, flush, then acknowledge.
#pragma once

#include <functional>
#include <string>

#include "libteam/cli/context.h"
#include "libteam/store/files/mailbox.h"

namespace team {

enum class Taking { acknowledge, hold };

// Takes and prints at most `most` messages; gives how many. A reader that dies before the end gets them again.
std::size_t receive(Context& context, const Mailbox& mailbox, const MessageFilter& filter, std::size_t most,
                    Taking taking = Taking::acknowledge);
// Prints them and leaves them.
std::size_t peek(Context& context, const Mailbox& mailbox, const MessageFilter& filter, std::size_t most);

// Waits until `arrived`, which is asked whenever something may have come to the mailbox of the one who acts, also if
// the team is removed and made again meanwhile. False if the deadline passed.
bool follow_mailbox(Context& context, const Deadline& deadline,
                    const std::function<bool(const Mailbox& mailbox)>& arrived);

// The text of a message from stdin: all of it, or its beginning and where the rest comes from.
void read_content(std::string& content, std::function<bool(std::string& piece)>& more);

}  // namespace team
