#include "libteam/agent/model/replay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <nlohmann/json.hpp>

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/json_fields.h"
#include "libteam/system/lines.h"

namespace team {

namespace {

using Kind = ModelError::Kind;
using Stop = ModelAnswer::Stop;

constexpr JsonLimits kLimits = {.bytes = std::size_t{512} << 20};
constexpr std::array<std::pair<std::string_view, Stop>, 5> kStops = {{{"end", Stop::end},
                                                                      {"tool_calls", Stop::tool_calls},
                                                                      {"too_long", Stop::too_long},
                                                                      {"refused", Stop::refused},
                                                                      {"paused", Stop::paused}}};
constexpr std::array<std::pair<std::string_view, Kind>, 5> kKinds = {{{"passing", Kind::passing},
                                                                      {"limited", Kind::limited},
                                                                      {"window_full", Kind::window_full},
                                                                      {"unreachable", Kind::unreachable},
                                                                      {"final", Kind::final}}};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.second == value; })->first;
}

template <class Names>
auto value_in(const Names& names, std::string_view name) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

Json to_json(const ModelAnswer& answer) {
  const Usage& usage = answer.usage;
  Json json = {{"stop", name_in(kStops, answer.stop)},
               {"model", answer.model},
               {"usage",
                {{"input", usage.input},
                 {"output", usage.output},
                 {"cache_read", usage.cache_read},
                 {"cache_written", usage.cache_written}}},
               {"turn", Json::parse(to_line({Turn::Role::model, answer.parts}))}};
  if (!answer.provider.empty()) json["provider"] = answer.provider;
  if (!answer.refusal.empty()) json["refusal"] = answer.refusal;
  return json;
}

ModelAnswer parse_answer(const Json& json, std::string_view where) {
  Fields fields(json, "", where);
  ModelAnswer answer;
  const auto stop = value_in(kStops, fields.text("stop").value_or(""));
  if (!stop) fields.refuse("stop", "why the answer ended");
  answer.stop = *stop;
  answer.model = fields.text("model").value_or("");
  answer.provider = fields.text("provider").value_or("");
  answer.refusal = fields.text("refusal").value_or("");
  if (const Json* usage = fields.object("usage")) {
    Fields counts(*usage, "", where);
    const auto count = [&](const char* key) { return counts.integer(key, 0, INT64_MAX).value_or(0); };
    answer.usage = {count("input"), count("output"), count("cache_read"), count("cache_written")};
  }
  const Json* turn = fields.object("turn");
  if (turn == nullptr) fields.refuse("turn", "an object");
  answer.parts = parse_turn(dump_line(*turn), where).parts;
  return answer;
}

// Accepts only a regular file: a fifo or a device could block, and no signal would end that.
Fd open_recording(const std::string& path, int flags) {
  Fd file(::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0600));
  // A fifo without a reader and a socket cannot even be opened.
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (file && ::fstat(file.get(), &status) != 0) fail_errno("cannot look at", path);
  if ((file || is_there) && !S_ISREG(status.st_mode)) fail(Code::usage, "'{}' is not a regular file", one_line(path));
  if (!file && !is_there && (flags & O_CREAT) == 0) fail(Code::not_found, "no recording '{}'", path);
  if (!file) fail_errno("cannot open", path);
  return file;
}

void for_each_line(const Fd& file, const std::function<void(std::string_view line)>& visit) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string rest;
  for (off_t at = 0;;) {
    const std::string piece = read_at(file, at, kPiece);
    at += static_cast<off_t>(piece.size());
    std::size_t searched = rest.size();
    rest += piece;
    std::size_t start = 0;
    for (std::size_t newline; (newline = rest.find('\n', searched)) != std::string::npos;) {
      visit(std::string_view(rest).substr(start, newline - start));
      start = searched = newline + 1;
    }
    rest.erase(0, start);
    if (!piece.empty()) continue;
    if (!rest.empty()) visit(rest);
    return;
  }
}

ModelError parse_error(const Json& json, std::string_view where) {
  Fields fields(json, "", where);
  const auto kind = value_in(kKinds, fields.text("kind").value_or(""));
  if (!kind) fields.refuse("kind", "a kind of error");
  return ModelError(*kind, fields.text("text").value_or(""), fields.number("retry_after"));
}

}  // namespace

RecordingProvider::RecordingProvider(std::unique_ptr<Provider> inner, const std::string& path)
    : inner_(std::move(inner)), path_(path), file_(open_recording(path, O_RDWR | O_CREAT | O_APPEND)) {
  // A writer that died may have left a torn line. A newline keeps it apart.
  const off_t size = ::lseek(file_.get(), 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(file_.get(), &last, 1, size - 1) == 1 && last != '\n' && !write_all(file_.get(), "\n")) {
    fail_errno("cannot write", path);
  }
}

ModelAnswer RecordingProvider::ask(const ModelRequest& request, int interrupt, const Hear& hear) {
  try {
    ModelAnswer answer = inner_->ask(request, interrupt, hear);
    keep(request, "answer", dump_line(to_json(answer)));
    return answer;
  } catch (const ModelError& error) {
    if (error.kind() == Kind::interrupted) throw;
    Json json = {{"kind", name_in(kKinds, error.kind())}, {"text", error.what()}};
    if (error.retry_after()) json["retry_after"] = *error.retry_after();
    keep(request, "error", dump_line(json));
    throw;
  }
}

void RecordingProvider::keep(const ModelRequest& request, std::string_view outcome, const std::string& json) {
  RequestNotes notes = notes_on(request);
  std::size_t kept = 0;
  while (kept < std::min(notes.turns.size(), last_.turns.size()) &&
         notes.turns[kept].digest == last_.turns[kept].digest)
    ++kept;
  Json line = {{"digest", notes.digest}, {"tools", notes.tools}};
  if (notes.system != last_.system) line["system"] = notes.system;
  if (notes.present != last_.present) line["present"] = notes.present;
  line["kept"] = kept;
  Json turns = Json::array();
  for (std::size_t i = kept; i < notes.turns.size(); ++i) {
    const auto& turn = notes.turns[i];
    turns.push_back({{"digest", turn.digest}, {"bytes", turn.bytes}, {"shape", turn.shape}, {"says", turn.says}});
  }
  line["turns"] = std::move(turns);
  std::string text = dump_line(line);
  text.pop_back();
  text += fmt::format(",\"{}\":{}}}\n", outcome, json);
  if (!write_all(file_.get(), text)) fail_errno("cannot write", path_);
  last_ = std::move(notes);
}

struct ReplayingProvider::Call {
  std::string where;  // file and line
  std::string digest, tools;
  std::optional<std::string> system, present;  // if they differ from the last ones
  std::size_t kept = 0;                        // turns that are the same as in the call before
  std::vector<RequestNotes::OfTurn> turns;
  std::optional<ModelAnswer> answer;
  std::optional<ModelError> error;

  Call(const Json& json, std::string at) : where(std::move(at)) {
    Fields fields(json, "", where);
    digest = fields.text("digest").value_or("");
    tools = fields.text("tools").value_or("");
    system = fields.text("system");
    present = fields.text("present");
    kept = static_cast<std::size_t>(fields.integer("kept", 0, INT64_MAX).value_or(0));
    if (const Json* notes = fields.array("turns")) {
      for (const Json& note : *notes) {
        Fields turn(note, "", where);
        turns.push_back({turn.text("digest").value_or(""), turn.text("says").value_or(""),
                         turn.text("shape").value_or(""),
                         static_cast<std::size_t>(turn.integer("bytes", 0, INT64_MAX).value_or(0))});
      }
    }
    if (const Json* said = fields.object("answer")) answer = parse_answer(*said, where);
    else if (const Json* failed = fields.object("error")) error = parse_error(*failed, where);
    else fields.refuse("answer", "an object");
  }
};

ReplayingProvider::ReplayingProvider(const std::string& path, StepOrder* order) : path_(path), order_(order) {
  const Fd file = open_recording(path, O_RDONLY);
  std::size_t number = 0;
  for_each_line(file, [&](std::string_view line) {
    const std::string where = fmt::format("{}:{}", path, ++number);
    if (is_blank(line)) return;
    std::optional<Json> json;
    try {
      json = parse_json(line, where, kLimits);
    } catch (const Error&) {
      return;
    }
    calls_.emplace_back(*json, where);
  });
  if (calls_.empty()) fail(Code::corrupt, "'{}' is no recording of a model", path);
}

ReplayingProvider::~ReplayingProvider() = default;

ModelAnswer ReplayingProvider::ask(const ModelRequest& request, int interrupt, const Hear& hear) {
  // The order of a team says when mail is heard, so only a signal interrupts a call.
  pollfd waiting{interrupt, POLLIN, 0};
  const bool is_interrupted = order_ != nullptr ? order_->is_abandoned() : interrupt >= 0 && ::poll(&waiting, 1, 0) > 0;
  if (is_interrupted) throw ModelError(Kind::interrupted, "interrupted");
  const RequestNotes now = notes_on(request);
  if (!started_ && order_ != nullptr) next_ = std::min(order_->first_call(), calls_.size());
  else if (!started_) go_to_first(now.digest);
  started_ = true;
  if (next_ == calls_.size()) {
    const std::string says = now.turns.empty() ? "" : now.turns.back().says;
    end(fmt::format("'{}' has {} calls and this is another one: '{}'", path_, next_, says));
  }
  read_notes();
  const Call& call = calls_[next_];
  check(call, now);
  ++next_;
  if (call.error) throw *call.error;
  for (const Part& part : call.answer->parts) {
    if (part.kind == Part::Kind::text && hear) hear(part.text);
  }
  return translated(*call.answer);
}

void ReplayingProvider::check(const Call& call, const RequestNotes& now) {
  if (call.digest == now.digest) return;
  const auto found = order_ != nullptr ? difference_in_shape(notes_, now) : std::optional(difference(notes_, now));
  if (found) end(fmt::format("{}: the conversation went another way: {}", call.where, *found));
}

void ReplayingProvider::end(const std::string& reason) {
  if (order_ != nullptr) order_->diverge(reason);
  throw ModelError(Kind::final, reason);
}

// Calls of tools name requests by ids of this run.
ModelAnswer ReplayingProvider::translated(ModelAnswer answer) const {
  if (order_ == nullptr) return answer;
  for (Part& part : answer.parts) {
    if (part.kind == Part::Kind::tool_call) part.arguments = order_->translate(std::move(part.arguments));
  }
  return answer;
}

void ReplayingProvider::go_to_first(const std::string& digest) {
  const auto found =
      std::find_if(calls_.begin(), calls_.end(), [&](const Call& call) { return call.digest == digest; });
  if (found != calls_.end()) next_ = static_cast<std::size_t>(found - calls_.begin());
}

void ReplayingProvider::read_notes() {
  // A call that was repeated at once: its caller died before it used the first answer.
  while (next_ + 1 < calls_.size() && calls_[next_].answer && calls_[next_ + 1].digest == calls_[next_].digest) ++next_;
  for (; read_ <= next_; ++read_) {
    const Call& call = calls_[read_];
    notes_.digest = call.digest;
    notes_.tools = call.tools;
    if (call.system) notes_.system = *call.system;
    if (call.present) notes_.present = *call.present;
    notes_.turns.resize(std::min(call.kept, notes_.turns.size()));
    notes_.turns.insert(notes_.turns.end(), call.turns.begin(), call.turns.end());
  }
}

}  // namespace team
