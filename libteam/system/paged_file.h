// A file of fixed-size items, read and written by pages.
//
// It is for caches that are opened, read in a few places and closed, thousands of times a second. There, pread and
// pwrite of a few pages cost a third of mapping the file (with Boost.Interprocess's mapped_region too). Changes stay in
// memory until flush(); an item must not cross a page.
//
// On disk a checksum follows each page, so a page that was changed by other means is detected: reading it throws
// Damage. The first page is written most often, so only its head is stored.
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

// A page differs from the version that was written. Only clear() helps.
class Damage : public Error {
 public:
  Damage() : Error(Code::io, "a cache is damaged") {}
};

class PagedFile {
 public:
  explicit PagedFile(Fd fd) : fd_(std::move(fd)) {}

  // The item at `offset`; zeros beyond the end of the file. Throws Damage.
  template <class Item>
  const Item& get(std::uint64_t offset) {
    return *reinterpret_cast<const Item*>(page(offset).bytes.data() + offset % kPageSize);
  }

  // The same, to be changed. The reference is valid until clear().
  template <class Item>
  Item& edit(std::uint64_t offset) {
    Page& changed = page(offset);
    changed.dirty = true;
    return *reinterpret_cast<Item*>(changed.bytes.data() + offset % kPageSize);
  }

  // Writes the changed pages, or only the first one. False if the system refused, which a cache tolerates.
  bool flush();
  bool flush_first_page();

  // The size of the file as found or written. Nobody else writes it meanwhile.
  std::uint64_t size();

  // Removes all contents, on disk too.
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
