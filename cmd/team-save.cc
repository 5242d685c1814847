// team-save - save a team to an archive

#include "libteam/cli/command.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/snapshot.h"

namespace {

team::Exit save(team::Context& context, const std::string& file) {
  const auto left_out = [](const std::string& what) { team::warn("left out: " + what); };
  const double timeout = context.choices().lock_timeout;
  if (file != "-") {
    context.changes();
    team::save_team(in_files(context.engine()).root(), context.team(), file, timeout, left_out);
    context.out().line(file);
    return team::Exit::done;
  }
  if (context.out().is_terminal()) team::fail(team::Code::usage, "an archive is not written to a terminal");
  team::stream_team(in_files(context.engine()).root(), context.team(), timeout, left_out, [&](std::string_view piece) {
    context.out().text(piece);
    return !context.out().failed();
  });
  // Readers of other commands may stop early; an archive is useless unless it is read to its end.
  if (!context.out().deliver()) team::fail(team::Code::io, "the archive was not read to its end");
  return team::Exit::done;
}

}  // namespace

int team_save(int argc, char** argv) {
  std::string file;
  team::Command command("team-save", "save a team to an archive", "[options] FILE");
  command.operand("FILE", file, "the archive to write, a tar file; - for stdout");
  command.takes_team();
  command.takes_lock();
  command.example("team-save demo.tar");
  command.example("team-save - | gzip >demo.tar.gz");
  return command.run(argc, argv, [&](team::Context& context) { return save(context, file); });
}
