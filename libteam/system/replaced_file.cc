#include "libteam/system/replaced_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "libteam/base/text.h"

namespace team {

namespace fs = std::filesystem;

void sweep_beside(const Folder& folder) {
  const auto is_hex = [](std::string_view text) { return text.find_first_not_of("0123456789abcdef") == text.npos; };
  std::vector<std::string> litter;
  folder.each_name([&](const char* entry) {
    const std::string name = entry;
    const auto parts = split(name, '-');
    const bool ours = is_temporary(name) && parts.size() == 3 && is_hex(parts[1]) && parts[2].size() == 16 &&
                      is_hex(parts[2]) && !folder.has_folder(name);
    if (ours) litter.push_back(name);
  });
  for (const std::string& name : litter) remove_if_abandoned(folder, name);
}

ReplacedFile::ReplacedFile(const std::string& path, Durability durability) : path_(path), durability_(durability) {
  if (path.empty()) fail(Code::usage, "the name of the file is empty");
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status) || path.ends_with('/')) {
    errno = EISDIR;
    fail_errno("cannot write", path);
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fd_ = Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd_) fail_errno("cannot open", path);
    return;
  }
  const fs::path target =
      fs::is_symlink(fs::symlink_status(path, ignored)) ? fs::weakly_canonical(path, ignored) : fs::path(path);
  const std::string parent = target.has_parent_path() ? target.parent_path().string() : ".";
  folder_ = Folder::find(parent);
  if (!folder_) fail(Code::not_found, "no such folder '{}'", parent);
  name_ = target.filename().string();
  sweep_beside(*folder_);
  temporary_.emplace(Temporary::file(*folder_));
  fd_ = folder_->open(temporary_->name(), O_WRONLY);
}

void ReplacedFile::write(std::string_view piece) {
  if (!write_all(fd_.get(), piece)) fail_errno("cannot write", path_);
}

void ReplacedFile::commit() {
  if (!temporary_) return;
  if (durability_ == Durability::power && ::fsync(fd_.get()) != 0) fail_errno("cannot write", path_);
  folder_->rename_into(temporary_->name(), *folder_, name_);
  temporary_->keep();
  if (durability_ == Durability::power) folder_->sync();
}

}  // namespace team
