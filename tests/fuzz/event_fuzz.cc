// Lines of an event log: all readers agree on envelopes, and their history and spans never run backward.

#include "libteam/record/event.h"

#include <algorithm>
#include <cmath>

#include "libteam/base/text.h"
#include "libteam/record/history_builder.h"
#include "libteam/record/span_builder.h"
#include "libteam/record/team_view.h"
#include "libteam/report/otlp.h"
#include "libteam/serve/agui_stream.h"
#include "libteam/serve/team_api_stream.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

void check_history(const History& history) {
  REQUIRE(history.start <= history.end);
  for (const MemberHistory& member : history.members) {
    double last = history.start;
    for (const StateInterval& interval : member.states) {
      REQUIRE(interval.from >= last && interval.to >= interval.from);
      last = interval.to;
    }
    for (const WorkInterval& work : member.works) REQUIRE(work.to >= work.from);
    REQUIRE(member.worked >= 0 && member.idle >= 0 && member.paused >= 0);
  }
  REQUIRE(history.critical_time >= 0 && !std::isnan(history.parallelism()));
}

// Every frame of a stream is one JSON object.
void check_frames(EventTranslator& translator, const std::string& line) {
  std::string frames;
  translator.translate(line, frames);
  for (const std::string& part : split(frames, '\n')) {
    if (part.starts_with("data: ")) {
      REQUIRE(fuzz::is_json(part.substr(6)));
    } else {
      REQUIRE(part.empty() || part.starts_with("id: ") || part.starts_with("event: "));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  HistoryBuilder builder;
  SpanBuilder spans({"team", 1, SpanBuilder::Options::Content::yes, {}}, [](const TraceSpan& span) {
    REQUIRE(span.end >= span.start && span.self.span != 0);
    REQUIRE(fuzz::is_json(to_otlp(span)));
  });
  AguiTranslator agui({.thread = "t", .run = "r", .lead = "lead", .lead_runs = true, .last = {}},
                      RunProgress("lead", {"lead"}));
  const auto session = make_api_translator(Team{}, RunProgress("lead", {"lead"}), {});
  TeamView snapshot;
  constexpr std::size_t kMost = 8;
  for (const std::string& line : split(fuzz::text_of(bytes, size), '\n')) {
    const auto number = sequence_of(line);
    Envelope envelope;
    const bool taken = fuzz::is_accepted([&] { envelope = parse_envelope(line, "events.jsonl:1"); });
    REQUIRE(find_envelope(line).has_value() == taken);
    if (!taken) continue;
    if (number) REQUIRE(*number == envelope.seq || envelope.seq == 0);
    REQUIRE(fuzz::is_json(envelope.details) && envelope.line == line);
    REQUIRE(fuzz::is_utf8(describe(envelope)) && fuzz::is_utf8(detail(envelope, "reason")));
    const std::string again = to_envelope(std::max<std::int64_t>(1, envelope.seq), envelope.timestamp,
                                          {"team", envelope.agent, {}, {}}, {envelope.type, envelope.details});
    REQUIRE(parse_envelope(again, "again").details == envelope.details);
    if (auto entry = log_entry_of(envelope)) add(snapshot, std::move(*entry), kMost);
    REQUIRE(snapshot.events.size() <= kMost);
    builder.add(envelope);
    spans.add(envelope);
    check_frames(agui, line);
    check_frames(*session, line);
  }
  spans.close([](const std::string& member) { return member == "ann"; });
  GraphTask task;
  task.id = 1;
  task.subject = "x";
  check_history(std::move(builder).close(TaskGraph({task}), {{"ann", true}, {"bob", std::nullopt}}, 1e9));
  return 0;
}
