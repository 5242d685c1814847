#include "libteam/agent/life/permission_desk.h"

#include <memory>
#include <set>
#include <string>

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/store/mailbox.h"
#include "libteam/system/id.h"

namespace team {

namespace {

class Desk {
 public:
  Desk(MemberLife& life, std::optional<TaskId> task) : life_(life), task_(task) {}

  std::string ask(const std::string& content) {
    const std::string id = new_id();  // chosen here: it is known even if sending fails with `unknown`
    OutgoingMessage outgoing;
    outgoing.to = life_.team().lead;
    outgoing.content = content;
    outgoing.task = task_;
    outgoing.request_id = id;
    life_.persist([&] { life_.session().messages().ask_for_permission(outgoing); });
    if (open_.empty()) before_ = {life_.state(), life_.presence().now().reason};
    open_.insert(id);
    life_.become(State::plan_pending,
                 fmt::format("permission {} waits for {}: {}", id, outgoing.to, one_line(first_line(content))), task_);
    return id;
  }

  void collect() {
    constexpr std::size_t kMost = 50;
    MessageFilter filter;
    filter.type = "permission_response";
    while (const auto batch = life_.session().mailbox().take(filter, kMost, life_.self().run)) {
      std::vector<Event> events;
      for (const char* type : {"MESSAGE_DELIVERED", "MESSAGE_PROCESSED"}) {
        for (const Message& message : batch->messages()) events.push_back(message_event(type, message));
      }
      batch->acknowledge();
      life_.record(events);
    }
  }

  std::optional<PermissionDesk::Answer> answer(const std::string& id) {
    std::optional<PermissionDesk::Answer> answer;
    try {
      const Request request = life_.session().mail().requests().get(id);
      if (request.status == RequestStatus::pending) return std::nullopt;
      answer = {request.status == RequestStatus::approved, request.feedback.value_or("")};
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
      answer = {false, "the request was removed"};
    }
    close(id);
    return answer;
  }

  void withdraw(const std::string& id) {
    if (!open_.contains(id)) return;
    life_.persist([&] { life_.session().mail().requests().withdraw(id); });
    close(id);
  }

 private:
  void close(const std::string& id) {
    if (open_.erase(id) > 0 && open_.empty()) life_.become(before_.first, before_.second, task_);
  }

  MemberLife& life_;
  std::optional<TaskId> task_;
  std::set<std::string> open_;
  std::pair<State, std::string> before_ = {State::active, ""};
};

}  // namespace

PermissionDesk make_permission_desk(MemberLife& life, std::optional<TaskId> task) {
  const auto desk = std::make_shared<Desk>(life, task);
  return {[desk](const std::string& content) { return desk->ask(content); }, [desk] { desk->collect(); },
          [desk](const std::string& id) { return desk->answer(id); },
          [desk](const std::string& id) { desk->withdraw(id); }};
}

}  // namespace team
