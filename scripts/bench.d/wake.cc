// wake ROUNDS FIFO - how long it takes from the start of a command until somebody who waited has noticed
//
// stdin is as for runner: LABEL<TAB>FOLDER<TAB>WORD<TAB>WORD…, with %r for the round. The labels are `waiter`, started
// once and ended after the last round, or `each`, started in each round; `before`, run in each round; and `trigger`, of
// which the time counts. Who waits writes something to the FIFO as soon as it is awake. A round begins when it has not
// run for a while.
// Prints median<TAB>µs and p95<TAB>µs.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kAsleepMs = 15;
constexpr int kPatienceMs = 20000;

struct Line {
  std::string label, folder;
  std::vector<std::string> words;
};

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "wake: %s\n", why);
  std::exit(1);
}

std::vector<Line> read_lines() {
  std::vector<Line> lines;
  std::vector<std::string> fields(1);
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c == '\t') {
      fields.emplace_back();
    } else if (c != '\n') {
      fields.back().push_back(static_cast<char>(c));
    } else {
      if (fields.size() > 2) lines.push_back({fields[0], fields[1], {fields.begin() + 2, fields.end()}});
      fields.assign(1, {});
    }
  }
  return lines;
}

pid_t start(Line line, int round) {
  std::vector<char*> argv;
  for (std::string& word : line.words) {
    for (auto at = word.find("%r"); at != std::string::npos; at = word.find("%r")) {
      word.replace(at, 2, std::to_string(round));
    }
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, line.folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) give_up("cannot start a command");
  return pid;
}

void wait_for(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || status != 0) give_up("a command failed");
}

// How often it has gone to sleep so far.
long sleeps_of(pid_t pid) {
  std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/status").c_str(), "r");
  if (file == nullptr) give_up("who waits is gone");
  char line[256];
  long count = -1;
  while (std::fgets(line, sizeof line, file) != nullptr) std::sscanf(line, "voluntary_ctxt_switches: %ld", &count);
  std::fclose(file);
  return count;
}

void wait_until_asleep(pid_t pid) {
  long before = -1;
  for (int waited = 0; waited < kPatienceMs; waited += kAsleepMs) {
    const long now = sleeps_of(pid);
    if (now > 0 && now == before) return;
    before = now;
    poll(nullptr, 0, kAsleepMs);
  }
  give_up("who waits does not come to rest");
}

void drain(int fifo) {
  char buffer[4096];
  while (read(fifo, buffer, sizeof buffer) > 0) continue;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) give_up("usage: wake ROUNDS FIFO");
  const int rounds = std::atoi(argv[1]);
  const int fifo = open(argv[2], O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fifo < 0) give_up("cannot open the FIFO");
  const std::vector<Line> lines = read_lines();
  pid_t waiter = -1;
  for (const Line& line : lines) {
    if (line.label == "waiter") waiter = start(line, 0);
  }
  std::vector<double> micros;
  for (int round = 1; round <= rounds; ++round) {
    pid_t once = -1, trigger = -1;
    for (const Line& line : lines) {
      if (line.label == "before") wait_for(start(line, round));
      if (line.label == "each") once = start(line, round);
    }
    wait_until_asleep(once > 0 ? once : waiter);
    drain(fifo);
    const auto begin = std::chrono::steady_clock::now();
    for (const Line& line : lines) {
      if (line.label == "trigger") trigger = start(line, round);
    }
    pollfd sign{fifo, POLLIN, 0};
    if (poll(&sign, 1, kPatienceMs) != 1) give_up("nobody woke up");
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    micros.push_back(took.count());
    wait_for(trigger);
    if (once > 0) wait_for(once);
  }
  if (waiter > 0) {
    kill(waiter, SIGTERM);
    waitpid(waiter, nullptr, 0);
  }
  std::sort(micros.begin(), micros.end());
  if (micros.empty()) return 0;
  std::printf("median\t%.0f\np95\t%.0f\n", micros[micros.size() / 2], micros[micros.size() * 95 / 100]);
}
