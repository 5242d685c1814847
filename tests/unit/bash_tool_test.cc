// The bash tool: output, exit status, time limits, removal of all child processes, and background commands.
#include "libteam/agent/tools/bash_tool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;
namespace fs = std::filesystem;

namespace {

template <class Condition>
bool becomes(Condition condition) {
  const Deadline deadline = Deadline::in(20);
  while (!condition()) {
    if (deadline.passed()) return false;
    ::usleep(5000);
  }
  return true;
}

bool is_gone(pid_t pid) {
  return becomes([&] { return ::kill(pid, 0) != 0 && errno == ESRCH; });
}

bool is_readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

bool becomes_readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, 20000) > 0;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string make_base() {
  char pattern[] = "/tmp/teamkit-bash-XXXXXX";
  return ::mkdtemp(pattern);
}

class Place {
 public:
  Place() : base_(make_base()), background_(base_, "run") {
    add_bash_tool(tools_, {base_, {{"GIVEN", "given"}, {"OTHER_API_KEY", "k"}}, base_ + "/kept/outputs", "lead"},
                  background_);
    add_background_tools(tools_, background_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { fs::remove_all(base_); }

  std::string path(const std::string& name) const { return base_ + "/" + name; }
  Background& background() { return background_; }
  std::string get(const std::string& name) const { return read(path(name)); }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  // The number that a command writes to a file; waits for it.
  pid_t pid_in(const std::string& name) const {
    std::string text;
    becomes([&] { return (text = get(name)).ends_with('\n'); });
    return static_cast<pid_t>(parse_integer(first_line(text)).value_or(0));
  }

  ToolResult call(const char* tool, const Json& arguments, int interrupt = -1) const {
    return tools_.call(tool, dump_line(arguments), interrupt);
  }
  std::string run(const std::string& command) const { return told(call("bash", {{"command", command}})); }
  std::string run(const std::string& command, double timeout) const {
    return told(call("bash", {{"command", command}, {"timeout", timeout}}));
  }
  std::string start(const std::string& command) const {
    return told(call("bash", {{"command", command}, {"run_in_background", true}}));
  }
  std::string output(const std::string& id) const { return told(call("TaskOutput", {{"task_id", id}})); }
  std::string stop(const std::string& id) const { return told(call("TaskStop", {{"task_id", id}})); }
  static std::string told(const ToolResult& result) { return (result.is_error ? "error: " : "") + result.text; }

 private:
  std::string base_;
  Background background_;
  Toolbox tools_;
};

Program shell(const std::string& script) { return {{"sh", "-c", script}, {}, std::nullopt, ""}; }

void answers() {
  const Place place;
  CHECK(place.run("echo hello") == "hello\n");
  CHECK(place.run("true") == "(no output)");
  CHECK(place.run("exit 3") == "error: (no output)\n[exit status 3]");
  CHECK(place.run("printf some; kill -9 $$") == "error: some\n[exit status 137]");
  CHECK(place.run("for i in 1 2 3; do echo out$i; echo err$i >&2; done") == "out1\nerr1\nout2\nerr2\nout3\nerr3\n");
  CHECK(place.run("pwd") == fs::canonical(place.path("")).string().append("\n"));
  CHECK(place.run("cat; echo $?") == "0\n");
  CHECK(place.run("[[ a == a ]] && echo \"$0\"") == "/bin/bash\n");
  CHECK(place.run("printf 'a\\377\\0b'") ==
        "a\xEF\xBF\xBD\xEF\xBF\xBD"
        "b");
  CHECK(has(place.run("syntax error ("), "[exit status 2]"));
  CHECK(has(place.run(std::string("echo a\0b", 8)), "holds a NUL"));
  CHECK(has(place.run("echo " + std::string(200000, 'x')), "200005 bytes"));
  CHECK(place.run(": " + std::string(130000, 'x')) == "(no output)");
  CHECK(has(place.call("bash", Json::object()).text, "bash: 'command' is missing (a string)"));
  CHECK(has(place.run("echo", -1), "'timeout' must be at least 0"));
  CHECK(has(place.run("echo hello", 9000), "hello\n[the timeout of 9000 s was cut to 600 s]"));
  CHECK(!place.call("bash", {{"command", "true"}, {"timeout", 1e300}}).is_error);
}

void environment() {
  const Place place;
  ::setenv("ANTHROPIC_API_KEY", "hidden", 1);
  ::setenv("SOME_OTHER_API_KEY", "hidden", 1);
  ::setenv("ANTHROPIC_AUTH_TOKEN", "hidden", 1);
  ::setenv("API_KEYS", "seen", 1);
  const std::string env = place.run("env");
  CHECK(!has(env, "hidden"));
  CHECK(!has(env, "_API_KEY="));
  CHECK(has(env, "API_KEYS=seen"));
  CHECK(has(env, "GIVEN=given"));
  place.start("env");
  const std::string later = place.output("bash-1");
  CHECK(has(later, "GIVEN=given"));
  CHECK(!has(later, "hidden"));
}

void much_output() {
  const Place place;
  CHECK(place.run("head -c 32768 /dev/zero | tr '\\0' x") == std::string(32768, 'x'));
  CHECK(!fs::exists(place.path("kept")));
  const std::string text = place.run("seq 1 100000; exit 1");
  CHECK(text.size() < 34 * 1024);
  CHECK(has(text, "error: 1\n2\n3\n"));
  CHECK(has(text, "\n99999\n100000\n[exit status 1]"));
  const std::size_t at = text.find("bytes left out; all of it is in /");
  CHECK(at != std::string::npos);
  CHECK(has(text, fmt::format("[… {} bytes left out; ", 588895 - 32 * 1024)));
  const std::string path = text.substr(text.find('/', at), text.find(" …]", at) - text.find('/', at));
  CHECK(path.starts_with(place.path("kept/outputs/lead-")));
  const std::string all = Place::read(path);
  CHECK(all.size() == 588895);
  CHECK(all.ends_with("\n99999\n100000\n"));
  struct stat status {};
  CHECK(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
  CHECK(::stat(place.path("kept").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0700);

  // A character has three bytes, so both cuts are inside a character.
  const std::string wide = place.run("for i in {1..20000}; do printf x€€; done");
  CHECK(!has(wide, "\xEF\xBF\xBD"));
  CHECK(has(place.run("head -c 70000000 /dev/zero"), "the first 64 MiB of it are in "));
  std::uintmax_t largest = 0;
  for (const auto& entry : fs::directory_iterator(place.path("kept/outputs"))) {
    largest = std::max(largest, entry.file_size());
  }
  CHECK(largest == std::uintmax_t{64} << 20);
}

void output_without_room() {
  const Place place;
  std::ofstream(place.path("kept")) << "in the way";
  const std::string text = place.run("seq 1 100000");
  CHECK(has(text, "all of it could not be kept: "));
  CHECK(has(text, "\n100000\n"));
}

void time_limit() {
  const Place place;
  CHECK(place.run("echo began; echo $$ >pid; setsid sleep 1000 & sleep 1000", 0.5) ==
        "error: began\n[not done within 0.5 s: ended]");
  CHECK(is_gone(place.pid_in("pid")));
  CHECK(has(place.run("yes", 0.3), "[not done within 0.3 s: ended]"));
  CHECK(has(place.run("trap '' TERM; echo $$ >deaf; while :; do sleep 0.1; done", 0.3), "[not done within 0.3 s"));
  CHECK(is_gone(place.pid_in("deaf")));
}

void no_process_is_left() {
  const Place place;
  const auto leaves = [&](const std::string& how) {
    fs::remove(place.path("pid"));
    const std::string said = place.run(how + "\nuntil [ -s pid ]; do :; done; echo done");
    return said == "done\n" && is_gone(place.pid_in("pid"));
  };
  CHECK(leaves("setsid sh -c 'echo $$ >pid; exec sleep 1000' &"));
  CHECK(leaves("nohup sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &"));
  CHECK(leaves("(setsid nohup sh -c '(sh -c \"echo \\$\\$ >pid; exec sleep 1000\") &' >/dev/null 2>&1 &)"));
}

void interruption() {
  const Place place;
  int ends[2];
  CHECK(::pipe(ends) == 0);
  std::thread other([&] {
    place.pid_in("pid");
    CHECK(::write(ends[1], "x", 1) == 1);
  });
  const Json long_one{{"command", "echo began; setsid sh -c 'echo $$ >pid; exec sleep 1000' & wait; sleep 1000"}};
  const ToolResult result = place.call("bash", long_one, ends[0]);
  other.join();
  CHECK(result.is_error);
  CHECK(result.text == "began\n[interrupted]");
  CHECK(is_gone(place.pid_in("pid")));
  const ToolResult at_once = place.call("bash", {{"command", "touch ran"}}, ends[0]);
  CHECK(at_once.is_error);
  CHECK(has(at_once.text, "[interrupted]"));
  CHECK(!fs::exists(place.path("ran")));
}

void in_the_background() {
  Place place;
  Background& background = place.background();
  CHECK(!background.has_news_to_come());
  CHECK(place.start("echo hello; cat; echo oops >&2; exit 4") ==
        fmt::format("Started as bash-1. What it says goes to {}. You will be told when it ends.",
                    place.path("run-bash-1.txt")));
  CHECK(background.has_news_to_come());
  CHECK(becomes_readable(background.fd()));
  std::vector<Background::Job> ended;
  CHECK(becomes([&] { return !(ended = background.take_ended()).empty(); }));
  CHECK(ended.size() == 1);
  CHECK(ended[0].id == "bash-1");
  CHECK(ended[0].status == 4);
  CHECK(!ended[0].stopped);
  CHECK(has(ended[0].what, "echo hello; cat;"));
  CHECK(background.take_ended().empty());
  CHECK(!background.has_news_to_come());
  CHECK(!is_readable(background.fd()));
  CHECK(place.output("bash-1") == "bash-1: ended with exit status 4\nhello\noops\n");
  CHECK(place.stop("bash-1") == "error: invalid_state: bash-1 had ended before, with exit status 4");

  // Another program runs in the background. Its keeper inherited our descriptors.
  place.start("true");
  place.start("echo $$ >pid; sleep 1000");
  CHECK(becomes_readable(background.fd()));
  CHECK(becomes([&] { return background.get("bash-2").status.has_value(); }));
  CHECK(is_readable(background.fd()));
  CHECK(place.output("bash-2") == "bash-2: ended with exit status 0\n(no output)");
  CHECK(background.take_ended().empty());
  CHECK(!is_readable(background.fd()));
  CHECK(background.has_news_to_come());

  const pid_t pid = place.pid_in("pid");
  CHECK(Place::told(place.call("TaskOutput", {{"task_id", "bash-3"}, {"block", false}})) ==
        "bash-3: running\n(no output)");
  CHECK(Place::told(place.call("TaskOutput", {{"task_id", "bash-3"}, {"timeout", 0.1}})) ==
        "bash-3: running\n(no output)");
  int ends[2];
  CHECK(::pipe(ends) == 0);
  CHECK(::write(ends[1], "x", 1) == 1);
  CHECK(
      place.call("TaskOutput", {{"task_id", "bash-3"}, {"timeout", 600}}, ends[0]).text.starts_with("bash-3: running"));
  CHECK(place.stop("bash-3") == "bash-3 is stopped.");
  CHECK(is_gone(pid));
  CHECK(background.take_ended().empty());
  CHECK(!background.has_news_to_come());
  CHECK(place.output("bash-3") == "bash-3: stopped\n(no output)");
  CHECK(place.stop("bash-3") == "error: invalid_state: bash-3 had ended before: it was stopped");
  CHECK(place.output("bash-9") ==
        "error: not_found: no program 'bash-9' in the background; there is bash-1, bash-2, bash-3");
  CHECK(has(place.stop("../x"), "error: not_found"));
}

void no_background_process_is_left() {
  Place place;
  place.start("setsid sh -c 'echo $$ >one; exec sleep 1000' & until [ -s one ]; do :; done");
  CHECK(place.output("bash-1").starts_with("bash-1: ended with exit status 0"));
  CHECK(is_gone(place.pid_in("one")));
  place.start("nohup setsid sh -c 'trap \"\" TERM; echo $$ >two; while :; do sleep 0.1; done' & sleep 1000");
  const pid_t deaf = place.pid_in("two");
  CHECK(place.stop("bash-2") == "bash-2 is stopped.");
  CHECK(is_gone(deaf));
  pid_t last = 0;
  {
    Background gone(place.path(""), "");
    gone.start(shell("cd " + place.path("") + "; setsid sh -c 'echo $$ >three; exec sleep 1000' & sleep 1000"), "x",
               "");
    last = place.pid_in("three");
    CHECK(::kill(last, 0) == 0);
  }
  CHECK(is_gone(last));
  CHECK(fs::exists(place.path("x-1.txt")));
}

void ids_and_output() {
  const Place place;
  Background background(place.path(""), "p");
  CHECK(background.start_as(shell("cat"), "mine", "what\never" + std::string(500, 'x')).id == "mine");
  CHECK(!has(background.get("mine").what, "\n"));
  CHECK(count_characters(background.get("mine").what) == 200);
  CHECK(background.wait("mine", Deadline::in(20), -1));
  CHECK(fails_with(Code::conflict, [&] { background.start_as(shell("true"), "mine", ""); }));
  background.forget_end("mine");
  Program told = shell("cat");
  told.input = std::string(60000, 'y') + "€\xFF€€";
  background.start_as(told, "mine", "");
  CHECK(background.wait("mine", Deadline::in(20), -1));
  CHECK(background.output("mine", 1 << 20) == std::string(60000, 'y') + "€\xEF\xBF\xBD€€");
  CHECK(background.output("mine", 5) == "€");
  CHECK(background.output("mine", 7) == "€€" || background.output("mine", 7) == "€");
  CHECK(background.output("mine", 0).empty());
  CHECK(background.take_ended().size() == 1);
  for (const char* id : {"", "../x", "a/b", "."}) {
    CHECK(fails_with(Code::usage, [&] { background.start_as(shell("true"), id, ""); }));
  }
  told.input = std::string(1 << 20, 'x');
  CHECK(fails_with(Code::usage, [&] { background.start(told, "x", ""); }));
  CHECK(background.start({{"/nowhere/at/all"}, {}, std::nullopt, ""}, "x", "").id == "x-1");
  CHECK(background.wait("x-1", Deadline::in(20), -1));
  CHECK(background.get("x-1").status == 127);
  CHECK(has(message_of([&] { background.get("y"); }), "there is mine, x-1"));

  place.start("seq 1 100000");
  const std::string end = place.output("bash-1");
  CHECK(has(end, fmt::format("bash-1: ended with exit status 0\n[only the end is shown; all of it is in {}]\n",
                             place.path("run-bash-1.txt"))));
  CHECK(end.size() < 33 * 1024);
  CHECK(end.ends_with("\n99999\n100000\n"));
}

}  // namespace

int main() {
  ::signal(SIGPIPE, SIG_IGN);  // as the commands do
  answers();
  environment();
  much_output();
  output_without_room();
  time_limit();
  no_process_is_left();
  interruption();
  in_the_background();
  no_background_process_is_left();
  ids_and_output();
  return test::report();
}
