// The short form of every fuzzer, for make check: the inputs of its corpus, then mutations of them from a fixed seed.
//
//   json_fuzz           tests/fuzz/corpus/json and FUZZ_MUTATIONS (4000) mutations, or as many as FUZZ_SECONDS (0.25)
//   allow json_fuzz FILE...   only these inputs, to reproduce a failure
//
// An input that ends the process is kept in the folder of temporary files, and a line says how to run it again.

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

namespace fs = std::filesystem;

// For the signal handler, which must not allocate memory.
struct Current {
  const char* bytes = nullptr;
  std::size_t size = 0;
  std::string keep_as, program;
};
Current current;

void put(std::string_view text) {
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

extern "C" void keep_input(int signal) {
  const int fd = ::open(current.keep_as.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd >= 0) team::write_all(fd, {current.bytes, current.size});
  put(signal == SIGALRM ? "an input takes longer than 20 seconds\n" : "");
  put("to see it again: ");
  put(current.program);
  put(" ");
  put(current.keep_as);
  put("\n");
  ::signal(signal == SIGALRM ? SIGABRT : signal, SIG_DFL);
  ::raise(signal == SIGALRM ? SIGABRT : signal);
}

void run(const std::string& input) {
  constexpr unsigned kLongest = 20;
  current.bytes = input.data();
  current.size = input.size();
  ::alarm(kLongest);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  ::alarm(0);
}

std::string read_input(const fs::path& path) {
  auto text = team::fuzz::get_file(path.string());
  if (!text) team::fuzz::report_violation("the input can be read", path.c_str(), 0);
  return *text;
}

std::vector<std::string> read_corpus(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> inputs;
  for (const fs::path& path : paths) inputs.push_back(read_input(path));
  return inputs;
}

// Gives the same numbers on every machine, which the distributions of the library do not guarantee.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus), random_(20240607) {}

  std::string next() {
    std::string input = corpus_[below(corpus_.size())];
    for (std::size_t steps = 1 + below(4); steps > 0; --steps) change(input);
    return input;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(std::string& input) {
    static constexpr std::array<std::string_view, 24> kWords = {"\"",       "{",
                                                                "}",        "[",
                                                                "]",        ":",
                                                                ",",        "null",
                                                                "-1",       "9223372036854775807",
                                                                "1e308",    "18446744073709551616",
                                                                "\\u0000",  "\\ud800",
                                                                "\xff",     "\xc2\x9b",
                                                                "\x1b[31m", "\n",
                                                                "\r\n",     "../",
                                                                "\0",       "true",
                                                                "\"\"",     "[[[[[[[[[[[[[[[["};
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = std::min(below(16) + 1, input.size() - at);
    switch (below(7)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1: input.insert(at, 1, static_cast<char>(below(256))); break;
      case 2: input.erase(at, length); break;
      case 3: input.insert(at, input.substr(at, length)); break;
      case 4: input.insert(at, kWords[below(kWords.size())]); break;
      case 5: input.replace(at, length, kWords[below(kWords.size())]); break;
      default: {
        const std::string& other = corpus_[below(corpus_.size())];
        const std::size_t from = below(other.size() + 1);
        input = input.substr(0, at) + other.substr(from);
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937 random_;
};

double setting(const char* name, double fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atof(text) : fallback;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = fs::path(argv[0]).filename().string();
  current.program = argv[0];
  current.keep_as = (fs::temp_directory_path() / ("broken-" + name)).string();
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM}) ::signal(signal, keep_input);
  for (int i = 1; i < argc; ++i) run(read_input(argv[i]));
  if (argc > 1) return 0;

  const std::string parser = name.substr(0, name.rfind("_fuzz"));
  const auto corpus = read_corpus("tests/fuzz/corpus/" + parser);
  if (corpus.empty()) team::fuzz::report_violation("there is a corpus", parser.c_str(), 0);
  for (const std::string& input : corpus) run(input);
  Mutator mutator(corpus);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(setting("FUZZ_SECONDS", 0.25));
  const auto most = static_cast<std::size_t>(setting("FUZZ_MUTATIONS", 4000));
  std::size_t count = 0;
  for (; count < most && std::chrono::steady_clock::now() < end; ++count) run(mutator.next());
  std::printf("%s: %zu seeds, %zu mutations\n", parser.c_str(), corpus.size(), count);
  return 0;
}
