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

EventPrinter::EventPrinter(Folder folder, double lock_timeout, const Console& console)
    : folder_(std::move(folder)),
      log_(folder_, lock_timeout),
      console_(console),
      last_(log_.last_sequence()),
      thread_([this] { print(); }) {}

EventPrinter::~EventPrinter() {
  end_.ring();
  thread_.join();
}

void EventPrinter::print() {
  bool is_read = true;
  const auto print = [&](std::string_view line) {
    last_ = sequence_of(line).value_or(last_);
    is_read = console_.out(std::string(line) + "\n");
    return is_read;
  };
  try {
    log_.follow(
        last_, Output::kDescriptor, print, [&] { return can_be_read(end_.fd()); }, end_.fd());
    if (is_read) log_.each_after(last_, print);
  } catch (const Error& error) {
    warn(error.what());
  }
}

}  // namespace team
