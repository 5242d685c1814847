#include <functional>
#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/mcp/team_features.h"
#include "libteam/store/board_summary.h"

namespace team {

namespace {

constexpr std::string_view kScheme = "teamkit://";
constexpr std::size_t kMostListed = 1000;
constexpr double kPause = 0.2;  // seconds between two looks at what a client subscribed to

struct Text {
  const char* type = "text/plain";
  std::string text;
};

Text read_task(const TeamSession& session, TaskId id) {
  const Task task = session.view().get(id);
  return {"application/json", to_line(task, session.view().standing_of(task))};
}

Text read_inbox(const TeamSession& session, const std::string& name) {
  if (name != session.self().name) session.require_lead("read the inbox of another member");
  std::vector<std::string> messages;
  const auto visit = [&](const Message& message) { messages.push_back(to_line(message)); };
  session.mail().mailbox(name).peek({}, kMostListed, std::nullopt, visit);
  return {"application/json", json_array(messages)};
}

// None if there is no such resource.
std::optional<Text> read(const TeamSession& session, std::string_view path) {
  if (path == "board") return Text{"text/plain", summarize_board(session.view(), kMostListed)};
  if (path == "status") return Text{"text/plain", join(brief(session.status([](TaskId, const Error&) {})), "\n")};
  if (path == "digest") return Text{"text/plain", join(session.digest(), "\n")};
  const std::size_t slash = path.find('/');
  const std::string_view kind = path.substr(0, slash);
  const std::string_view rest = slash == path.npos ? "" : path.substr(slash + 1);
  if (kind == "inbox" && !rest.empty()) return read_inbox(session, std::string(rest));
  const auto id = kind == "task" ? parse_integer(rest) : std::nullopt;
  return id ? std::optional(read_task(session, *id)) : std::nullopt;
}

std::string describe(const char* key, const std::string& uri, const char* name, const char* description,
                     const char* type) {
  JsonText json;
  json.add(key, uri);
  json.add("name", name);
  json.add("description", description);
  json.add("mimeType", type);
  return json.take();
}

// Compares contents, so that only real changes are told, whatever woke it.
class ResourceWatch : public McpWork {
 public:
  ResourceWatch(TeamFeatures& features, std::shared_ptr<const McpInterests> interests)
      : features_(features), interests_(std::move(interests)) {}

  std::optional<McpOutcome> step(const McpNotifier& notifier) override {
    const auto uris = interests_->get().uris;
    const bool has_new = std::any_of(uris.begin(), uris.end(), [&](const auto& uri) { return !seen_.contains(uri); });
    if (!has_new && !pause_.passed()) {
      is_due_ = true;
      return std::nullopt;
    }
    is_due_ = false;
    pause_ = Deadline::in(kPause);
    std::erase_if(seen_, [&](const auto& one) { return !uris.contains(one.first); });
    for (const std::string& uri : uris) {
      const std::size_t now = fingerprint(uri);
      const auto [before, is_first] = seen_.emplace(uri, now);
      if (is_first || before->second == now) continue;
      before->second = now;
      JsonText params;
      params.add("uri", uri);
      notifier.notify("notifications/resources/updated", params.take());
    }
    return std::nullopt;
  }

  Deadline due() const override { return is_due_ ? pause_ : Deadline::never(); }

 private:
  std::size_t fingerprint(const std::string& uri) {
    try {
      const auto contents = features_.read_resource(uri);
      return contents ? std::hash<std::string>()(join(*contents, "\n")) : 0;
    } catch (const std::exception&) {
      return 1;  // it cannot be read now
    }
  }

  TeamFeatures& features_;
  std::shared_ptr<const McpInterests> interests_;
  std::map<std::string, std::size_t> seen_;
  Deadline pause_ = Deadline::in(0);
  bool is_due_ = false;  // something woke it during the pause
};

}  // namespace

std::vector<std::string> TeamFeatures::resources() {
  return {describe("uri", "teamkit://board", "board", "The tasks, a line each.", "text/plain"),
          describe("uri", "teamkit://status", "status", "Members, board and pending plans.", "text/plain"),
          describe("uri", "teamkit://digest", "digest", "What members said lately.", "text/plain"),
          describe("uri", "teamkit://inbox/" + self_, "inbox", "Your unread messages. Reading takes none.",
                   "application/json")};
}

std::vector<std::string> TeamFeatures::resource_templates() {
  return {describe("uriTemplate", "teamkit://task/{id}", "task", "Everything about a task.", "application/json"),
          describe("uriTemplate", "teamkit://inbox/{name}", "inbox", "The unread messages of a member, for the lead.",
                   "application/json")};
}

std::optional<std::vector<std::string>> TeamFeatures::read_resource(const std::string& uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  std::optional<Text> found;
  try {
    found = read(session(), std::string_view(uri).substr(kScheme.size()));
  } catch (const Error& error) {
    if (error.code() == Code::not_found) return std::nullopt;
    throw RpcError(RpcCode::internal_error, fmt::format("{}: {}", name_of(error.code()), error.what()), "");
  }
  if (!found) return std::nullopt;
  JsonText contents;
  contents.add("uri", uri);
  contents.add("mimeType", found->type);
  contents.add("text", found->text);
  return std::vector{contents.take()};
}

std::unique_ptr<McpWork> TeamFeatures::subscribe(std::shared_ptr<const McpInterests> interests) {
  return std::make_unique<ResourceWatch>(*this, std::move(interests));
}

}  // namespace team
