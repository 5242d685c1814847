// How far the replay of a team is: a small file that the processes of all its members share.
//
// The member whose turn it is writes the number of the next step. A member that finds a difference writes the reason,
// and all others end with it.
#pragma once

#include <cstddef>
#include <string>

#include "libteam/system/file.h"

namespace team {

class ReplayProgress {
 public:
  // `folder` must exist; makes the file if it is missing.
  explicit ReplayProgress(const std::string& folder);

  struct State {
    std::size_t next = 0;  // the first step that is not done
    std::string failure;   // empty while the replay goes on
  };
  State read() const;
  void advance(std::size_t next) const;
  // The first reason stays.
  void fail(const std::string& reason) const;
  // Begins a new replay.
  void restart() const;

  const Folder& folder() const { return folder_; }
  static constexpr const char* kFile = "replay-progress";

 private:
  State load() const;
  void store(const State& state) const;

  Folder folder_;
  Fd file_;
};

}  // namespace team
