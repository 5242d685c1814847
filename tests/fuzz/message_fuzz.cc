// Messages: an accepted line is written back the same, and its text stays inside its envelope.

#include "libteam/base/name.h"
#include "libteam/base/utf8.h"
#include "libteam/record/message.h"

#include <algorithm>

#include "libteam/agent/life/prompt.h"
#include "libteam/record/event.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; at + part.size() <= text.size(); ++at)
    found += same_name(text.substr(at, part.size()), part) ? 1 : 0;
  return found;
}

void check_envelopes(const Message& message) {
  const std::string for_model = tagged_messages({message});
  REQUIRE(count(for_model, "<teammate-message") == 1 && count(for_model, "</teammate-message") == 1);
  REQUIRE(std::count(for_model.begin(), for_model.end(), '<') == 2);
  const std::string for_program = prompt_for_messages({message});
  REQUIRE(count(for_program, "</message") == 1 && for_program.find("\n</message>\n") != std::string::npos);
  REQUIRE(count(for_program, "<message") == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view line = fuzz::text_of(bytes, size);
  const std::string rejected = rejection_line(line, "why", 1);
  REQUIRE(fuzz::is_json(rejected) && rejected.find('\n') == rejected.size() - 1);
  REQUIRE(count_characters(summarize(line)) <= 80 && fuzz::is_safe_for_terminal(summarize(line)));

  Message message;
  if (!fuzz::is_accepted([&] { message = parse_message(line, "bob", "bob_inbox.jsonl"); })) return 0;
  REQUIRE(is_name(message.sender) && is_message_type(message.type));
  const std::string written = to_line(message);
  REQUIRE(written.find('\n') == std::string::npos);
  REQUIRE(to_line(parse_message(written, "bob", "again")) == written);
  Message full;
  full.request_id = full.reply_to = full.feedback = "x";
  full.approve = full.interrupt = true;
  full.body_size = 1;
  REQUIRE(fuzz::keeps_unknown_keys(line, written, to_line(full)));
  const SplitLine halves = to_split_line(message);
  REQUIRE(halves.before + escape_json(message.content) + halves.after == written);
  const std::string event = to_envelope(7, 0, {"team", "ann", {}, {}}, message_event("MESSAGE_SENT", message));
  REQUIRE(parse_envelope(event, "events.jsonl").seq == 7);
  check_envelopes(message);
  return 0;
}
