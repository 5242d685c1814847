// One team in files: the folder `.teams/<team>/`.
//
// Its configuration, requests and counters are replaced whole under `.lock` of the folder. An engine is of one folder:
// if the folder is removed and made again, another engine must be opened. Only configuration() and version() look up
// the folder by its name each time.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "libteam/store/files/event_log.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/hooks.h"
#include "libteam/store/files/mailbox.h"
#include "libteam/store/files/request_files.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/team_engine.h"

namespace team {

class FileTeam : public TeamEngine {
 public:
  // `root` outlives this. `team` is the configuration that is known: it gives the name, the durability and the time
  // limit of hooks.
  FileTeam(const Root& root, const Team& team, double lock_timeout, std::shared_ptr<const Folder> folder);

  Team configuration() const override { return roster_.get(name_); }
  Team change(const std::function<void(Team&)>& edit) const override;
  std::string version() const override { return roster_.version_of(name_); }

  const LifeEngine& lives() const override { return lives_; }
  const Mailbox& mailbox(const std::string& owner) const override;
  std::unique_ptr<BodyWriter> write_body() const override;
  const EventLog& events() const override { return events_; }
  const Hooks& hooks() const override { return hooks_; }

  void transact(const Step& step) const override;
  std::optional<Request> find_request(const std::string& id) const override { return requests_.find(id); }
  std::vector<Request> pending_requests(const Report& broken) const override { return requests_.pending(broken); }
  std::vector<Request> all_requests(const Report& broken) const override { return requests_.all(broken); }
  void remove_request(const std::string& id) const override { requests_.remove(id); }
  Exchanges exchanges() const override;
  bool has_exchanges() const override;
  Quotas quotas() const override;
  bool has_quotas() const override;

  Mailbox::Waited wait(const Deadline& deadline, const std::function<bool()>& done) const override;
  std::optional<std::string> shortage() const override;

 private:
  class Transaction;

  Roster roster_;
  std::string name_;
  double lock_timeout_;
  Durability durability_;
  std::shared_ptr<const Folder> folder_;
  FileLives lives_;
  FileEventLog events_;
  FileHooks hooks_;
  RequestFiles requests_;
  mutable std::mutex mutex_;  // of `mailboxes_`
  mutable std::map<std::string, FileMailbox> mailboxes_;
};

// Opens a team. A caller that has just opened its folder gives it along. Throws not_found.
std::shared_ptr<const TeamEngine> open_team(const Root& root, const Team& team, double lock_timeout,
                                            std::shared_ptr<const Folder> folder = nullptr);

}  // namespace team
