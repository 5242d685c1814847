// team-batch - carry out operations that come as JSON lines

#include "libteam/base/json_rpc.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/serve/batch/runner.h"

namespace {

team::Exit run_batch(team::Context& context) {
  const team::Choices& choices = context.choices();
  context.actor_name();  // throws for a name that the caller may not use
  team::SessionPool pool(context.engine(), {.team = choices.team ? choices.team : choices.environment_team,
                                            .as = choices.actor,
                                            .member = choices.environment_member,
                                            .run = choices.run});
  team::BatchRunner* runner = nullptr;
  const team::BatchRunner::Write write = [&](std::string_view line) {
    if (runner->has_changed()) context.made();
    context.out().text(line);
    return context.out().deliver();
  };
  team::BatchRunner batch(pool, write);
  runner = &batch;
  team::LineSplitter lines(team::kLongestBatchLine);
  context.changes();
  bool is_read = true;
  const auto answer_all = [&] {
    for (auto line = lines.next(); line && is_read; line = lines.next()) {
      is_read = line->is_too_long ? batch.refuse_long_line() : batch.run(line->text);
    }
    if (batch.has_changed()) context.made();  // a request that cannot be read is then no longer "nothing changed"
  };
  std::string piece;
  while (is_read && team::read_piece(piece)) {
    lines.add(piece);
    answer_all();
  }
  lines.add("\n");  // the last line may lack its newline
  answer_all();
  return team::Exit::done;
}

}  // namespace

int team_batch(int argc, char** argv) {
  team::Command command("team-batch", "carry out operations that come as JSON lines", "[options]");
  command.takes_team();
  command.takes_actor();
  command.takes_lock();
  command.example("echo '{\"id\":1,\"op\":\"task-claim\",\"next\":true}' | team-batch --as backend");
  command.example("team-batch <requests | jq -c 'select(.status == \"error\")'");
  return command.run(argc, argv, run_batch);
}
