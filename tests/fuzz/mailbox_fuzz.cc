// An inbox that other programs wrote to: every line that is a message arrives once and in order, every other line is
// set aside, and mail still works.
//
// The first byte selects how the lines are read, and whether they are an inbox, a backlog or the messages of a dead
// reader.

#include "libteam/store/files/mailbox.h"

#include <filesystem>
#include <vector>

#include "libteam/base/text.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

std::string path() { return fuzz::scratch() + "/team"; }

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

struct Expected {
  std::vector<std::string> messages;
  std::size_t rejected = 0;
};

Expected expected_of(std::string_view text) {
  Expected expected;
  for (const std::string& line : split(text, '\n')) {
    if (is_blank(line)) continue;
    Message message;
    if (fuzz::is_accepted([&] { message = parse_message(line, "bob", "x"); }))
      expected.messages.push_back(message.content);
    else ++expected.rejected;
  }
  return expected;
}

std::vector<std::string> take_all(const Mailbox& mailbox, std::size_t most) {
  std::vector<std::string> contents;
  while (auto batch = mailbox.take({}, most, {})) {
    REQUIRE(!batch->messages().empty() && batch->messages().size() <= most);
    for (const Message& message : batch->messages()) {
      REQUIRE(!message.id.empty());
      contents.push_back(message.content);
    }
    batch->acknowledge();
  }
  return contents;
}

std::size_t count_lines(const std::string& name) {
  const std::string text = fuzz::get_file(path() + "/" + name).value_or("");
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Source source(fuzz::text_of(bytes, size));
  const std::uint8_t how = source.byte();
  const std::string_view text = source.rest();
  fuzz::make_empty(path());
  const char* const names[] = {"bob_inbox.jsonl", "bob_inbox.jsonl", "bob_backlog.jsonl", "bob_taken.jsonl"};
  fuzz::put_file(path() + "/" + names[how % 4], text);
  const Expected expected = expected_of(text);
  const auto folder = Folder::find(path());
  const FileMailbox mailbox(*folder, "bob", Durability::process, 1);

  std::size_t seen = 0;
  mailbox.peek({}, 1000, {}, [&](const Message&) { ++seen; });
  REQUIRE(seen == expected.messages.size());
  const std::vector<std::string> taken = take_all(mailbox, (how & 4) != 0 ? 1 : 1000);
  REQUIRE(taken == expected.messages);
  REQUIRE(count_lines("bob_rejected.jsonl") == expected.rejected);

  Message last;
  last.id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  last.sender = "ann";
  last.content = "after all that";
  mailbox.append({last});
  REQUIRE(take_all(mailbox, 1000) == std::vector<std::string>{"after all that"});
  return 0;
}
