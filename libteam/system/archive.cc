#include "libteam/system/archive.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "libteam/base/error.h"
#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/system/lines.h"

namespace team {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kBuffer = 128 * 1024;
constexpr std::size_t kLongestName = 1024;
constexpr std::uint64_t kLargestExtension = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestOctal = 077777777777;

// A header of the archive; numbers are octal digits.
struct Header {
  std::array<char, 100> name;
  std::array<char, 8> mode, uid, gid;
  std::array<char, 12> size, mtime;
  std::array<char, 8> checksum;
  char type;
  std::array<char, 100> link;
  std::array<char, 8> magic;
  std::array<char, 32> user, group;
  std::array<char, 8> major_number, minor_number;
  std::array<char, 155> prefix;
  std::array<char, 12> unused;
};
static_assert(sizeof(Header) == kBlock);

constexpr std::string_view kPosixMagic{"ustar\00000", 8};
constexpr std::string_view kGnuMagic{"ustar  \0", 8};

template <std::size_t Size>
void set_text(std::array<char, Size>& field, std::string_view text) {
  std::copy_n(text.data(), std::min(text.size(), Size), field.data());
}

template <std::size_t Size>
void set_number(std::array<char, Size>& field, std::uint64_t number) {
  set_text(field, fmt::format("{:0{}o}", number, Size - 1));
}

template <std::size_t Size>
std::string_view text_of(const std::array<char, Size>& field) {
  return {field.data(), ::strnlen(field.data(), Size)};
}

// Octal digits, or GNU's form for large numbers: a first byte of 0x80 and then binary. None for other bytes.
template <std::size_t Size>
std::optional<std::uint64_t> number_of(const std::array<char, Size>& field) {
  std::uint64_t number = 0;
  if (static_cast<unsigned char>(field[0]) == 0x80) {
    for (std::size_t i = 1; i < Size; ++i) {
      if (number >> 56 != 0) return std::nullopt;
      number = number << 8 | static_cast<unsigned char>(field[i]);
    }
    return number;
  }
  std::string_view digits = text_of(field);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  if (digits.empty()) return std::nullopt;
  for (const char digit : digits) {
    if (digit < '0' || digit > '7') return std::nullopt;
    number = number << 3 | static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

// The sum of all bytes, with blanks in place of the sum itself.
std::uint64_t checksum_of(Header header) {
  header.checksum.fill(' ');
  std::array<unsigned char, kBlock> bytes;
  std::memcpy(bytes.data(), &header, kBlock);
  std::uint64_t sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  return sum;
}

std::size_t padding_of(std::uint64_t size) { return static_cast<std::size_t>((kBlock - size % kBlock) % kBlock); }

std::string make_header(const ArchiveEntry& entry, char type) {
  Header header{};
  set_text(header.name, entry.name);
  set_number(header.mode, entry.mode);
  set_number(header.uid, 0);
  set_number(header.gid, 0);
  set_number(header.size, std::min(entry.size, kLargestOctal));
  set_number(header.mtime, std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(0, entry.mtime)), kLargestOctal));
  header.type = type;
  set_text(header.magic, kPosixMagic);
  set_text(header.checksum, fmt::format("{:06o}", checksum_of(header)));
  header.checksum[7] = ' ';
  return {reinterpret_cast<const char*>(&header), kBlock};
}

// None if the checksum is wrong.
std::optional<Header> parse_header(std::string_view block) {
  Header header{};
  std::memcpy(&header, block.data(), kBlock);
  const std::string_view magic(header.magic.data(), header.magic.size());
  const bool known = magic == kPosixMagic || magic == kGnuMagic;
  return known && number_of(header.checksum) == checksum_of(header) ? std::optional(header) : std::nullopt;
}

std::string name_of(const Header& header) {
  const std::string_view magic(header.magic.data(), header.magic.size());
  // GNU has other fields in place of the name prefix of POSIX.
  const std::string_view prefix = magic == kPosixMagic ? text_of(header.prefix) : std::string_view();
  return prefix.empty() ? std::string(text_of(header.name)) : fmt::format("{}/{}", prefix, text_of(header.name));
}

// "LENGTH KEY=VALUE\n"; the length includes its own digits.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::string rest = fmt::format(" {}={}\n", key, value);
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) length = std::to_string(length).size() + rest.size();
  return std::to_string(length) + rest;
}

bool is_zero(std::string_view block) { return block.find_first_not_of('\0') == std::string_view::npos; }

// Converts "./a/b/" to "a/b" and "./" to ""; none for a path that leads out or is not plain.
std::optional<std::string> plain_path(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  if (path.starts_with('/')) return std::nullopt;
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty() || path == ".") return std::string();
  if (path.size() > kLongestName || path.find('\0') != std::string_view::npos) return std::nullopt;
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return std::nullopt;
  }
  return std::string(path);
}

constexpr char kFile = '0';
constexpr char kFolder = '5';

bool is_file_or_folder(char type) { return type == kFile || type == '\0' || type == '7' || type == kFolder; }

std::string_view kind_of(char type) {
  switch (type) {
    case '1':
    case '2':
    case 'K': return "a link";
    case '3':
    case '4': return "a device";
    case '6': return "a fifo";
    default: return "not a regular file";
  }
}

}  // namespace

ArchiveWriter::ArchiveWriter(int fd, std::string subject) : fd_(fd), subject_(std::move(subject)) {}

void ArchiveWriter::add(const ArchiveEntry& entry, const Fd& file, off_t offset) {
  begin(entry);
  for (std::uint64_t left = entry.size; left > 0;) {
    const std::string piece = read_at(file, offset, static_cast<std::size_t>(std::min<std::uint64_t>(left, kBuffer)));
    if (piece.empty()) fail(Code::again, "'{}' became shorter while it was read", entry.name);
    put(piece);
    offset += static_cast<off_t>(piece.size());
    left -= piece.size();
  }
  end(entry.size);
}

void ArchiveWriter::add(ArchiveEntry entry, std::string_view text) {
  entry.size = text.size();
  begin(entry);
  put(text);
  end(entry.size);
}

void ArchiveWriter::finish() {
  put(std::string(2 * kBlock, '\0'));
  flush();
}

// A value that does not fit into the header gets a pax header before it.
void ArchiveWriter::begin(const ArchiveEntry& entry) {
  std::string records;
  if (entry.name.size() > sizeof Header::name) records += pax_record("path", entry.name);
  if (entry.size > kLargestOctal) records += pax_record("size", std::to_string(entry.size));
  if (!records.empty()) {
    put(make_header({"PaxHeader", entry.mode, entry.mtime, records.size()}, 'x'));
    put(records);
    end(records.size());
  }
  put(make_header(entry, kFile));
}

void ArchiveWriter::end(std::uint64_t size) { put(std::string(padding_of(size), '\0')); }

void ArchiveWriter::put(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBuffer) flush();
}

void ArchiveWriter::flush() {
  if (!write_all(fd_, buffer_)) fail_errno("cannot write", subject_);
  buffer_.clear();
}

Fd open_archive(const std::string& file) {
  Fd fd(file == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) fail(Code::not_found, "no file '{}'", one_line(file));
  if (!fd) fail_errno("cannot open", file);
  if (::isatty(fd.get()) == 1) fail(Code::usage, "an archive does not come from a terminal");
  return fd;
}

ArchiveReader::ArchiveReader(int fd, std::string subject) : fd_(fd), subject_(std::move(subject)) {}

void ArchiveReader::refuse(std::string_view reason) const { fail(Code::corrupt, "{}: {}", subject_, reason); }

std::optional<ArchiveEntry> ArchiveReader::next() {
  skip_rest();
  Override override;
  std::string block;
  while (true) {
    if (!read_block(block)) refuse(current_.empty() ? "is empty" : "ends too early: it was cut");
    if (is_zero(block)) break;
    const auto header = parse_header(block);
    if (!header && current_.empty()) refuse("is not a tar archive");
    if (!header) refuse(fmt::format("what follows '{}' is damaged", one_line(current_)));
    const bool about_next = header->type == 'x' || header->type == 'g' || header->type == 'L';
    current_ = !about_next && override.name ? *override.name : name_of(*header);
    const auto size = !about_next && override.size ? override.size : number_of(header->size);
    const std::uint64_t most = about_next ? kLargestExtension : kLargestFile;
    if (!size || *size > most) refuse(fmt::format("the size of '{}' is absurd", one_line(current_)));
    left_ = *size;
    padding_ = padding_of(*size);
    if (about_next) {
      read_extension(header->type, override);
      continue;
    }
    override = {};
    if (!is_file_or_folder(header->type)) {
      refuse(fmt::format("'{}' is {}", one_line(current_), kind_of(header->type)));
    }
    const auto path = plain_path(current_);
    if (!path) refuse(fmt::format("'{}' is no path inside an archive", one_line(current_)));
    if (header->type == kFolder || current_.ends_with('/') || path->empty()) {
      skip_rest();
      continue;
    }
    return ArchiveEntry{*path, static_cast<unsigned>(number_of(header->mode).value_or(0600) & 07777),
                        static_cast<std::int64_t>(number_of(header->mtime).value_or(0)), *size};
  }
  const bool whole = read_block(block) && is_zero(block) && !override.name && !override.size;
  if (!whole) refuse("ends too early: it was cut");
  drain();
  return std::nullopt;
}

std::string_view ArchiveReader::read() {
  if (left_ == 0) return {};
  const std::string_view piece = take(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kBuffer)));
  if (piece.empty()) refuse(fmt::format("ends in the middle of '{}'", one_line(current_)));
  left_ -= piece.size();
  return piece;
}

void ArchiveReader::skip_rest() {
  while (!read().empty()) continue;
  while (padding_ > 0) {
    const std::string_view piece = take(static_cast<std::size_t>(padding_));
    if (piece.empty()) refuse(fmt::format("ends in the middle of '{}'", one_line(current_)));
    padding_ -= piece.size();
  }
}

// False at the end.
bool ArchiveReader::fill() {
  buffer_.resize(kBuffer);
  start_ = 0;
  ssize_t got = -1;
  do {
    got = ::read(fd_, buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail_errno("cannot read", subject_);
  buffer_.resize(static_cast<std::size_t>(got));
  return got > 0;
}

// Up to `most` bytes, valid until the next call; empty at the end.
std::string_view ArchiveReader::take(std::size_t most) {
  if (start_ == buffer_.size() && !fill()) return {};
  const std::string_view piece = std::string_view(buffer_).substr(start_, most);
  start_ += piece.size();
  return piece;
}

// False at the end of the archive's file.
bool ArchiveReader::read_block(std::string& block) {
  block.clear();
  while (block.size() < kBlock) {
    const std::string_view piece = take(kBlock - block.size());
    if (piece.empty() && block.empty()) return false;
    if (piece.empty()) refuse(current_.empty() ? "is not a tar archive" : "ends too early: it was cut");
    block.append(piece);
  }
  return true;
}

void ArchiveReader::read_extension(char type, Override& override) {
  std::string text;
  for (std::string_view piece = read(); !piece.empty(); piece = read()) text.append(piece);
  skip_rest();
  if (type == 'L') override.name = text.c_str();  // it ends with a NUL
  if (type == 'x') read_pax(text, override);
  if (type != 'g') return;
  Override everywhere;
  read_pax(text, everywhere);
  if (everywhere.name || everywhere.size) refuse("a global header speaks of one file");
}

void ArchiveReader::read_pax(std::string_view records, Override& override) const {
  while (!records.empty()) {
    const std::size_t blank = records.find(' ');
    const auto length = blank == std::string_view::npos ? std::nullopt : parse_integer(records.substr(0, blank));
    const bool fits = length && static_cast<std::size_t>(*length) > blank + 1 &&
                      static_cast<std::size_t>(*length) <= records.size() && records[*length - 1] == '\n';
    if (!fits) refuse("an extended header is damaged");
    const std::string_view record = records.substr(blank + 1, static_cast<std::size_t>(*length) - blank - 2);
    records.remove_prefix(static_cast<std::size_t>(*length));
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) refuse("an extended header is damaged");
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") override.name = value;
    if (key.starts_with("GNU.sparse.")) refuse("has a sparse file in it");
    if (key != "size") continue;
    const auto size = parse_integer(value);
    if (!size) refuse("an extended header is damaged");
    override.size = static_cast<std::uint64_t>(*size);
  }
}

// Reads the padding after the end, so that a process that writes it into a pipe gets no SIGPIPE.
void ArchiveReader::drain() {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  for (std::size_t passed = buffer_.size(); passed < kMost && fill();) passed += buffer_.size();
}

}  // namespace team
