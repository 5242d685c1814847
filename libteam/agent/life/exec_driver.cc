#include "libteam/agent/life/exec_driver.h"

#include <signal.h>

#include <algorithm>
#include <cstring>

#include "libteam/base/clock.h"
#include "libteam/base/json_text.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/program_usage.h"
#include "libteam/record/usage_limit.h"
#include "libteam/system/id.h"
#include "libteam/system/process.h"

namespace team {

namespace {

constexpr std::size_t kMostShown = 1 << 20;
constexpr std::size_t kMostKept = 16 * 1024;  // of the beginning, and as much of the end
constexpr std::size_t kEventSize = 32 * 1024;
constexpr double kEventPause = 0.1;

// The beginning of the details of an event.
JsonText about(const Work& work) {
  JsonText details;
  details.add("step_name", work.title);
  details.add("phase", work.phase == Phase::plan ? "plan" : "work");
  details.add("task", work.task ? std::optional(work.task->id) : std::nullopt);
  return details;
}

// The beginning and the end of a text of any length.
class Excerpt {
 public:
  void add(std::string_view text) {
    const std::size_t room = std::min(text.size(), kMostKept - begin_.size());
    begin_ += text.substr(0, room);
    text.remove_prefix(room);
    end_ += text;
    if (end_.size() <= 2 * kMostKept) return;
    dropped_ += end_.size() - kMostKept;
    end_.erase(0, end_.size() - kMostKept);
  }

  std::string text() const {
    std::string end = end_;
    std::size_t dropped = dropped_;
    if (end.size() > kMostKept) {
      dropped += end.size() - kMostKept;
      end.erase(0, end.size() - kMostKept);
    }
    const std::string cut = dropped > 0 ? fmt::format("\n[… {} bytes …]\n", dropped) : "";
    std::string whole = repair_utf8(begin_ + cut + end);
    while (!whole.empty() && (whole.back() == '\n' || whole.back() == '\r')) whole.pop_back();
    return whole;
  }

 private:
  std::string begin_, end_;
  std::size_t dropped_ = 0;
};

// Shows what a program says and writes it into the event log in pieces of whole characters.
class Listener {
 public:
  Listener(const Audience& audience, std::string step) : audience_(audience), step_(std::move(step)) {}

  void hear(Child::Stream stream, std::string_view text) {
    (stream == Child::Stream::out ? out_ : err_).add(text);
    if (stream == Child::Stream::out) usage_.read_out(text);
    else usage_.read_err(text);
    const std::size_t room = kMostShown - std::min(kMostShown, shown_);
    if (shown_ <= kMostShown && text.size() > room) audience_.note("more than 1 MiB of output: the rest is not shown");
    shown_ += text.size();
    text = text.substr(0, room);
    if (text.empty()) return;
    (stream == Child::Stream::out ? audience_.out : audience_.err)(text);
    (stream == Child::Stream::out ? unsaid_out_ : unsaid_err_) += text;
    if (unsaid_out_.size() + unsaid_err_.size() >= kEventSize) flush(Rest::waits);
  }

  enum class Rest { waits, goes };  // of a character that is cut
  void flush(Rest rest) {
    std::vector<Event> events;
    say(unsaid_out_, "stdout", rest, events);
    say(unsaid_err_, "stderr", rest, events);
    if (!events.empty()) audience_.record(events);
  }

  // The usage of the program. Call it after the output has ended.
  Usage used() { return usage_.usage(); }
  const std::optional<std::string>& model() const { return usage_.model(); }
  std::string said() const { return out_.text(); }
  std::string complained() const { return err_.text(); }
  // The text for the sender or the task: the answer of a known agent, else stdout.
  std::string result() const { return usage_.answer() ? *usage_.answer() : said(); }

 private:
  void say(std::string& text, const char* stream, Rest rest, std::vector<Event>& events) const {
    const std::size_t length = rest == Rest::goes ? text.size() : whole_characters(text);
    if (length == 0) return;
    JsonText details;
    details.add("message_id", step_);
    details.add("delta", repair_utf8(text.substr(0, length)));
    details.add("stream", stream);
    events.push_back({"TEXT_MESSAGE_CONTENT", details.take()});
    text.erase(0, length);
  }

  const Audience& audience_;
  std::string step_;
  Excerpt out_, err_;
  ProgramUsage usage_;
  std::string unsaid_out_, unsaid_err_;
  std::size_t shown_ = 0;
};

std::string describe_end(int status, const std::string& complaint) {
  const std::string how = status > 128 ? fmt::format("ended by signal {} ({})", status - 128, ::strsignal(status - 128))
                                       : fmt::format("exit status {}", status);
  return complaint.empty() ? how : fmt::format("{}: {}", how, complaint);
}

}  // namespace

ExecDriver::ExecDriver(std::string command, Environment environment, std::optional<double> time_limit,
                       std::vector<std::string> limit_texts, const Signals& signals)
    : command_(std::move(command)),
      environment_(std::move(environment)),
      time_limit_(time_limit),
      limit_texts_(std::move(limit_texts)),
      signals_(signals) {}

Program ExecDriver::program_for(const Work& work) const {
  Program program{{"/bin/sh", "-c", command_}, environment_, std::nullopt, work.introduction + work.prompt};
  const auto set = [&](const char* name, std::optional<std::string> value) {
    program.environment.emplace_back(name, std::move(value));
  };
  set("TEAM_PHASE", work.phase == Phase::plan ? "plan" : "work");
  set("TASK_ID", work.task ? std::optional(std::to_string(work.task->id)) : std::nullopt);
  set("TASK_FILE", work.task ? std::optional(work.task_file) : std::nullopt);
  return program;
}

Outcome ExecDriver::work(const Work& work, const Audience& audience) {
  const std::string step = new_id();
  audience.record({{"STEP_STARTED", about(work).take()}});
  const double began = now();
  Listener listener(audience, step);
  const auto hear = [&](Child::Stream stream, std::string_view text) { listener.hear(stream, text); };
  const Deadline limit = time_limit_ ? Deadline::in(*time_limit_) : Deadline::never();
  bool in_time = true;
  std::optional<int> signal;
  Child child(program_for(work));
  Deadline news = Deadline::never();  // when what it said lately is to be written down
  while (true) {
    const Deadline next = in_time && !signal ? news.or_at(limit) : news;
    const Child::Woke woke = child.wait(next, signals_.fd(), hear);
    if (woke == Child::Woke::ended) break;
    if (woke == Child::Woke::heard && news.left_ms() < 0) news = Deadline::in(kEventPause);
    if (news.passed()) {
      listener.flush(Listener::Rest::waits);
      news = Deadline::never();
    }
    // The first signal asks it to stop; the second does not wait for it.
    if (const auto came = signals_.take()) {
      if (signal) child.kill();
      else child.stop();
      signal = came;
    } else if (in_time && !signal && limit.passed()) {
      in_time = false;
      child.stop();
    }
  }
  listener.flush(Listener::Rest::goes);
  const int status = child.status();
  const Usage used = listener.used();
  JsonText end = about(work);
  end.add("exit_status", status);
  end.add_json("usage", to_json_text(used));
  end.add("seconds", now() - began);
  audience.record({{"STEP_FINISHED", end.take()}});
  Outcome outcome;
  outcome.used = used;
  outcome.used_model = listener.model();
  outcome.status = status;
  outcome.result = listener.result();
  if (signal) {
    outcome.kind = Outcome::Kind::interrupted;
    outcome.result.clear();
    outcome.reason = fmt::format("interrupted by {}", ::strsignal(*signal));
    outcome.status = 128 + *signal;
  } else if (!in_time) {
    outcome.kind = Outcome::Kind::failed;
    outcome.reason = fmt::format("not done within {} s", *time_limit_);
  } else if (auto limit = find_usage_limit(status, listener.said(), listener.complained(), limit_texts_, now())) {
    outcome.kind = Outcome::Kind::limited;
    outcome.reason = std::move(limit->reason);
    outcome.until = limit->until;
  } else if (status != 0) {
    outcome.kind = status == 126 || status == 127 ? Outcome::Kind::hopeless : Outcome::Kind::failed;
    outcome.reason = describe_end(status, most_useful_line(listener.said(), listener.complained()));
  }
  return outcome;
}

}  // namespace team
