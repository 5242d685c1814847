// A file of fixed-size items, read and written by pages.
//
// For caches that are opened, touched in a few places and closed again, thousands of times a second: pread and pwrite
// of a few pages cost a third of what mapping the file does (Boost.Interprocess's mapped_region included). Changes stay
// in memory until flush(); an item must not cross a page.
//
// On disk each page is followed by a checksum of it, so that a page that somebody else, or the disk, has changed is not
// taken for what it was: looking at one throws Damage. Of the first page, which is written most often, there is only
// the head.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "libteam/system/file.h"

namespace team {

// A page is not as it was written. Nothing helps but clear().
class Damage : public Error {
 public:
  Damage() : Error(Code::io, "a cache is damaged") {}
};

class PagedFile {
 public:
  explicit PagedFile(Fd fd) : fd_(std::move(fd)) {}

  // What lies at `offset`; zeros beyond the end of the file. Throws Damage.
  template <class Item>
  const Item& get(std::uint64_t offset) {
    return *reinterpret_cast<const Item*>(page(offset).bytes.data() + offset % kPageSize);
  }

  // The same, to be changed. The reference is good until clear().
  template <class Item>
  Item& edit(std::uint64_t offset) {
    Page& changed = page(offset);
    changed.dirty = true;
    return *reinterpret_cast<Item*>(changed.bytes.data() + offset % kPageSize);
  }

  // Writes the changed pages of the file, or only the first one. False if the system refused: a cache can live with it.
  bool flush();
  bool flush_first_page();

  // Of the file as it was found or written; nobody else writes it meanwhile.
  std::uint64_t size();

  // Forgets everything, on disk too.
  bool clear();

  static constexpr std::size_t kPageSize = 4096;
  static constexpr std::size_t kHeadSize = 256;

 private:
  struct Page {
    alignas(64) std::array<std::byte, kPageSize> bytes{};
    std::uint64_t checksum = 0;
    bool dirty = false;
  };
  Page& page(std::uint64_t offset);
  bool read(std::uint64_t number, Page& page) const;
  bool write(std::uint64_t number, Page& page);
  static std::size_t bytes_of(std::uint64_t number) { return number == 0 ? kHeadSize : kPageSize; }
  static off_t place_of(std::uint64_t number);

  Fd fd_;
  std::optional<std::uint64_t> size_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace team
