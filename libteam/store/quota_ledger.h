// The operations on the ledger of quotas: enter a limit, begin or end a pause, with the message to the user and the
// event.
//
// An entry and its end are each one transaction of the team. The user is told before the entry is stored: after a crash
// in between the user is told once more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/quota.h"
#include "libteam/store/mail.h"

namespace team {

class QuotaLedger {
 public:
  // Both outlive this.
  QuotaLedger(const Mail& mail, const Actor& actor) : mail_(mail), actor_(actor) {}

  // A member reached the usage limit of its quota. Tells the user, unless the quota is in the ledger already.
  void enter(const std::string& quota, const UsageLimit& limit) const;
  // A budget is used up. The same.
  void enter_budget(const std::string& budget, const std::string& reason) const;
  // Removes the entry of a quota, in force or not. Returns false if the quota is not in the ledger.
  bool remove(const std::string& quota) const;

  // For the lead. Ends a pause early. Throws not_found with similar names, and invalid_state for a budget: a pause of a
  // budget ends when somebody raises it.
  void end(const std::string& quota) const;
  // For the lead. Pauses all members with this quota. Throws usage for a name that no quota has.
  void begin(const std::string& quota, double seconds, const std::optional<std::string>& reason) const;

  // The pause of a quota; none if it is not paused now. Takes no lock.
  std::optional<QuotaPause> pause_of(const std::string& quota) const;
  // True if the ledger has an entry of this quota, in force or not.
  bool has(const std::string& quota) const;

 private:
  void put(const QuotaPause& pause, const std::function<bool(Quotas&)>& edit) const;

  const Mail& mail_;
  const Actor& actor_;
};

// The pauses that are in force now.
std::vector<QuotaPause> pauses_in_force(const TeamEngine& engine);

// "until 15:00:00", or "until somebody raises it".
std::string describe_end(const QuotaPause& pause);

}  // namespace team
