#include "libteam/serve/team_api_stream.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/base/json_text.h"
#include "libteam/serve/team_api.h"

namespace team {

namespace {

constexpr std::size_t kLongestResult = 256 * 1024;

// A frame of a wrapped stream. `envelope` is JSON.
std::string wrap(std::string_view type, std::string_view envelope, const std::string& session,
                 const std::optional<std::string>& error) {
  JsonText json;
  json.add("type", type);
  json.add_json("envelope", envelope);
  json.add("session_id", session);
  json.add("error", error);
  return json.take();
}

std::string last_frame(const std::string& team, ApiStreamOptions::Format format,
                       const std::optional<std::string>& error) {
  const char* type = error ? "error" : "complete";
  const std::string data = wrap(type, "null", team, error);
  // A stream of bare envelopes has no place for a type, so its last frame is an event of that name.
  if (format == ApiStreamOptions::Format::envelope) return fmt::format("event: {}\ndata: {}\n\n", type, data);
  return sse_frame(0, data);
}

class ApiTranslator : public EventTranslator {
 public:
  ApiTranslator(Team team, RunProgress progress, const ApiStreamOptions& options)
      : team_(std::move(team)), progress_(std::move(progress)), options_(options) {}

  bool translate(std::string_view line, std::string& to) override {
    const auto envelope = find_envelope(line);
    if (!envelope) return true;
    const auto parts = to_api_envelopes(line, team_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_bare = options_.format == ApiStreamOptions::Format::envelope;
      // Only the last frame has the number, so that a client that reconnects after a part of them gets all again.
      to += sse_frame(i + 1 == parts.size() ? envelope->seq : 0,
                      is_bare ? parts[i] : wrap("team_event", parts[i], team_.name, std::nullopt));
    }
    if (options_.last) {
      if (envelope->seq < *options_.last) return true;
      to += last_frame(team_.name, options_.format, std::nullopt);
      return false;
    }
    const auto end = progress_.add(*envelope);
    if (!end) return true;
    to += last_frame(team_.name, options_.format, end->error);
    return false;
  }

 private:
  Team team_;
  RunProgress progress_;
  ApiStreamOptions options_;
};

class ResultTranslator : public EventTranslator {
 public:
  ResultTranslator(Team team, RunProgress progress) : team_(std::move(team)), progress_(std::move(progress)) {}

  bool translate(std::string_view line, std::string& to) override {
    const auto envelope = find_envelope(line);
    const auto end = envelope ? progress_.add(*envelope) : std::nullopt;
    if (!end) return true;
    JsonText json;
    json.add("session_id", team_.name);
    json.add("result", progress_.result());
    if (end->error) json.add("error", *end->error);
    to += json.take() + "\n";
    return false;
  }

 private:
  Team team_;
  RunProgress progress_;
};

}  // namespace

std::optional<RunProgress::End> RunProgress::add(const Envelope& envelope) {
  const std::string& type = envelope.type;
  const bool is_lead = envelope.agent == lead_;
  if (type == "TEAM_RUN_ENDED") {
    const std::string status = detail(envelope, "exit_status");
    if (status == "0") return End{};
    return End{detail(envelope, "reason")};
  }
  if (type == "TEAM_FINISHED") summary_ = detail(envelope, "summary");
  if (type == "TEXT_MESSAGE_START" && is_lead) text_.clear();
  if (type == "TEXT_MESSAGE_CONTENT" && is_lead && text_.size() < kLongestResult) text_ += detail(envelope, "delta");
  if (type == "TEXT_MESSAGE_END" && is_lead && !text_.empty()) last_text_ = text_;
  if (type == "RUN_STARTED") running_.insert(envelope.agent);
  const bool has_ended =
      type == "RUN_FINISHED" || type == "RUN_ERROR" || (type == "MEMBER_STATE" && detail(envelope, "to") == "shutdown");
  // The end of a lead is followed by that of its run.
  if (!has_ended || is_lead) return std::nullopt;
  const bool was_running = running_.erase(envelope.agent) > 0;
  return was_running && running_.empty() ? std::optional(End{}) : std::nullopt;
}

std::unique_ptr<EventTranslator> make_api_translator(Team team, RunProgress progress, const ApiStreamOptions& options) {
  return std::make_unique<ApiTranslator>(std::move(team), std::move(progress), options);
}

std::string api_complete_frame(const std::string& team, ApiStreamOptions::Format format) {
  return last_frame(team, format, std::nullopt);
}

std::unique_ptr<EventTranslator> make_result_translator(Team team, RunProgress progress) {
  return std::make_unique<ResultTranslator>(std::move(team), std::move(progress));
}

}  // namespace team
