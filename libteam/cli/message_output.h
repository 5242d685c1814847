// Prints messages, and takes them in a safe order: print, flush, then acknowledge.
#pragma once

#include <functional>
#include <string>

#include "libteam/cli/context.h"
#include "libteam/store/mail_operations.h"

namespace team {

// Takes and prints at most `most` messages of the actor; returns their number. If their reader leaves before the end,
// the messages are delivered again.
std::size_t receive(Context& context, const Mailbox& mailbox, const MessageFilter& filter, std::size_t most,
                    Taking taking = Taking::acknowledge);
// Prints messages without taking them.
std::size_t peek(Context& context, const Mailbox& mailbox, const MessageFilter& filter, std::size_t most);

// Reads the text of a message from stdin: all of it, or its beginning and a function that reads the rest.
void read_content(std::string& content, std::function<bool(std::string& piece)>& more);

}  // namespace team
