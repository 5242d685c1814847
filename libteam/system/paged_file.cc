#include "libteam/system/paged_file.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

#include "libteam/base/error.h"

namespace team {

namespace {

// Four sums in parallel, for the processor: a page takes some hundred nanoseconds. The page number is included, so that
// no page is accepted in place of another.
std::uint64_t checksum_of(const std::byte* bytes, std::size_t count, std::uint64_t number) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15;
  std::array<std::uint64_t, 4> sums = {number + 1, 2, 3, 4};
  for (std::size_t at = 0; at < count; at += sizeof sums) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes + at, sizeof words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      sums[i] = (sums[i] ^ words[i]) * kPrime;
      sums[i] ^= sums[i] >> 32;
    }
  }
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all = (all ^ sum) * kPrime;
  return all;
}

}  // namespace

PagedFile::Page& PagedFile::page(std::uint64_t offset) {
  const std::uint64_t number = offset / kPageSize;
  if (number == last_number_) return *last_;
  auto& slot = pages_[number];
  if (!slot) {
    slot = std::make_unique<Page>();
    if (!read(number, *slot)) {
      pages_.erase(number);
      throw Damage();
    }
  }
  last_number_ = number;
  last_ = slot.get();
  return *last_;
}

off_t PagedFile::place_of(std::uint64_t number) {
  constexpr std::size_t kSum = sizeof Page::checksum;
  return static_cast<off_t>(number == 0 ? 0 : kHeadSize + kSum + (number - 1) * (kPageSize + kSum));
}

// False if the page differs from the written version. A page that was never written is a hole of zeros, with a checksum
// of zero.
bool PagedFile::read(std::uint64_t number, Page& page) const {
  const std::size_t count = bytes_of(number);
  const iovec parts[] = {{page.bytes.data(), count}, {&page.checksum, sizeof page.checksum}};
  ssize_t got = -1;
  do {
    got = ::preadv(fd_.get(), parts, std::size(parts), place_of(number));
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail_errno("cannot read", "a cache");
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (page.checksum == 0) return std::all_of(page.bytes.begin(), page.bytes.end(), is_zero);
  return got == static_cast<ssize_t>(count + sizeof page.checksum) &&
         page.checksum == checksum_of(page.bytes.data(), count, number);
}

bool PagedFile::flush() {
  std::vector<std::uint64_t> dirty;
  for (const auto& [number, page] : pages_) {
    if (page->dirty) dirty.push_back(number);
  }
  std::sort(dirty.begin(), dirty.end());
  return std::all_of(dirty.begin(), dirty.end(), [&](std::uint64_t number) { return write(number, *pages_[number]); });
}

bool PagedFile::flush_first_page() { return write(0, page(0)); }

bool PagedFile::write(std::uint64_t number, Page& page) {
  const std::size_t count = bytes_of(number);
  page.checksum = checksum_of(page.bytes.data(), count, number);
  const iovec parts[] = {{page.bytes.data(), count}, {&page.checksum, sizeof page.checksum}};
  const ssize_t written = ::pwritev(fd_.get(), parts, std::size(parts), place_of(number));
  page.dirty = written != static_cast<ssize_t>(count + sizeof page.checksum);
  if (!page.dirty) size_ = std::max(size(), static_cast<std::uint64_t>(place_of(number) + written));
  return !page.dirty;
}

std::uint64_t PagedFile::size() {
  if (!size_) {
    struct stat status {};
    size_ = ::fstat(fd_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }
  return *size_;
}

bool PagedFile::clear() {
  pages_.clear();
  last_number_ = ~std::uint64_t{0};
  last_ = nullptr;
  size_.reset();
  return ::ftruncate(fd_.get(), 0) == 0;
}

}  // namespace team
