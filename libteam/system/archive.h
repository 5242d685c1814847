// Archives of regular files, in the tar format of POSIX, so that tar(1) can read them.
//
// Reader and writer use a buffer of fixed size for files of any size. The reader accepts ustar, pax and the output of
// GNU tar for the same files. It trusts nothing: a name that leads out, a link, a device, an inconsistent header or an
// early end throws corrupt, with the name of the archive and the reason.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/system/file.h"

namespace team {

struct ArchiveEntry {
  std::string name;
  unsigned mode = 0600;    // permission bits
  std::int64_t mtime = 0;  // whole seconds
  std::uint64_t size = 0;
};

class ArchiveWriter {
 public:
  // `subject` names the archive in messages; `fd` outlives this. Throws io.
  ArchiveWriter(int fd, std::string subject);

  // Adds `entry.size` bytes of an open file, from `offset` on. Throws again if the file has become shorter.
  void add(const ArchiveEntry& entry, const Fd& file, off_t offset);
  // The size is that of the text.
  void add(ArchiveEntry entry, std::string_view text);
  // Writes the end mark. An archive without it is incomplete.
  void finish();

 private:
  void begin(const ArchiveEntry& entry);
  void end(std::uint64_t size);
  void put(std::string_view bytes);
  void flush();

  int fd_;
  std::string subject_;
  std::string buffer_;
};

// Opens a file of the user, or stdin for "-". Throws not_found; throws usage for a terminal.
Fd open_archive(const std::string& file);

class ArchiveReader {
 public:
  // `subject` names the archive in messages; `fd` outlives this. Throws corrupt, or io if it cannot be read.
  ArchiveReader(int fd, std::string subject);

  // The next regular file, even if the one before was not read whole; none at the end. Its name is a path of plain
  // parts that stays beneath its start. Skips folders: the names of the files imply them.
  std::optional<ArchiveEntry> next();
  // The next piece of the file, valid until the next call; empty at its end.
  std::string_view read();

 private:
  // Values that a pax or GNU header gives for the next entry.
  struct Override {
    std::optional<std::string> name;
    std::optional<std::uint64_t> size;
  };
  [[noreturn]] void refuse(std::string_view reason) const;
  bool fill();
  std::string_view take(std::size_t most);
  bool read_block(std::string& block);
  void read_extension(char type, Override& override);
  void read_pax(std::string_view records, Override& override) const;
  void skip_rest();
  void drain();

  int fd_;
  std::string subject_;
  std::string buffer_;
  std::size_t start_ = 0;  // how much of the buffer was consumed
  std::string current_;    // the entry that is being read
  std::uint64_t left_ = 0;
  std::uint64_t padding_ = 0;
};

}  // namespace team
