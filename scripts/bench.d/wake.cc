// wake ROUNDS FIFO - measure the time from the start of a command until a waiting process has noticed
//
// stdin is a plan, see plan.h. The label `waiter` is started once and stopped after the last round; `each` is started
// in each round. `before` runs in each round, and `trigger` is the measured command. The waiting process writes to the
// FIFO as soon as it is awake. A round begins when that process has slept for a while. Prints median<TAB>µs and
// p95<TAB>µs.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "scripts/bench.d/plan.h"

namespace {

constexpr int kAsleepMs = 15;
constexpr int kPatienceMs = 20000;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "wake: %s\n", why);
  std::exit(1);
}

pid_t start_in(int round, const Line& line) {
  const pid_t pid = start(line, {.round = round});
  if (pid < 0) give_up("cannot start a command");
  return pid;
}

void wait_for(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || status != 0) give_up("a command failed");
}

// How often the process has gone to sleep so far.
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
    if (line.label == "waiter") waiter = start_in(0, line);
  }
  std::vector<double> micros;
  for (int round = 1; round <= rounds; ++round) {
    pid_t once = -1, trigger = -1;
    for (const Line& line : lines) {
      if (line.label == "before") wait_for(start_in(round, line));
      if (line.label == "each") once = start_in(round, line);
    }
    wait_until_asleep(once > 0 ? once : waiter);
    drain(fifo);
    const auto begin = std::chrono::steady_clock::now();
    for (const Line& line : lines) {
      if (line.label == "trigger") trigger = start_in(round, line);
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
