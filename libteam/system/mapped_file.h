// The contents of a file that does not change any more, mapped into memory: reading it costs no copy.
#pragma once

#include <memory>
#include <string_view>

#include "libteam/system/file.h"

namespace team {

class MappedFile {
 public:
  // Throws io. The descriptor may be closed afterwards. Reading crashes if somebody truncates the file meanwhile.
  explicit MappedFile(const Fd& fd);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Valid as long as this.
  std::string_view text() const;

 private:
  struct Region;
  std::unique_ptr<Region> region_;  // none for an empty file
};

}  // namespace team
