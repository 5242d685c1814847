#include "libteam/agent/tools/team_tools.h"

#include "libteam/base/markup.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/store/board_summary.h"

namespace team {

namespace {

constexpr std::size_t kMostListed = 200;

// Describes a failure after the change was made. The change stands, so this is not an error: a model would repeat the
// call.
std::string note_of(const std::string& trouble) {
  return trouble.empty() ? "" : fmt::format("\nNote: {}. Do not repeat it.", one_line(trouble));
}

void add_task_create(Toolbox& tools, TeamSession& session) {
  const ToolSpec spec{
      "TaskCreate",
      "Put a task on the board. Whoever is free and may do it takes it by itself; with an owner only that "
      "member does. Gives the id.",
      R"({"type":"object","properties":{
    "subject":{"type":"string","description":"what is to be done, in a few words, as an order"},
    "description":{"type":"string","description":"all that one needs to know to do it"},
    "activeForm":{"type":"string","description":"what to say while it is worked on: Designing the schema"},
    "blockedBy":{"type":"array","items":{"type":"integer"},"description":"ids of the tasks that must be completed before"},
    "owner":{"type":"string","description":"the member who is to do it"},
    "role":{"type":"string","description":"only members of this role take it by themselves"},
    "priority":{"type":"integer","minimum":0,"description":"0 normal, 1 high, 2 critical"},
    "deliverable":{"type":"string","description":"a file that must exist when it is completed"},
    "metadata":{"type":"object","description":"keys and values of your own"}},
    "required":["subject"]})"};
  tools.add(spec, [&session](const Arguments& arguments, int) -> ToolResult {
    Draft draft;
    draft.task.subject = arguments.text("subject");
    draft.task.description = arguments.text("description");
    draft.task.active_form = arguments.text("activeForm");
    draft.task.owner = arguments.find_text("owner");
    draft.task.role = arguments.find_text("role");
    draft.task.deliverable = arguments.find_text("deliverable");
    draft.task.priority = static_cast<int>(arguments.find_integer("priority").value_or(0));
    draft.task.blocked_by = arguments.integers("blockedBy");
    for (const auto& [key, value] : arguments.entries("metadata")) set_metadata(draft.task, key, value);
    check_task(draft.task);
    session.refresh();
    const TaskCreation creation = session.tasks().create({draft});
    std::string text =
        fmt::format("Task #{} is on the board: {}", creation.ids.front(), escape_line(draft.task.subject));
    if (draft.task.owner && session.team().find(*draft.task.owner) == nullptr) {
      text += fmt::format("\nNote: there is no member {} yet.", *draft.task.owner);
    }
    return {text + note_of(creation.trouble)};
  });
}

// A gated member cannot bypass the gate with the board tools. It gets its tasks one by one, and may complete only the
// task whose plan is approved.
void check_gate(const TurnState& turn, TaskId task, std::optional<Status> status) {
  if (!turn.is_gated || (status != Status::in_progress && status != Status::completed)) return;
  if (status == Status::in_progress) {
    fail(
        Code::permission_denied,
        "your tasks need approved plans, so you cannot take one yourself: end this piece of work, and the next task is "
        "given to you");
  }
  if (turn.phase == Phase::plan) {
    fail(Code::permission_denied,
         "your plan is not approved yet, so you cannot complete a task; submit it with SubmitPlan");
  }
  if (turn.task != task) {
    fail(Code::permission_denied, "you can complete only the task at hand{}",
         turn.task ? fmt::format(", {}", *turn.task) : "");
  }
}

void add_task_update(Toolbox& tools, TeamSession& session, const TurnState& turn) {
  const ToolSpec spec{
      "TaskUpdate",
      "Change a task. Status in_progress takes it, completed ends it with a result, failed gives it up, "
      "pending gives it back.",
      R"({"type":"object","properties":{
    "taskId":{"type":"integer"},
    "status":{"type":"string","enum":["pending","in_progress","completed","failed"]},
    "owner":{"type":"string","description":"assign a pending task to this member; empty: to nobody"},
    "addBlockedBy":{"type":"array","items":{"type":"integer"},"description":"ids of tasks that it is to wait for, too"},
    "removeBlockedBy":{"type":"array","items":{"type":"integer"},"description":"ids of tasks that it is not to wait for any more"},
    "addBlocks":{"type":"array","items":{"type":"integer"},"description":"ids of tasks that are to wait for this one"},
    "metadata":{"type":"object","description":"keys to set; null removes a key"},
    "result":{"type":"string","description":"with completed: what was done; with failed or pending: why"},
    "subject":{"type":"string"},"description":{"type":"string"},"activeForm":{"type":"string"},
    "priority":{"type":"integer","minimum":0}},
    "required":["taskId"]})"};
  tools.add(spec, [&session, &turn](const Arguments& arguments, int) -> ToolResult {
    TaskChange change;
    change.subject = arguments.find_text("subject");
    change.description = arguments.find_text("description");
    change.active_form = arguments.find_text("activeForm");
    change.owner = arguments.find_text("owner");
    change.add_blocked_by = arguments.integers("addBlockedBy");
    change.remove_blocked_by = arguments.integers("removeBlockedBy");
    change.add_blocks = arguments.integers("addBlocks");
    change.metadata = arguments.entries("metadata");
    if (const auto priority = arguments.find_integer("priority")) change.priority = static_cast<int>(*priority);
    if (const auto status = arguments.find_text("status")) change.status = parse_status(*status);
    (change.status == Status::completed ? change.result : change.reason) = arguments.find_text("result");
    if (change.reason && !change.status) fail(Code::usage, "a result goes with the status that it is about");
    check_gate(turn, *arguments.find_integer("taskId"), change.status);
    session.refresh();
    const TaskUpdate update = session.tasks().update(*arguments.find_integer("taskId"), change);
    const Task& task = update.changed.task;
    std::string text = fmt::format("Task #{} is {}.", task.id, name_of(task.status));
    if (change.status == Status::in_progress) text += describe_claimed(session.board().view(), task);
    for (const Task& freed : update.changed.freed) {
      text += fmt::format("\nTask #{} can start now: {}", freed.id, escape_line(freed.subject));
    }
    return {text + note_of(update.trouble)};
  });
}

void add_task_list(Toolbox& tools, TeamSession& session) {
  const ToolSpec spec{
      "TaskList",
      "The board, or its tasks of one status: for each task a line, and the beginning of its description and result.",
      R"({"type":"object","properties":{
    "status":{"type":"string","enum":["pending","in_progress","completed","failed"]}}})"};
  tools.add(spec, [&session](const Arguments& arguments, int) -> ToolResult {
    const auto status = arguments.find_text("status");
    if (!status) return {summarize_board(session.board().view(), kMostListed, SummaryDetail::texts)};
    TaskFilter filter;
    filter.statuses = {*parse_status(*status)};
    std::vector<std::string> lines;
    std::size_t count = 0;
    const auto visit = [&](const SeenTask& seen) {
      if (++count <= kMostListed) lines.push_back(summary_of(seen, SummaryDetail::texts));
    };
    session.board().view().each(filter, BoardView::Detail::open_blockers, visit, [](TaskId, const Error&) {});
    if (lines.empty()) return {fmt::format("No task is {}.", *status)};
    if (count > kMostListed) lines.push_back(fmt::format("and {} more", count - kMostListed));
    return {join(lines, "\n")};
  });
}

void add_task_get(Toolbox& tools, TeamSession& session) {
  const ToolSpec spec{"TaskGet", "All there is to know about a task, as JSON.",
                      R"({"type":"object","properties":{"taskId":{"type":"integer"}},"required":["taskId"]})"};
  tools.add(spec, [&session](const Arguments& arguments, int) -> ToolResult {
    const Task task = session.board().view().get(*arguments.find_integer("taskId"));
    return {to_line(task, session.board().view().standing_of(task))};
  });
}

void add_send_message(Toolbox& tools, TeamSession& session, TurnState& turn) {
  const ToolSpec spec{
      "SendMessage",
      "Tell a teammate, the lead or the user something. It is read before the recipient's next step; an "
      "answer comes as a message.",
      R"({"type":"object","properties":{
    "recipient":{"type":"string","description":"a member, or user; not with type broadcast"},
    "content":{"type":"string"},
    "type":{"type":"string","enum":["message","broadcast","shutdown_request","shutdown_response","plan_approval_request","plan_approval_response"],"description":"message if nothing is said"},
    "summary":{"type":"string","description":"one line"},
    "request_id":{"type":"string","description":"of the request that this answers"},
    "approve":{"type":"boolean"},
    "feedback":{"type":"string"}}})"};
  tools.add(spec, [&session, &turn](const Arguments& arguments, int) -> ToolResult {
    OutgoingMessage outgoing;
    outgoing.type = arguments.find_text("type").value_or("message");
    outgoing.to = arguments.text("recipient");
    outgoing.content = arguments.text("content");
    outgoing.summary = arguments.find_text("summary");
    outgoing.request_id = arguments.find_text("request_id");
    outgoing.feedback = arguments.find_text("feedback");
    outgoing.approve = arguments.find_flag("approve");
    if (outgoing.type != "broadcast" && outgoing.to.empty())
      fail(Code::usage, "'recipient' is missing: who is to get it?");
    if (outgoing.type == "broadcast") outgoing.to.clear();
    session.refresh();
    SentMessages sent;
    try {
      sent = session.messages().send(outgoing);
    } catch (const Error& error) {
      if (error.code() == Code::paused) turn.paused = error.what();
      throw;
    }
    std::vector<std::string> names;
    for (const Message& message : sent.messages) {
      turn.written_to.insert(message.recipient);
      turn.writes_to_lead = turn.writes_to_lead || message.recipient == session.team().lead;
      names.push_back(message.recipient);
    }
    if (names.empty()) return {"There is nobody to send it to.", true};
    std::string text = fmt::format("Sent to {}.", join(names, ", "));
    if (!sent.refused.empty()) text += fmt::format(" Not to {}: the exchange limit.", join(sent.refused, ", "));
    if (!sent.absent.empty()) text += fmt::format(" Not running now, so it waits: {}.", join(sent.absent, ", "));
    return {text};
  });
}

void add_submit_plan(Toolbox& tools, TeamSession& session, TurnState& turn) {
  const ToolSpec spec{"SubmitPlan",
                      "Put a plan to the lead and wait for approval before you change anything that it is about.",
                      R"({"type":"object","properties":{
    "plan":{"type":"string","description":"what you would do, step by step"},
    "taskId":{"type":"integer","description":"the task that it is for"}},
    "required":["plan"]})"};
  tools.add(spec, [&session, &turn](const Arguments& arguments, int) -> ToolResult {
    const std::string plan = arguments.text("plan");
    if (turn.phase == Phase::plan && !turn.wants_plan) {
      fail(Code::invalid_state, "this is no task: put it on the board with TaskCreate, and you are asked for its plan");
    }
    if (turn.wants_plan) {
      if (is_blank(plan)) fail(Code::usage, "the plan is empty");
      turn.conclusion = plan;
      return {"The plan goes to the lead. You are told when it is answered."};
    }
    OutgoingMessage outgoing;
    outgoing.content = plan;
    outgoing.task = arguments.find_integer("taskId");
    session.refresh();
    const std::string id = session.submit_plan(outgoing);
    return {fmt::format("The plan was submitted as {}. The answer comes as a message; wait for it.", id)};
  });
}

}  // namespace

void add_team_tools(Toolbox& tools, TeamSession& session, TurnState& turn) {
  add_task_create(tools, session);
  add_task_update(tools, session, turn);
  add_task_list(tools, session);
  if (session.self().leads) add_task_get(tools, session);
  add_send_message(tools, session, turn);
  add_submit_plan(tools, session, turn);
}

}  // namespace team
