#include "libteam/store/files/file_team.h"

#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/record/settings.h"
#include "libteam/store/files/bodies.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"
#include "libteam/system/watch.h"

namespace team {

// Under the lock of the team.
class FileTeam::Transaction : public TeamTransaction {
 public:
  explicit Transaction(const FileTeam& team) : team_(team) {}

  std::optional<Request> find(const std::string& id) override { return team_.requests_.find(id); }
  bool insert(const Request& request) override { return team_.requests_.insert(request); }
  void put(const Request& request) override {
    team_.requests_.put(request);
    has_answered_ = has_answered_ || request.status != RequestStatus::pending;
  }
  Exchanges exchanges() override { return team_.exchanges(); }
  void put(const Exchanges& exchanges) override {
    replace_file(*team_.folder_, layout::kExchanges, to_file(exchanges), team_.durability_);
  }
  Quotas quotas() override { return team_.quotas(); }
  void put(const Quotas& quotas) override {
    replace_file(*team_.folder_, layout::kQuotas, to_file(quotas), team_.durability_);
  }

  bool has_answered() const { return has_answered_; }

 private:
  const FileTeam& team_;
  bool has_answered_ = false;
};

FileTeam::FileTeam(const Root& root, const Team& team, double lock_timeout, std::shared_ptr<const Folder> folder)
    : roster_(root, lock_timeout),
      name_(team.name),
      lock_timeout_(lock_timeout),
      durability_(durability_of(&team)),
      folder_(std::move(folder)),
      lives_(folder_),
      events_(*folder_, lock_timeout),
      hooks_(*folder_, root, team.name, hook_seconds(team)),
      requests_(*folder_, durability_) {}

// The caller decides by the lives of this folder, so it must not change another team of the same name.
Team FileTeam::change(const std::function<void(Team&)>& edit) const {
  return roster_.change(name_, [&](Team& team) {
    if (!folder_->is_in_place()) fail(Code::not_found, "team {} was removed and made again", name_);
    edit(team);
  });
}

const Mailbox& FileTeam::mailbox(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  return mailboxes_.try_emplace(owner, folder_, owner, durability_, lock_timeout_).first->second;
}

std::unique_ptr<BodyWriter> FileTeam::write_body() const {
  sweep_bodies(*folder_);
  return std::make_unique<FileBodyWriter>(folder_->make_beneath(layout::kBodies, durability_), durability_);
}

void FileTeam::transact(const Step& step) const {
  const Lock lock = Lock::acquire(*folder_, layout::kLock, lock_timeout_);
  Transaction transaction(*this);
  step(transaction);
  if (transaction.has_answered()) requests_.archive_answered();
}

Exchanges FileTeam::exchanges() const {
  const auto contents = folder_->read(layout::kExchanges, JsonLimits{}.bytes);
  return contents ? parse_exchanges(contents->text, folder_->path_of(layout::kExchanges)) : Exchanges{};
}

bool FileTeam::has_exchanges() const { return folder_->has(layout::kExchanges); }

Quotas FileTeam::quotas() const {
  const auto contents = folder_->read(layout::kQuotas, JsonLimits{}.bytes);
  return contents ? parse_quotas(contents->text, folder_->path_of(layout::kQuotas)) : Quotas{};
}

bool FileTeam::has_quotas() const { return folder_->has(layout::kQuotas); }

Mailbox::Waited FileTeam::wait(const Deadline& deadline, const std::function<bool()>& done) const {
  Watch watch(*folder_);
  while (!done()) {
    const Changes changes = watch.wait(deadline);
    if (changes.all && !folder_->is_in_place()) return Mailbox::Waited::moved;
    if (!changes.any) return Mailbox::Waited::too_late;
  }
  return Mailbox::Waited::arrived;
}

std::optional<std::string> FileTeam::shortage() const {
  constexpr std::uint64_t kLittle = std::uint64_t{200} << 20;
  const Folder::Space space = folder_->space();
  if (space.total == 0 || space.free > kLittle || space.free > space.total / 10) return std::nullopt;
  return fmt::format("the disk is nearly full: {} MiB are left", space.free >> 20);
}

std::shared_ptr<const TeamEngine> open_team(const Root& root, const Team& team, double lock_timeout,
                                            std::shared_ptr<const Folder> folder) {
  if (!folder) folder = Roster(root, lock_timeout).shared_folder_of(team.name);
  return std::make_shared<const FileTeam>(root, team, lock_timeout, std::move(folder));
}

}  // namespace team
