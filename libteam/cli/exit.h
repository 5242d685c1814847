// How a command ends: its exit status, and one line on stderr if it failed.
#pragma once

#include <functional>
#include <string_view>

#include "libteam/base/error.h"
#include "libteam/cli/context.h"

namespace team {

// The answer of a verb: 0 for done, 1 for no. All other outcomes are exceptions.
enum class Exit { done = 0, no = 1 };
using Verb = std::function<Exit(Context&)>;

// Says the reason on stderr and gives Exit::no.
Exit no(const Context& context, std::string_view reason);

// Writes the error to stderr: "NAME: CODE: TEXT", or a JSON object after --json. Returns the exit status.
int report_error(const Choices& choices, Code code, std::string_view text);

// Runs the verb and writes its output. This is the only place that catches what a verb throws. Returns the exit status.
int run_verb(Context& context, const Verb& verb);

}  // namespace team
