// streams PID PORT TOKEN STREAMS EVENTS RATE [STUCK | COMMAND…] - measure a server of event streams
//
// Opens so many streams of the server with this PID, and then appends events to the log of the team `streams` in the
// current folder, RATE a second. With STUCK, so many more clients ask for the whole log and never read. With a COMMAND,
// the events are also counted in its stdout, where each line is an envelope.
//
// Prints LABEL<TAB>VALUE: cpu (µs of the server per delivery), p50 and p95 (µs from before an event is appended until a
// stream has it), memory (peak of the server in KB), command (p50 of the COMMAND), others (percent of the machine that
// other processes used). Ends with 1 if a stream misses an event.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/store/files/file_team.h"
#include "scripts/bench.d/load.h"

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "streams: %s\n", why);
  std::exit(1);
}

double micros_since(Clock::time_point time) {
  return std::chrono::duration<double, std::micro>(Clock::now() - time).count();
}

// A stream, or the stdout of a command.
struct Source {
  int fd = -1;
  bool has_begun = false;  // the head of the response has come
  std::int64_t last = 0;   // the number of its last event
  std::string rest;        // of a line
};

int connect_to(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) give_up("cannot connect");
  return fd;
}

void ask(int fd, int port, const std::string& token, const char* after) {
  const std::string request = std::string("GET /api/events?after=") + after +
                              " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\nAuthorization: Bearer " +
                              token + "\r\n\r\n";
  if (write(fd, request.data(), request.size()) != static_cast<ssize_t>(request.size())) give_up("cannot ask");
}

void open_stuck(int port, const std::string& token) {
  const int fd = connect_to(port);
  const int little = 4096;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
  ask(fd, port, token, "0");
}

int start_command(char** words, pid_t& pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) give_up("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (posix_spawnp(&pid, words[0], &actions, nullptr, words, environ) != 0) give_up("cannot start the command");
  close(ends[1]);
  return ends[0];
}

// Nanoseconds on the processor of all threads.
double processor_time(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  DIR* threads = opendir(folder.c_str());
  if (threads == nullptr) give_up("the server is gone");
  double sum = 0;
  while (const dirent* thread = readdir(threads)) {
    std::FILE* file = std::fopen((folder + "/" + thread->d_name + "/schedstat").c_str(), "r");
    double one = 0;
    if (file != nullptr && std::fscanf(file, "%lf", &one) == 1) sum += one;
    if (file != nullptr) std::fclose(file);
  }
  closedir(threads);
  return sum;
}

long peak_memory(int pid) {
  std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/status").c_str(), "r");
  char line[256];
  long kilobytes = 0;
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) std::sscanf(line, "VmHWM: %ld", &kilobytes);
  if (file != nullptr) std::fclose(file);
  return kilobytes;
}

class Measurement {
 public:
  Measurement(std::int64_t last, int events) : first_(last + 1), times_(static_cast<std::size_t>(events)) {}

  void append_all(const team::EventLog& log, double rate) {
    const team::EventOrigin origin{.team = "streams", .agent = "lead", .role = {}, .run = {}};
    const auto event =
        team::make_event("TEXT_MESSAGE_CONTENT", {{"message_id", "m1"}, {"delta", "Some words of it. "}});
    const auto pause = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / rate));
    auto next = Clock::now();
    for (auto& time : times_) {
      std::this_thread::sleep_until(next += pause);
      time.store(Clock::now(), std::memory_order_release);
      log.append(origin, {event});
    }
  }

  // Reads what there is. Returns false at the end of the source.
  bool read(Source& source, std::vector<double>& latencies) {
    static char buffer[256 * 1024];
    const ssize_t got = ::read(source.fd, buffer, sizeof buffer);
    if (got <= 0) return got < 0 && errno == EAGAIN;
    source.has_begun = true;
    std::string_view text(buffer, static_cast<std::size_t>(got));
    if (!source.rest.empty()) text = source.rest.append(text);
    std::size_t start = 0;
    for (auto end = text.find('\n'); end != text.npos; start = end + 1, end = text.find('\n', start)) {
      note(source, text.substr(start, end - start), latencies);
    }
    source.rest = std::string(text.substr(start));
    return true;
  }

  bool is_complete(const Source& source) const {
    return source.last == first_ + static_cast<std::int64_t>(times_.size()) - 1;
  }

 private:
  void note(Source& source, std::string_view line, std::vector<double>& latencies) {
    for (const std::string_view mark : {"id: ", "{\"seq\":"}) {
      if (!line.starts_with(mark)) continue;
      const std::int64_t seq = std::atoll(line.data() + mark.size());
      if (seq < first_) return;
      if (seq != std::max(source.last, first_ - 1) + 1) give_up("a gap or a double");
      source.last = seq;
      latencies.push_back(micros_since(times_[static_cast<std::size_t>(seq - first_)].load(std::memory_order_acquire)));
    }
  }

  std::int64_t first_;
  std::vector<std::atomic<Clock::time_point>> times_;
};

double rank(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * share);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// Reads all sources until `holds` is true of each.
template <class Holds>
void read_until(int poller, std::vector<Source>& sources, Measurement& measurement, std::vector<double>& latencies,
                std::vector<double>& beside, const Holds& holds) {
  constexpr int kPatience = 20000;
  std::vector<epoll_event> ready(sources.size());
  while (!std::all_of(sources.begin(), sources.end(), holds)) {
    const int count = epoll_wait(poller, ready.data(), static_cast<int>(ready.size()), kPatience);
    if (count <= 0) give_up("timed out waiting for events");
    for (int i = 0; i < count; ++i) {
      Source& source = sources[ready[static_cast<std::size_t>(i)].data.u32];
      const bool is_command = &source == &sources.back();
      if (!measurement.read(source, is_command ? beside : latencies)) give_up("a stream ended");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) give_up("usage: streams PID PORT TOKEN STREAMS EVENTS RATE [STUCK | COMMAND...]");
  const int pid = std::atoi(argv[1]), port = std::atoi(argv[2]), streams = std::atoi(argv[4]);
  const int events = std::atoi(argv[5]);
  const double rate = std::atof(argv[6]);
  const bool has_command = argc > 7 && !std::isdigit(argv[7][0]);
  const int stuck = argc > 7 && !has_command ? std::atoi(argv[7]) : 0;
  const rlimit files{4096, 4096};
  setrlimit(RLIMIT_NOFILE, &files);
  const team::Root root = team::Root::find({});
  const auto engine = team::open_team(root, team::Roster(root, 5).get("streams"), 5);
  Measurement measurement(engine->events().last_sequence(), events);
  const int poller = epoll_create1(EPOLL_CLOEXEC);
  std::vector<Source> sources(static_cast<std::size_t>(streams));
  for (Source& source : sources) ask(source.fd = connect_to(port), port, argv[3], "now");
  for (int i = 0; i < stuck; ++i) open_stuck(port, argv[3]);
  // The last source is that of the command; without one, it is closed and complete.
  pid_t command = -1;
  if (has_command) sources.push_back({start_command(argv + 7, command), true, 0, ""});
  else sources.push_back({-1, true, 0, ""});
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    if (sources[i].fd < 0) continue;
    fcntl(sources[i].fd, F_SETFL, O_NONBLOCK);
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.u32 = i;
    epoll_ctl(poller, EPOLL_CTL_ADD, sources[i].fd, &wanted);
  }
  std::vector<double> latencies, beside;
  latencies.reserve(static_cast<std::size_t>(streams) * static_cast<std::size_t>(events));
  read_until(poller, sources, measurement, latencies, beside, [](const Source& one) { return one.has_begun; });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the server comes to rest

  const auto begin = Clock::now();
  const double server_before = processor_time(pid), others_before = seconds_used_by_others();
  std::thread publisher([&] { measurement.append_all(engine->events(), rate); });
  read_until(poller, sources, measurement, latencies, beside,
             [&](const Source& one) { return one.fd < 0 || measurement.is_complete(one); });
  publisher.join();
  const double server = processor_time(pid) - server_before;
  const double machine = micros_since(begin) / 1e6 * static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  const double others = seconds_used_by_others() - others_before - server / 1e9;
  std::printf("cpu\t%.3f\np50\t%.1f\np95\t%.1f\nmemory\t%ld\n", server / 1000 / static_cast<double>(latencies.size()),
              rank(latencies, 0.5), rank(latencies, 0.95), peak_memory(pid));
  if (!beside.empty()) std::printf("command\t%.1f\n", rank(beside, 0.5));
  std::printf("others\t%.0f\n", std::max(0.0, 100 * others / machine));
  if (command > 0) kill(command, SIGTERM);
  return 0;
}
