// runner ROUNDS [WORKERS] - run commands in turn, many times, and print how long each took
//
// stdin is a plan, see plan.h. In each round every line runs once, in order, so that other load on the machine affects
// all of them alike. A line with the label "-" runs but is not counted. A line with the label "&" runs during all
// rounds and is stopped after them. With WORKERS, so many processes run a line at the same time.
//
// Prints a line for each label: LABEL<TAB>median µs<TAB>largest memory in KB<TAB>failures<TAB>median µs of processor
// time. The first line is #others<TAB>the percentage of the machine that other processes used: when processes wait for
// a processor, all of them seem to take equally long.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "scripts/bench.d/load.h"
#include "scripts/bench.d/plan.h"

namespace {

// A line of the plan and its results.
struct Measured {
  Line line;
  std::vector<double> micros = {}, cpu_micros = {};
  long kilobytes = 0;
  long failures = 0;
};

void run(Measured& measured, Marks& marks, int workers) {
  const auto before = std::chrono::steady_clock::now();
  int running = 0;
  double cpu = 0;
  for (marks.worker = 1; marks.worker <= workers; ++marks.worker) {
    ++marks.number;
    if (start(measured.line, marks) > 0) ++running;
    else ++measured.failures;
  }
  for (; running > 0; --running) {
    int status = 0;
    rusage usage{};
    wait4(-1, &status, 0, &usage);
    measured.kilobytes = std::max(measured.kilobytes, usage.ru_maxrss);
    cpu += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    if ((status != 0) != measured.line.is_refusal()) ++measured.failures;
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - before;
  measured.micros.push_back(took.count());
  measured.cpu_micros.push_back(cpu * 1e6);
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void end_all(const std::vector<pid_t>& beside) {
  for (const pid_t pid : beside) {
    kill(pid, SIGTERM);
    waitpid(pid, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 0;
  const int workers = argc > 2 ? std::atoi(argv[2]) : 1;
  std::vector<Measured> all;
  Marks marks;
  const auto start_time = std::chrono::steady_clock::now();
  const double others_before = seconds_used_by_others();
  std::vector<pid_t> beside;
  for (const Line& line : read_lines()) {
    if (line.label == "&") beside.push_back(start(line, marks));
    else all.push_back({line});
  }
  for (marks.round = 1; marks.round <= rounds; ++marks.round) {
    for (Measured& one : all) run(one, marks, workers);
  }
  end_all(beside);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_time;
  const double machine = took.count() * static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  std::printf("#others\t%.0f\t0\t0\t0\n", std::max(0.0, 100 * (seconds_used_by_others() - others_before) / machine));
  for (Measured& one : all) {
    if (one.line.label == "-" || rounds < 1) continue;
    std::printf("%s\t%.1f\t%ld\t%ld\t%.0f\n", one.line.label.c_str(), median(one.micros), one.kilobytes, one.failures,
                median(one.cpu_micros));
  }
}
