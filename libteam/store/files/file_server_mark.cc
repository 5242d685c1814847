#include "libteam/store/files/file_server_mark.h"

#include <utility>

#include "libteam/store/files/layout.h"
#include "libteam/system/flock.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

class FileServerMark : public ServerMark {
 public:
  FileServerMark(Folder folder, Lock lock) : folder_(std::move(folder)), lock_(std::move(lock)) {
    sweep_temporaries(folder_);
    folder_.remove(layout::kServer);  // of a server that was killed
  }
  ~FileServerMark() override {
    try {
      folder_.remove(layout::kServer);
    } catch (const Error&) {
      // Without the lock the description counts for nothing.
    }
  }

  // It is of no use after a power failure.
  void publish(const std::string& description) const override {
    replace_file(folder_, layout::kServer, description, Durability::process);
  }

 private:
  Folder folder_;
  Lock lock_;
};

}  // namespace

std::unique_ptr<const ServerMark> take_server_mark(const Root& root) {
  Folder folder = root.make_store(layout::kTeams, Durability::process);
  auto lock = Lock::try_acquire(folder, layout::kServerLock);
  if (!lock) fail(Code::conflict, "a server runs already in '{}'; team-serve --url prints its address", root.path());
  return std::make_unique<const FileServerMark>(std::move(folder), std::move(*lock));
}

std::optional<std::string> read_server_mark(const Root& root) {
  constexpr std::size_t kMostBytes = 64 * 1024;
  const auto folder = root.find_store(layout::kTeams);
  if (!folder || look_at_lock(*folder, layout::kServerLock) != Held::yes) return std::nullopt;
  const auto contents = folder->read(layout::kServer, kMostBytes);
  if (!contents) return std::nullopt;
  check_trusted(*contents, folder->path_of(layout::kServer));
  return contents->text;
}

}  // namespace team
