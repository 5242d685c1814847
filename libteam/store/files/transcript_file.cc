#include "libteam/store/files/transcript_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>

#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/lines.h"

namespace team {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// Where the last whole line ends.
off_t end_of_lines(const Fd& file) {
  off_t end = size_of(file);
  while (end > 0) {
    const off_t start = std::max<off_t>(0, end - static_cast<off_t>(kPiece));
    const std::string piece = read_at(file, start, static_cast<std::size_t>(end - start));
    const std::size_t newline = piece.rfind('\n');
    if (newline != std::string::npos) return start + static_cast<off_t>(newline) + 1;
    end = start;
  }
  return 0;
}

// The place after the first newline at or after `from`; none if there is none.
std::optional<off_t> end_of_line(const Fd& file, off_t from) {
  while (true) {
    const std::string piece = read_at(file, from, kPiece);
    if (piece.empty()) return std::nullopt;
    const std::size_t newline = piece.find('\n');
    if (newline != std::string::npos) return from + static_cast<off_t>(newline) + 1;
    from += static_cast<off_t>(piece.size());
  }
}

}  // namespace

TranscriptFile::TranscriptFile(const Folder& folder, const std::string& member, Durability durability)
    : file_(folder.open(layout::transcript_file(member), O_RDWR | O_CREAT | O_APPEND)),
      path_(folder.path_of(layout::transcript_file(member))),
      durability_(durability) {
  const off_t whole = end_of_lines(file_);
  if (whole != size_of(file_) && ::ftruncate(file_.get(), whole) != 0) fail_errno("cannot mend", path_);
  if (durability_ == Durability::power) folder.sync(Code::io);
}

void TranscriptFile::each(const std::function<void(std::string_view line)>& visit) const {
  std::string piece;
  for (off_t at = 0;; at += static_cast<off_t>(piece.size())) {
    piece = read_at(file_, at, kPiece);
    if (piece.empty()) return;
    std::size_t newline = piece.rfind('\n');
    if (newline == std::string::npos) {
      // A line that is longer than a piece: one read of the right size needs no memory beyond the line itself.
      const auto end = end_of_line(file_, at + static_cast<off_t>(piece.size()));
      if (!end) return;
      piece = {};
      piece = read_at(file_, at, static_cast<std::size_t>(*end - at));
      newline = piece.rfind('\n');
      if (newline == std::string::npos) fail(Code::io, "cannot read '{}': it became shorter", path_);
    }
    piece.resize(newline + 1);
    for (std::size_t start = 0; start < piece.size();) {
      const std::size_t stop = piece.find('\n', start);
      visit(std::string_view(piece).substr(start, stop - start));
      start = stop + 1;
    }
  }
}

void TranscriptFile::append(std::string_view line) const {
  const off_t before = size_of(file_);
  const bool written = write_all(file_.get(), std::string(line) + "\n") &&
                       (durability_ == Durability::process || ::fdatasync(file_.get()) == 0);
  if (written) return;
  const int reason = errno;
  if (::ftruncate(file_.get(), before) != 0) fail(Code::corrupt, "'{}' has a torn line at its end", path_);
  errno = reason;
  fail_errno("cannot write", path_);
}

TranscriptFile open_transcript(const Engine& engine, const Team& team, const std::string& member) {
  return {in_files(engine).roster().folder_of(team.name), member, durability_of(&team)};
}

}  // namespace team
