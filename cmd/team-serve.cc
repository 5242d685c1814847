// team-serve - serve the teams of this root over HTTP, with a web page

#include "libteam/serve/serving.h"

#include "libteam/base/clock.h"
#include "libteam/cli/command.h"
#include "libteam/system/browser.h"

namespace {

struct Options {
  team::ServingOptions serving;
  std::optional<std::string> listen;
  bool open = false;
  bool url = false;
};

team::Exit print_url(team::Context& context) {
  const auto url = team::running_url(context.engine());
  if (!url) return team::no(context, "no server runs here");
  context.out().line(*url);
  return team::Exit::done;
}

team::Exit serve(team::Context& context, Options& options) {
  if (options.url) return print_url(context);
  team::ServingOptions& serving = options.serving;
  if (options.listen) serving.listen = *options.listen;
  if (serving.most_streams && (*serving.most_streams < 1 || *serving.most_streams > 10000)) {
    team::fail(team::Code::usage, "--max-streams takes a number from 1 to 10000");
  }
  const team::Choices& choices = context.choices();
  serving.service.team = choices.team ? choices.team : choices.environment_team;
  serving.service.member = choices.environment_member;
  serving.service.run = choices.run;
  serving.service.started_at = team::now();
  context.actor_name();  // throws if TEAM_MEMBER cannot be a name
  std::optional<team::BrowserWindow> window;
  team::serve(context.engine(), serving, [&](const std::string& url) {
    context.out().line(url);
    context.out().flush();
    if (options.open) window.emplace(url);
  });
  return team::Exit::done;
}

}  // namespace

int team_serve(int argc, char** argv) {
  Options options;
  team::ServingOptions& serving = options.serving;
  team::Command command("team-serve", "serve the teams of this root over HTTP, with a web page", "[options]");
  command.option("--listen ADDRESS", options.listen, "127.0.0.1:PORT or unix:PATH (127.0.0.1:0: any free port)");
  command.option("--token-file FILE", serving.token_file, "use the token in this file, not a new one");
  command.option("--allow-host HOST", serving.hosts, "another name of this server (repeatable)");
  command.option("--origin URL", serving.origins, "a site whose pages may use this server (repeatable)");
  command.flag("--read-only", serving.service.read_only, "refuse every change");
  command.flag("--allow-run", serving.service.allow_run, "clients may start teams");
  command.option("--max-streams N", serving.most_streams, "at most this many event streams (1000)");
  command.flag("--open", options.open, "open the page in a browser");
  command.flag("--url", options.url, "print the address of the running server and exit");
  command.takes_team();
  command.takes_lock();
  command.example("team-serve --open");
  command.example("team-serve --listen unix:team.sock --read-only");
  return command.run(argc, argv, [&](team::Context& context) { return serve(context, options); });
}
