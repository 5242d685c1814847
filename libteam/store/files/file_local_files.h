// The files of a team on this machine, in the folder of the team. NAME.log is the output of a detached process. The
// folder `outputs` has the long outputs of tools.
#pragma once

#include <memory>
#include <string>

#include "libteam/store/local_files.h"
#include "libteam/system/file.h"

namespace team {

class FileLocalFiles : public LocalFiles {
 public:
  explicit FileLocalFiles(std::shared_ptr<const Folder> team) : team_(std::move(team)) {}

  Fd open_output(const std::string& member) const override;
  std::string read_output(const std::string& member, std::size_t most) const override;
  std::string outputs_path() const override;

 private:
  std::shared_ptr<const Folder> team_;
};

}  // namespace team
