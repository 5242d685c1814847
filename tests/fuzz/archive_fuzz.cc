// Archives: no entry leaves the folder, the result does not depend on how the bytes arrive, and every entry that is
// read can be written and read again. A loaded team is complete, or nothing is left of it.

#include "libteam/base/name.h"
#include "libteam/system/archive.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "libteam/store/files/fsck.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/files/snapshot.h"
#include "libteam/system/lines.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

constexpr std::size_t kBlock = 512;

// Corrects the checksums, because otherwise every input would be refused for its checksum and nothing else would be
// tested.
std::string with_sums(std::string_view text) {
  constexpr std::size_t kMagicAt = 257, kSumAt = 148, kSumSize = 8;
  std::string mended(text);
  for (std::size_t at = 0; at + kBlock <= mended.size(); at += kBlock) {
    if (mended.compare(at + kMagicAt, 5, "ustar") != 0) continue;
    mended.replace(at + kSumAt, kSumSize, kSumSize, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) sum += static_cast<unsigned char>(mended[at + i]);
    mended.replace(at + kSumAt, 7, fmt::format("{:06o}", sum) + '\0');
  }
  return mended;
}

Fd in_memory(std::string_view text) {
  Fd fd(::memfd_create("archive", MFD_CLOEXEC));
  write_all(fd.get(), text);
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

// A source of pieces: one read returns one piece.
Fd in_pieces(std::string_view text, std::size_t length) {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  const Fd writer(ends[0]);
  for (; !text.empty(); text.remove_prefix(std::min(length, text.size()))) {
    const std::string_view piece = text.substr(0, length);
    REQUIRE(::write(writer.get(), piece.data(), piece.size()) == static_cast<ssize_t>(piece.size()));
  }
  return Fd(ends[1]);
}

struct Found {
  ArchiveEntry entry;
  std::string text;
  bool operator==(const Found& other) const {
    return entry.name == other.entry.name && entry.mode == other.entry.mode && text == other.text;
  }
};

struct Reading {
  std::vector<Found> files;
  std::string error;
  bool operator==(const Reading&) const = default;
};

Reading read(const Fd& fd) {
  Reading reading;
  ArchiveReader reader(fd.get(), "a.tar");
  const auto error = fuzz::refusal([&] {
    while (auto entry = reader.next()) {
      reading.files.push_back({*entry, {}});
      for (auto piece = reader.read(); !piece.empty(); piece = reader.read()) reading.files.back().text.append(piece);
    }
  });
  if (!error) return reading;
  REQUIRE(error->code() == Code::corrupt && fuzz::is_safe_for_terminal(error->what()));
  reading.error = error->what();
  return reading;
}

void check_entries(const Reading& reading) {
  for (const Found& file : reading.files) {
    const std::string& name = file.entry.name;
    REQUIRE(is_inner_path(name) && name.size() <= 1024 && name.find('\0') == std::string::npos && name != ".");
    REQUIRE(file.entry.mode <= 07777);
    if (reading.error.empty()) REQUIRE(file.text.size() == file.entry.size);
  }
}

void check_written(const Reading& reading) {
  const Fd fd = in_memory("");
  ArchiveWriter writer(fd.get(), "b.tar");
  for (const Found& file : reading.files) writer.add(file.entry, file.text);
  writer.finish();
  REQUIRE(read(in_memory(read_at(fd, 0, static_cast<std::size_t>(size_of(fd))))) == reading);
}

void check_load(std::string_view archive) {
  static const std::string base = fuzz::scratch() + "/base";
  const std::string root_path = base + "/root", file = base + "/a.tar";
  fuzz::make_empty(root_path);
  fuzz::put_file(file, archive);
  fuzz::put_file(base + "/outside", "untouched");
  const Root root = Root::find_or_here({.directory = root_path, .environment = {}});
  std::string name;
  const auto error = fuzz::refusal([&] { name = load_team(root, file, {}, 1); });
  if (error) {
    for (const Code code : {Code::io, Code::again, Code::unknown}) REQUIRE(error->code() != code);
    REQUIRE(fuzz::snapshot_of(root_path).find("json") == std::string::npos);
  } else {
    const Root found = Root::find({.directory = root_path, .environment = {}});
    REQUIRE(Roster(found, 1).get(name).name == name);
    check_store(found, 1, Repair::yes);
  }
  REQUIRE(fuzz::get_file(base + "/outside") == "untouched");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::size_t kMost = 64 * 1024, kPieces = 60;
  if (size > kMost) return 0;
  const std::string archive = with_sums(fuzz::text_of(bytes, size));
  const Reading reading = read(in_memory(archive));
  check_entries(reading);
  REQUIRE(read(in_pieces(archive, std::max<std::size_t>(7, archive.size() / kPieces + 1))) == reading);
  if (!reading.error.empty()) return 0;
  check_written(reading);
  check_load(archive);
  return 0;
}
