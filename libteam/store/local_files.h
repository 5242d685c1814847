// Files of a team on this machine: the outputs of its detached processes, and long outputs of tools.
//
// They are files in every kind of store. The kernel gives the descriptor to a process as its standard output, and a
// model reads the outputs of its tools by path.
#pragma once

#include <cstddef>
#include <string>

#include "libteam/system/fd.h"

namespace team {

class LocalFiles {
 public:
  virtual ~LocalFiles() = default;

  // Opens the output of a member for appending. A large old output is put aside.
  virtual Fd open_output(const std::string& member) const = 0;
  // The last `most` bytes; empty if there is no output.
  virtual std::string read_output(const std::string& member, std::size_t most) const = 0;
  // The folder for outputs of tools that are too long for a model. It is made if it is missing.
  virtual std::string outputs_path() const = 0;
};

}  // namespace team
