#include "libteam/cli/event_output.h"

#include <ctime>

#include "libteam/base/text.h"

namespace team {

namespace {

std::string iso_time(double timestamp) {
  const auto whole = static_cast<std::time_t>(timestamp);
  std::tm parts{};
  ::localtime_r(&whole, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}", text, static_cast<int>((timestamp - static_cast<double>(whole)) * 1000));
}

Output::Tone tone_of(const std::string& type) {
  if (type == "TASK_COMPLETED" || type.ends_with("_APPROVED")) return Output::Tone::good;
  if (type == "TASK_FAILED" || type.ends_with("_REJECTED") || type.ends_with("_PAUSED")) return Output::Tone::bad;
  if (type == "TASK_CLAIMED") return Output::Tone::busy;
  return Output::Tone::waiting;
}

}  // namespace

void print_event(Context& context, const Envelope& envelope) {
  Output& out = context.out();
  if (context.json()) {
    out.line(envelope.line);
    return;
  }
  const std::string about = describe(envelope);
  const std::string gap = out.is_terminal() ? "  " : "\t";
  const std::string moment = iso_time(envelope.timestamp);
  const std::string when = out.is_terminal() ? moment.substr(11) : moment;
  const std::string line =
      fmt::format("{}{}{}{}{}{}{}{}{}", envelope.seq, gap, when, gap, out.paint(envelope.agent, Output::Tone::strong),
                  gap, out.paint(envelope.type, tone_of(envelope.type)), gap, one_line(about));
  out.line(line);
}

}  // namespace team
