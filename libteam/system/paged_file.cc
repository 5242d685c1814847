#include "libteam/system/paged_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "libteam/base/error.h"

namespace team {

PagedFile::Page& PagedFile::page(std::uint64_t offset) {
  const std::uint64_t number = offset / kPageSize;
  if (number == last_number_) return *last_;
  auto& slot = pages_[number];
  if (!slot) {
    slot = std::make_unique<Page>();
    ssize_t got = -1;
    do {
      got = ::pread(fd_.get(), slot->bytes.data(), kPageSize, static_cast<off_t>(number * kPageSize));
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      pages_.erase(number);
      fail_errno("cannot read", "a cache");
    }
  }
  last_number_ = number;
  last_ = slot.get();
  return *last_;
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
  const ssize_t written = ::pwrite(fd_.get(), page.bytes.data(), kPageSize, static_cast<off_t>(number * kPageSize));
  page.dirty = written != static_cast<ssize_t>(kPageSize);
  return !page.dirty;
}

std::uint64_t PagedFile::size() const {
  struct stat status {};
  return ::fstat(fd_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool PagedFile::clear() {
  pages_.clear();
  last_number_ = ~std::uint64_t{0};
  last_ = nullptr;
  return ::ftruncate(fd_.get(), 0) == 0;
}

}  // namespace team
