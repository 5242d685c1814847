// Archives: every written entry can be read again, and entries of other programs that are unsafe are refused.
#include "libteam/system/archive.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "libteam/system/lines.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

constexpr std::size_t kBlock = 512;

// A file in memory, positioned at its start.
Fd file_of(std::string_view text) {
  Fd fd(::memfd_create("archive", MFD_CLOEXEC));
  write_all(fd.get(), text);
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

std::string text_of(const Fd& fd) { return read_at(fd, 0, static_cast<std::size_t>(size_of(fd))); }

struct Found {
  ArchiveEntry entry;
  std::string text;
};

std::vector<Found> read_archive(const Fd& fd) {
  ArchiveReader reader(fd.get(), "a.tar");
  std::vector<Found> all;
  while (auto entry = reader.next()) {
    all.push_back({*entry, {}});
    for (auto piece = reader.read(); !piece.empty(); piece = reader.read()) all.back().text.append(piece);
  }
  return all;
}

std::vector<Found> read_text(std::string_view archive) { return read_archive(file_of(archive)); }

std::string refusal(std::string_view archive) {
  return message_of([&] { read_text(archive); });
}

std::string write_archive(const std::vector<Found>& files) {
  const Fd fd = file_of("");
  ArchiveWriter writer(fd.get(), "a.tar");
  for (const Found& file : files) writer.add(file.entry, file.text);
  writer.finish();
  return text_of(fd);
}

std::string one_file(const std::string& name, std::string_view text) {
  return write_archive({{{name, 0600, 0, 0}, std::string(text)}});
}

const std::string kEnd(2 * kBlock, '\0');

std::string pad(std::string text) {
  text.resize((text.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return text;
}

// A header as another program may write it, with a correct checksum.
std::string header(const std::string& name, char type, const std::string& size, std::string_view magic,
                   std::string_view prefix = "") {
  std::string block(kBlock, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { block.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000600");
  put(124, size);
  put(156, std::string(1, type));
  put(257, magic);
  put(345, prefix);
  put(148, "        ");
  unsigned sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

constexpr std::string_view kPosix("ustar\00000", 8);
constexpr std::string_view kGnu("ustar  \0", 8);

std::string entry(const std::string& name, char type, const std::string& text, std::string_view magic = kPosix) {
  return header(name, type, fmt::format("{:011o}", text.size()), magic) + pad(text);
}

void round_trips() {
  const std::string large(1'000'000, 'x');
  const std::string exact(kBlock, 'y');
  const std::string long_name = "team/" + std::string(200, 'n') + "/" + std::string(150, 'm');
  const auto found = read_text(write_archive({{{"a", 0600, 1709234567, 0}, "text"},
                                              {{"team/hooks/b", 0700, 0, 0}, ""},
                                              {{"board/1.json", 0600, 0, 0}, exact},
                                              {{long_name, 0600, 0, 0}, "far away"},
                                              {{"with blank\nand newline", 0600, 0, 0}, large}}));
  CHECK(found.size() == 5);
  CHECK(found[0].entry.name == "a" && found[0].text == "text" && found[0].entry.mtime == 1709234567);
  CHECK(found[1].entry.mode == 0700 && found[1].text.empty());
  CHECK(found[2].text == exact && found[2].entry.mode == 0600);
  CHECK(found[3].entry.name == long_name && found[3].text == "far away");
  CHECK(found[4].entry.name == "with blank\nand newline" && found[4].text == large);
  CHECK(read_text(write_archive({})).empty());
  for (const std::size_t length : {99, 100, 101, 255, 256, 1000, 1024}) {
    const std::string name(length, 'n');
    CHECK(read_text(one_file(name, "x")).at(0).entry.name == name);
  }
}

void parts_of_files() {
  const Fd source = file_of("0123456789");
  const Fd fd = file_of("");
  ArchiveWriter writer(fd.get(), "a.tar");
  writer.add({"middle", 0600, 0, 4}, source, 3);
  CHECK(fails_with(Code::again, [&] { writer.add({"beyond", 0600, 0, 8}, source, 3); }));
  const Fd other = file_of("");
  ArchiveWriter whole(other.get(), "a.tar");
  whole.add({"middle", 0600, 0, 4}, source, 3);
  whole.finish();
  CHECK(read_text(text_of(other)).at(0).text == "3456");
}

void skips_unread_entries() {
  const Fd fd = file_of(write_archive({{{"a", 0600, 0, 0}, std::string(300'000, 'x')}, {{"b", 0600, 0, 0}, "here"}}));
  ArchiveReader reader(fd.get(), "a.tar");
  CHECK(reader.next()->name == "a");
  CHECK(reader.read().size() < 300'000);
  CHECK(reader.next()->name == "b");
  CHECK(reader.read() == "here");
  CHECK(!reader.next());
}

void archives_of_other_programs() {
  CHECK(read_text(entry("./a/b", '0', "x") + kEnd).at(0).entry.name == "a/b");
  CHECK(read_text(entry("a", '\0', "x", kGnu) + kEnd).at(0).text == "x");
  CHECK(read_text(entry("./", '5', "") + entry("a/", '5', "") + entry("a/b", '0', "x") + kEnd).size() == 1);
  CHECK(read_text(entry("a/", '0', "") + kEnd).empty());
  CHECK(read_text(entry(".", '5', "") + entry(".", '0', "") + kEnd).empty());
  CHECK(read_text(entry("a", '7', "x") + kEnd).at(0).text == "x");  // a contiguous file is read as a regular one
  CHECK(read_text(header("a", '0', "0000000003  ", kGnu) + pad("abc") + kEnd).at(0).text == "abc");
  CHECK(read_text(entry("a", '0', "x") + kEnd + std::string(3'000'000, '\0')).size() == 1);
  CHECK(read_text(entry("a", '0', "x") + kEnd + std::string(10240, '\0')).size() == 1);

  const std::string long_name = std::string(60, 'd') + "/" + std::string(90, 'n');
  const std::string gnu = entry("././@LongLink", 'L', long_name + '\0', kGnu) + entry("cut", '0', "x", kGnu);
  CHECK(read_text(gnu + kEnd).at(0).entry.name == long_name);
  const std::string global = entry("g", 'g', "19 comment=by hand\n") + entry("a", '0', "x");
  CHECK(read_text(global + kEnd).at(0).entry.name == "a");
  const std::string pax = entry("x", 'x', "30 mtime=1709234567.123456789\n14 path=p/q/r\n") + entry("cut", '0', "x");
  CHECK(read_text(pax + kEnd).at(0).entry.name == "p/q/r");
  // The name in a pax header applies only to the next entry.
  CHECK(read_text(pax + entry("b", '0', "y") + kEnd).at(1).entry.name == "b");
  const std::string size = entry("x", 'x', "10 size=3\n") + header("a", '0', "00000000000", kPosix) + pad("abc");
  CHECK(read_text(size + kEnd).at(0).text == "abc");

  const std::string posix = header("name", '0', "00000000000", kPosix, "first/second");
  CHECK(read_text(posix + kEnd).at(0).entry.name == "first/second/name");
  // In the GNU format this field holds a time, not a prefix of the name.
  CHECK(read_text(header("name", '0', "00000000000", kGnu, "15000000000") + kEnd).at(0).entry.name == "name");
}

void hostile_names() {
  for (const char* name : {"/etc/passwd", "../a", "a/../b", "a//b", "a/./b", "..", "a/..", "/", "//"}) {
    CHECK(refusal(entry(name, '0', "x") + kEnd) == fmt::format("a.tar: '{}' is no path inside an archive", name));
  }
  CHECK(fails_with(Code::corrupt, [] { read_text(entry("../", '5', "") + kEnd); }));
  CHECK(fails_with(Code::corrupt, [] { read_text(one_file(std::string(1025, 'n'), "x")); }));
  CHECK(fails_with(Code::corrupt, [] { read_text(one_file("../a", "x")); }));
  const std::string hidden = entry("x", 'x', "13 path=../a\n") + entry("good", '0', "x");
  CHECK(refusal(hidden + kEnd) == "a.tar: '../a' is no path inside an archive");
  const std::string nul = entry("x", 'x', std::string("11 path=a\0\n", 11)) + entry("good", '0', "x");
  CHECK(fails_with(Code::corrupt, [&] { read_text(nul + kEnd); }));
}

void kinds() {
  for (const auto& [type, kind] : std::initializer_list<std::pair<char, const char*>>{{'1', "a link"},
                                                                                      {'2', "a link"},
                                                                                      {'K', "a link"},
                                                                                      {'3', "a device"},
                                                                                      {'4', "a device"},
                                                                                      {'6', "a fifo"},
                                                                                      {'S', "not a regular file"},
                                                                                      {'V', "not a regular file"}}) {
    CHECK(refusal(entry("a", type, "") + kEnd) == fmt::format("a.tar: 'a' is {}", kind));
  }
  const std::string sparse = entry("x", 'x', "22 GNU.sparse.major=1\n") + entry("a", '0', "x");
  CHECK(refusal(sparse + kEnd) == "a.tar: has a sparse file in it");
}

void sizes() {
  const std::string far_more = std::string("\x80\x01\0\0\0\0\0\0\0\0\0\0", 12);
  const std::string two_eib = std::string("\x80\0\0\0\x20\0\0\0\0\0\0\0", 12);
  for (const std::string& size : {std::string("77777777777x"), std::string(12, ' '), two_eib, far_more,
                                  std::string(12, '\xff'), std::string(12, '9'), std::string("-0000000001")}) {
    CHECK(refusal(header("a", '0', size, kGnu)) == "a.tar: the size of 'a' is absurd");
  }
  const std::string binary = std::string("\x80\0\0\0\0\0\0\0\0\0\0\x03", 12);
  CHECK(read_text(header("a", '0', binary, kGnu) + pad("abc") + kEnd).at(0).text == "abc");
  CHECK(fails_with(Code::corrupt, [] { read_text(header("x", 'x', "00010000000", kPosix)); }));
  for (const char* records : {"5 a=b", "3 x\n", "999 a=b\n", "x a=b\n", "0 a=b\n", "-1 a=b\n", "12 size=-1\n", " ",
                              "6 abc\n", "10 size=x\n"}) {
    CHECK(refusal(entry("x", 'x', records) + kEnd) == "a.tar: an extended header is damaged");
  }
  CHECK(fails_with(Code::corrupt, [] { read_text(entry("x", 'g', "10 size=3\n") + kEnd); }));
}

void damage() {
  const std::string good = write_archive({{{"a", 0600, 0, 0}, "text"}, {{"b", 0600, 0, 0}, "more"}});
  CHECK(refusal("") == "a.tar: is empty");
  CHECK(refusal("short") == "a.tar: is not a tar archive");
  CHECK(refusal(std::string(2000, 'x')) == "a.tar: is not a tar archive");
  // A cut at any byte is detected.
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK(fails_with(Code::corrupt, [&] { read_text(std::string_view(good).substr(0, length)); }));
  }
  CHECK(read_text(good).size() == 2);
  // A flipped bit anywhere in a header is detected.
  for (std::size_t at = 0; at < 2 * kBlock + kBlock; ++at) {
    if (at >= kBlock && at < 2 * kBlock) continue;  // the contents of the file
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    const bool is_blank_of_sum = at % kBlock == 154 || at % kBlock == 155;  // any byte may follow the digits
    CHECK(is_blank_of_sum || fails_with(Code::corrupt, [&] { read_text(bad); }));
  }
  std::string second = good;
  second[2 * kBlock + 10] = 'x';
  CHECK(refusal(second) == "a.tar: what follows 'a' is damaged");
  CHECK(refusal(entry("x", 'x', "10 size=3\n") + kEnd) == "a.tar: ends too early: it was cut");
  CHECK(refusal(good.substr(0, kBlock + 2)) == "a.tar: ends in the middle of 'a'");
  CHECK(refusal(good.substr(0, 4 * kBlock)) == "a.tar: ends too early: it was cut");
  CHECK(refusal(good.substr(0, 5 * kBlock)) == "a.tar: ends too early: it was cut");
}

void full_disk() {
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ArchiveWriter writer(full.get(), "a.tar");
  writer.add({"a", 0600, 0, 0}, "x");
  CHECK(message_of([&] { writer.finish(); }) == "cannot write 'a.tar': No space left on device");
}

}  // namespace

int main() {
  round_trips();
  parts_of_files();
  skips_unread_entries();
  archives_of_other_programs();
  hostile_names();
  kinds();
  sizes();
  damage();
  full_disk();
  return test::report();
}
