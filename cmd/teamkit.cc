// teamkit - list the commands, or run one by its name

// The main program of both executables. The build generates the list of commands from the files in this folder.
// NET_COMMAND is for commands that talk to models.
#include "libteam/cli/dispatch.h"

#define COMMAND(name, function, purpose) int function(int argc, char** argv);
#define NET_COMMAND(name, function, purpose) int function(int argc, char** argv);
#include COMMAND_LIST
#undef COMMAND
#undef NET_COMMAND

namespace {

#ifdef TEAMKIT_NET
constexpr const char* kOther = "teamkit";
#define COMMAND(name, function, purpose) {name, purpose, nullptr},
#define NET_COMMAND(name, function, purpose) {name, purpose, function},
#else
constexpr const char* kOther = "teamkit-net";
#define COMMAND(name, function, purpose) {name, purpose, function},
#define NET_COMMAND(name, function, purpose) {name, purpose, nullptr},
#endif
constexpr team::CommandEntry kCommands[] = {
#include COMMAND_LIST
};

}  // namespace

int teamkit(int argc, char** argv) { return team::dispatch(kCommands, kOther, argc, argv); }

int main(int argc, char** argv) { return teamkit(argc, argv); }
