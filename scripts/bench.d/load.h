// How much of the machine other processes used: when processes wait for a processor, all of them seem equally slow.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

inline double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Processor time, also of children that have ended (RUSAGE_CHILDREN).
inline double seconds_used_by(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

// The busy time of all processors since the machine booted, without that of this process and its ended children.
inline double seconds_used_by_others() {
  unsigned long long user = 0, nice = 0, kernel = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, stolen = 0;
  std::FILE* file = std::fopen("/proc/stat", "r");
  if (file == nullptr) return 0;
  const int got = std::fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &kernel, &idle, &wait,
                              &interrupts, &soft, &stolen);
  std::fclose(file);
  if (got != 8) return 0;
  const auto ticks = static_cast<double>(user + nice + kernel + interrupts + soft + stolen);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) - seconds_used_by(RUSAGE_SELF) -
         seconds_used_by(RUSAGE_CHILDREN);
}
