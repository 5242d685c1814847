#include "libteam/cli/event_output.h"

#include <cerrno>
#include <cstring>

#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/cli/tones.h"
#include "libteam/system/watch.h"

namespace team {

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
                  gap, out.paint(envelope.type, tone_of_event(envelope.type)), gap, one_line(about));
  out.line(line);
}

std::optional<std::string> news_of(const Envelope& envelope) {
  const std::string what = one_line(describe(envelope));
  if (envelope.type == "TASK_COMPLETED") return fmt::format("{} completed {}", envelope.agent, what);
  if (envelope.type == "TASK_FAILED") return fmt::format("{} failed {}", envelope.agent, what);
  if (envelope.type == "TASK_CLAIMED") return fmt::format("{} works on {}", envelope.agent, what);
  if (envelope.type == "RUN_ERROR") return fmt::format("{} has ended: {}", envelope.agent, detail(envelope, "message"));
  if (envelope.type != "MESSAGE_SENT" || detail(envelope, "recipient") != "user") return std::nullopt;
  return fmt::format("{} to you: {}", detail(envelope, "sender"), one_line(detail(envelope, "text")));
}

EventPrinter::EventPrinter(Form form, std::string self, const Console& console, Progress& progress)
    : form_(form), self_(std::move(self)), console_(console), progress_(progress) {}

bool EventPrinter::print(std::string_view line) {
  if (form_ == Form::json) {
    const bool is_read = console_.json(line);
    if (!is_read && errno != EPIPE) error_number_ = errno;
    return is_read;
  }
  const Progress::Pause pause(progress_);
  const auto envelope = find_envelope(line);
  const auto news = !envelope || envelope->agent == self_ ? std::nullopt : news_of(*envelope);
  if (news) console_.note(*news);
  return true;
}

void EventPrinter::check() const {
  if (error_number_ != 0) fail(Code::unknown, "cannot write the events: {}", std::strerror(error_number_));
}

EventFollower::EventFollower(Open open, EventLog::Visit visit)
    : open_(std::move(open)),
      team_(open_()),
      visit_(std::move(visit)),
      last_(team_->events().last_sequence()),
      thread_([this] { follow(); }) {}

EventFollower::~EventFollower() {
  end_.ring();
  thread_.join();
}

// Throws not_found if the team does not come back in time.
void EventFollower::reopen() {
  constexpr double kLook = 0.2;
  while (true) {
    try {
      team_ = open_();
      if (team_->events().last_sequence() < last_) last_ = 0;
      return;
    } catch (const Error& error) {
      if (error.code() != Code::not_found || can_be_read(end_.fd())) throw;
    }
    Watch watch;
    watch.wake_on(end_.fd());
    watch.wait(Deadline::in(kLook));
  }
}

void EventFollower::follow() {
  bool goes_on = true;
  const auto visit = [&](std::string_view line) {
    last_ = sequence_of(line).value_or(last_);
    return goes_on = visit_(line);
  };
  try {
    const auto ends = [&] { return can_be_read(end_.fd()); };
    while (!team_->events().follow(last_, Output::kDescriptor, visit, ends, end_.fd())) reopen();
    if (goes_on) team_->events().each_after(last_, visit);
  } catch (const std::exception& error) {
    warn(error.what());
  }
}

}  // namespace team
