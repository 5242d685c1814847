#include "libteam/system/mapped_file.h"

#include <boost/interprocess/mapped_region.hpp>

#include "libteam/system/lines.h"

namespace team {

namespace {

namespace interprocess = boost::interprocess;

// Gives mapped_region a descriptor that is open already: a path could lead to another file.
struct Mappable {
  int fd;
  interprocess::mapping_handle_t get_mapping_handle() const {
    return interprocess::ipcdetail::mapping_handle_from_file_handle(fd);
  }
};

}  // namespace

struct MappedFile::Region {
  interprocess::mapped_region mapped;
};

MappedFile::MappedFile(const Fd& fd) {
  if (size_of(fd) == 0) return;
  try {
    region_ = std::make_unique<Region>(interprocess::mapped_region(Mappable{fd.get()}, interprocess::read_only));
  } catch (const interprocess::interprocess_exception& error) {
    fail(Code::io, "cannot map a file: {}", error.what());
  }
}

MappedFile::~MappedFile() = default;

std::string_view MappedFile::text() const {
  if (!region_) return {};
  return {static_cast<const char*>(region_->mapped.get_address()), region_->mapped.get_size()};
}

}  // namespace team
