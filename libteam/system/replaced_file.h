// A file of the user that is written piece by piece and takes its place as a whole.
//
// Until commit() the old contents stay. If `path` is a fifo or a device, the pieces go there directly. If it is a
// symbolic link, the target is replaced.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/system/file.h"
#include "libteam/system/temporary.h"

namespace team {

// Removes the temporary files that a killed process left in a folder of the user: only files that can be nothing else.
void sweep_beside(const Folder& folder);

class ReplacedFile {
 public:
  // Throws not_found if there is no such folder, io if the file cannot be written.
  ReplacedFile(const std::string& path, Durability durability);
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  void write(std::string_view piece);
  // Only its owner can read the file. Throws io if nothing changed, unknown if the file is in place but may not be on
  // the disk.
  void commit();

 private:
  std::string path_, name_;
  Durability durability_;
  std::optional<Folder> folder_;
  std::optional<Temporary> temporary_;  // none: the target is no regular file
  Fd fd_;
};

}  // namespace team
