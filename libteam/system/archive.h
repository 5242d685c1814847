// Archives of regular files: tar as POSIX has it, so that tar(1) reads what is written here.
//
// Both ends stream through a buffer of fixed size, whatever the files are like. The reader takes ustar, pax and what
// GNU tar makes of the same files, and trusts nothing: a name that leads out, a link, a device, a header that does not
// add up or an end that comes too early is corrupt, with the name of the archive and the reason.
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

  // `entry.size` bytes of an open file, from `offset` on. Throws again if the file has become shorter than that.
  void add(const ArchiveEntry& entry, const Fd& file, off_t offset);
  // The size is that of the text.
  void add(ArchiveEntry entry, std::string_view text);
  // Only what ends so is an archive.
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

// A file of the user's, "-" for stdin. Throws not_found; usage for a terminal, from which no archive comes.
Fd open_archive(const std::string& file);

class ArchiveReader {
 public:
  // `subject` names the archive in messages; `fd` outlives this. Throws corrupt, or io if it cannot be read.
  ArchiveReader(int fd, std::string subject);

  // The next regular file, whatever was read of the one before; none at the end. Its name is a path of plain parts that
  // stays beneath where it starts. Folders are passed over: the names of the files tell them.
  std::optional<ArchiveEntry> next();
  // The next piece of it, good until the next call; empty at its end.
  std::string_view read();

 private:
  // What a pax or GNU header says about the entry that follows it.
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
  std::size_t start_ = 0;  // what of the buffer was taken
  std::string current_;    // the entry that is being read
  std::uint64_t left_ = 0;
  std::uint64_t padding_ = 0;
};

}  // namespace team
