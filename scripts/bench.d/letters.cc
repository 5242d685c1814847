// letters send|receive COUNT - send or receive so many messages inside one process
//
// It uses the library of team-send and team-recv, for the member `user` of the team `process` in the current folder.
#include <cstdlib>
#include <string>
#include <string_view>

#include "libteam/base/error.h"
#include "libteam/store/files/file_team.h"
#include "libteam/store/mail.h"

namespace {

constexpr double kLockTimeout = 60;

void send(const team::Mail& mail, long count) {
  const team::Actor lead{.name = "lead", .role = {}, .run = {}, .leads = true};
  team::OutgoingMessage letter;
  letter.to = "user";
  letter.content = "a message of some words";
  for (long i = 0; i < count; ++i) mail.send(letter, lead);
}

void receive(const team::Mail& mail, long count) {
  const team::Mailbox& mailbox = mail.mailbox("user");
  mailbox.wait(team::Deadline::never(), -1, [&] {
    while (auto batch = mailbox.take({}, static_cast<std::size_t>(count), {})) {
      count -= static_cast<long>(batch->messages().size());
      batch->acknowledge();
      if (count <= 0) break;
    }
    return count <= 0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const team::Root root = team::Root::find({});
  const team::Roster roster(root, kLockTimeout);
  const team::Team team = roster.get("process");
  const team::Mail mail(team::open_team(root, team, kLockTimeout), team);
  const long count = std::atol(argv[2]);
  if (std::string_view(argv[1]) == "send") send(mail, count);
  else receive(mail, count);
}
