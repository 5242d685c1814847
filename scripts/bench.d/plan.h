// The plan that runner and wake read from stdin, and starting its commands.
//
// A line is LABEL<TAB>FOLDER<TAB>WORD<TAB>WORD…; in a word, %r is the round, %w the worker (from 1) and %n a new number
// each time. A label that begins with ! is for a command that must refuse.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

struct Line {
  std::string label, folder;
  std::vector<std::string> words;

  bool is_refusal() const { return label.starts_with('!'); }
};

struct Marks {
  int round = 0, worker = 0, number = 0;
};

inline std::vector<Line> read_lines() {
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

inline std::string fill_in(std::string word, const Marks& marks) {
  const std::pair<const char*, int> values[] = {{"%r", marks.round}, {"%w", marks.worker}, {"%n", marks.number}};
  for (const auto& [mark, value] : values) {
    for (auto at = word.find(mark); at != std::string::npos; at = word.find(mark)) {
      word.replace(at, 2, std::to_string(value));
    }
  }
  return word;
}

// Starts a line without input; its output is dropped, and so is the error message of a refusal. -1 if it cannot be started.
inline pid_t start(const Line& line, const Marks& marks) {
  std::vector<std::string> words;
  for (const std::string& word : line.words) words.push_back(fill_in(word, marks));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, line.folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (line.is_refusal()) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}
