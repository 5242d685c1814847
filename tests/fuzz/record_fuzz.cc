// The smaller records. The first letter selects one: state of a member, request, hold, exchanges, prices, turn.

#include "libteam/agent/model/conversation.h"
#include "libteam/record/exchange.h"
#include "libteam/record/hold.h"
#include "libteam/record/member_state.h"
#include "libteam/record/prices.h"
#include "libteam/record/request.h"
#include "tests/fuzz/fuzz.h"

#include <cmath>

using namespace team;

namespace {

template <class Parse, class Write>
void check_round_trip(std::string_view text, Parse parse, Write write) {
  std::string written;
  if (!fuzz::is_accepted([&] { written = write(parse(text)); })) return;
  REQUIRE(fuzz::is_json(written) && write(parse(written)) == written);
}

void check_state(std::string_view text) {
  MemberState state;
  if (!fuzz::is_accepted([&] { state = parse_member_state(text, "ann.json"); })) return;
  const std::string written = to_file(state);
  REQUIRE(to_file(parse_member_state(written, "again")) == written);
  REQUIRE(fuzz::keeps_unknown_keys(text, written, to_file(MemberState{})));
  const std::string event = to_envelope(1, 0, {"team", "ann", {}, {}}, member_state_event(State::idle, state));
  REQUIRE(parse_envelope(event, "events.jsonl").type == "MEMBER_STATE");
}

void check_request(std::string_view text) {
  Request request;
  if (!fuzz::is_accepted([&] { request = parse_request(text, "r.json"); })) return;
  const std::string written = to_file(request);
  REQUIRE(to_file(parse_request(written, "again")) == written);
  REQUIRE(fuzz::keeps_unknown_keys(text, written, to_file(Request{})) && fuzz::is_json(to_line(request)));
}

void check_prices(std::string_view text) {
  const auto tidied = tidy_prices(text);
  if (!tidied) return;
  REQUIRE(tidy_prices(*tidied) == tidied);
  const auto cost = cost_of({1000, 1000, 1000, 1000}, "claude-x", *tidied);
  REQUIRE(!cost || (*cost >= 0 && !std::isnan(*cost)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Source source(fuzz::text_of(bytes, size));
  const char which = static_cast<char>(source.byte());
  const std::string_view text = source.rest();
  switch (which) {
    case 's': check_state(text); break;
    case 'r': check_request(text); break;
    case 'p': check_prices(text); break;
    case 'h':
      check_round_trip(
          text, [](std::string_view t) { return parse_hold(t, "hold"); },
          [](const Hold& hold) { return to_file(hold); });
      break;
    case 'x':
      check_round_trip(
          text, [](std::string_view t) { return parse_exchanges(t, "exchanges"); },
          [](const Exchanges& exchanges) { return to_file(exchanges); });
      break;
    case 't':
      check_round_trip(
          text, [](std::string_view t) { return parse_turn(t, "turn"); },
          [](const Turn& turn) { return to_line(turn); });
      break;
    default: break;
  }
  return 0;
}
