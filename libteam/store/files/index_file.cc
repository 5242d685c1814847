#include "libteam/store/files/index_file.h"

#include <fcntl.h>

#include <cstring>

#include "libteam/base/clock.h"
#include "libteam/store/files/layout.h"

namespace team {

using index_layout::WriteState;

IndexFile::IndexFile(const Folder& folder)
    : folder_(folder), file_(folder.open(layout::kIndex, O_RDWR | O_CREAT)), boot_(boot_id()) {
  boot_.resize(sizeof Header::boot);
}

bool IndexFile::is_void() {
  const Header& now = header();
  return now.magic != index_layout::kMagic || std::memcmp(now.boot.data(), boot_.data(), now.boot.size()) != 0 ||
         now.folder_inode != folder_.inode() || now.state == WriteState::saving || file_.size() != now.size;
}

void IndexFile::reset() {
  file_.clear();
  Header& fresh = edit_header();
  fresh.magic = index_layout::kMagic;
  std::memcpy(fresh.boot.data(), boot_.data(), fresh.boot.size());
  fresh.folder_inode = folder_.inode();
}

void IndexFile::begin() {
  edit_header().state = WriteState::changing;
  file_.flush_first_page();
}

void IndexFile::save() {
  edit_header().state = WriteState::saving;
  if (!file_.flush_first_page() || !file_.flush()) return;
  edit_header().size = file_.size();
  edit_header().state = has_leftover_ ? WriteState::changing : WriteState::clean;
  file_.flush_first_page();
}

}  // namespace team
