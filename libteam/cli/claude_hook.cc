#include "libteam/cli/claude_hook.h"

#include <algorithm>
#include <fstream>

#include "libteam/base/environment_variable.h"
#include "libteam/base/json_text.h"
#include "libteam/base/markup.h"
#include "libteam/base/name.h"
#include "libteam/cli/shown_messages.h"
#include "libteam/record/actor.h"
#include "libteam/record/json_fields.h"
#include "libteam/system/hook_client.h"

namespace team {

namespace {

constexpr const char* kUsualName = "claude";

// One event in the name of the member.
class ClaudeHook {
 public:
  ClaudeHook(Context& context, const HookCall& call, const std::string& session_id, const Team& team)
      : context_(context),
        engine_(context.engine()),
        client_(call.client > 0 ? call.client : find_hook_client()),
        run_(fmt::format("{}-{}", session_id, client_)),
        session_(engine_, std::make_shared<const FoundTeam>(engine_.find_team(team.name)),
                 make_actor(name_of(context), run_, &team), Missing::refuse),
        shown_(engine_.place(), team.name, session_.self().name) {}

  void start() {
    acknowledge();
    context_.changes();
    if (!is_member()) {
      session_.membership().join(session_.self().name, std::nullopt);
      context_.made();
    }
    session_.refresh();
    write_environment();
    Output& out = context_.out();
    out.line(
        fmt::format("You are {} in team {}. Your shell has its commands: task-list, task-claim, task-complete, "
                    "team-send, team-status.",
                    session_.self().name, session_.team().name));
    for (const std::string& line : brief(session_.status([](TaskId, const Error&) {}))) out.line(line);
  }

  // Waits for a message. Alone: another doorbell of the member rings already.
  HookEnd ring() {
    acknowledge();
    if (!is_member() || !shown_.try_own()) return HookEnd::done;
    if (client_ > 0) end_with(client_);
    while (true) {
      session_.mail().wait(Deadline::never(), [&] { return has_message(); });
      if (!session_.is_current()) session_.refresh();  // throws if the team was removed
      if (show([](const std::string& text) { return write_all(2, text); })) return HookEnd::wake;
    }
  }

  void deliver_in_turn() {
    acknowledge();
    if (!is_member()) return;
    show([&](const std::string& text) {
      JsonText output;
      output.add("hookEventName", "PostToolUse");
      output.add("additionalContext", text);
      JsonText json;
      json.add_json("hookSpecificOutput", output.take());
      context_.out().line(json.take());
      return context_.out().deliver();
    });
  }

  void digest() {
    acknowledge();
    for (const std::string& line : session_.digest()) context_.out().line(escape_line(line));
  }

  // The check of the team, as for one of its own tasks.
  HookEnd check(Fields& input) {
    acknowledge();
    const auto objection =
        session_.mail().objection("task-completed", session_.self(),
                                  make_event("TASK_COMPLETED", {{"task_id", input.text("task_id").value_or("")},
                                                                {"subject", input.text("task_subject").value_or("")}}));
    if (!objection) return HookEnd::done;
    write_all(2, *objection + "\n");
    return HookEnd::wake;
  }

  // A member with messages stays, so that they wait for its next session.
  void leave(const std::string& reason) {
    acknowledge();
    if (reason == "clear" || reason == "resume" || !is_member()) return;
    const TaskFilter mine{.statuses = {Status::in_progress}, .owner = session_.self().name};
    bool works = false;
    session_.view().each(
        mine, BoardView::Detail::open_blockers, [&](const SeenTask&) { works = true; }, [](TaskId, const Error&) {});
    if (!works && !has_message()) session_.membership().leave({session_.self().name});
  }

  // What the last hook showed has arrived: the client goes on.
  void acknowledge() {
    for (const std::string& id : shown_.take(run_)) {
      try {
        session_.messages().acknowledge({id});
        context_.made();
      } catch (const Error& error) {
        if (error.code() != Code::not_found) throw;
      }
    }
  }

 private:
  static std::string name_of(const Context& context) {
    const bool is_named = context.choices().actor || context.choices().environment_member;
    return is_named ? context.actor_name() : kUsualName;
  }

  bool is_member() const {
    const std::string& name = session_.self().name;
    return name == session_.team().lead || session_.team().find(name) != nullptr;
  }

  // The shell of the session then acts as the member.
  void write_environment() const {
    const auto file = environment_variable("CLAUDE_ENV_FILE");
    if (!file) return;
    std::ofstream out(*file, std::ios::app);
    out << "export TEAM_MEMBER=" << session_.self().name << "\nexport TEAM_NAME=" << session_.team().name << "\n";
  }

  // Also one that an earlier run of the member holds, which was killed.
  bool has_message() const {
    bool any = false;
    session_.mailbox().peek({}, 1, run_, [&](const Message&) { any = true; });
    return any;
  }

  // Shows the waiting messages and holds them. False if there is none.
  bool show(const std::function<bool(const std::string& text)>& write) {
    constexpr std::size_t kMost = 20;
    std::vector<std::string> ids;
    session_.messages().receive({}, kMost, Taking::hold, [&](const std::vector<Message>& messages) {
      std::string text;
      for (const Message& message : messages) {
        ids.push_back(message.id);
        text +=
            enclose("teammate-message",
                    attribute("from", message.sender) + attribute("type", message.type) + attribute("id", message.id),
                    message.content);
      }
      return write(text);
    });
    if (!ids.empty()) context_.made();
    shown_.add(run_, ids);
    return !ids.empty();
  }

  Context& context_;
  const Engine& engine_;
  pid_t client_;
  std::string run_;
  TeamSession session_;
  ShownMessages shown_;
};

}  // namespace

HookEnd run_claude_hook(Context& context, const HookCall& call) {
  constexpr const char* kEvents[] = {"SessionStart",     "Doorbell",      "Stop",      "PostToolUse",
                                     "UserPromptSubmit", "TaskCompleted", "SessionEnd"};
  if (std::ranges::find(kEvents, call.event) == std::end(kEvents)) {
    fail(Code::usage, "'{}' is no event of Claude Code that is used here", call.event);
  }
  const Team* team = nullptr;
  try {
    team = context.team_or_none();
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
  }
  if (team == nullptr) return HookEnd::done;
  const std::string text = call.input.empty() ? "{}" : call.input;
  Fields input(text, "stdin");
  std::string session_id = input.text("session_id").value_or("");
  std::erase_if(session_id, [](char c) { return c == ' ' || c == '\n'; });
  ClaudeHook hook(context, call, session_id, *team);
  if (call.event == "SessionStart") hook.start();
  if (call.event == "Doorbell") return hook.ring();
  if (call.event == "Stop") hook.acknowledge();
  if (call.event == "PostToolUse") hook.deliver_in_turn();
  if (call.event == "UserPromptSubmit") hook.digest();
  if (call.event == "TaskCompleted") return hook.check(input);
  if (call.event == "SessionEnd") hook.leave(input.text("reason").value_or(""));
  return HookEnd::done;
}

// The doorbell rings in the background after the start and after each turn; it may wait for a day.
std::string claude_hook_settings() {
  const auto group = [](const std::vector<std::string>& hooks) {
    JsonText json;
    json.add_json("hooks", json_array(hooks));
    return json_array({json.take()});
  };
  const auto hook = [](const std::string& event) {
    JsonText json;
    json.add("type", "command");
    json.add("command", "team-hook claude " + event);
    return json.take();
  };
  JsonText bell;
  bell.add("type", "command");
  bell.add("command", "team-hook claude Doorbell");
  bell.add("asyncRewake", true);
  bell.add("timeout", 86400);
  const std::string doorbell = bell.take();
  JsonText hooks;
  hooks.add_json("SessionStart", group({hook("SessionStart"), doorbell}));
  hooks.add_json("UserPromptSubmit", group({hook("UserPromptSubmit")}));
  hooks.add_json("PostToolUse", group({hook("PostToolUse")}));
  hooks.add_json("TaskCompleted", group({hook("TaskCompleted")}));
  hooks.add_json("Stop", group({hook("Stop"), doorbell}));
  hooks.add_json("SessionEnd", group({hook("SessionEnd")}));
  JsonText settings(JsonText::Layout::indented);
  settings.add_json("hooks", hooks.take());
  return settings.take();
}

}  // namespace team
