#include "libteam/record/program_usage.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::size_t kLongest = std::size_t{4} << 20;
constexpr std::string_view kNote = "teamkit-usage:";

std::optional<Json> object_in(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') return std::nullopt;
  try {
    Json json = parse_json(text.substr(start), "output");
    return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

const Json* object_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Counts and dollars by other names than ours; wrong values count as 0.
std::int64_t count_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return 0;
  return parse_usage(dump_line({{"input", *found}})).input;
}

double dollars_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return 0;
  return parse_usage(dump_line({{"usd", *found}})).usd;
}

// claude: the last line of a stream, or the only object.
std::optional<Usage> of_claude(const Json& json) {
  if (text_at(json, "type") != "result" || !json.contains("total_cost_usd")) return std::nullopt;
  Usage usage;
  usage.usd = dollars_at(json, "total_cost_usd");
  if (const Json* counts = object_at(json, "usage")) {
    usage.input = count_at(*counts, "input_tokens");
    usage.output = count_at(*counts, "output_tokens");
    usage.cache_read = count_at(*counts, "cache_read_input_tokens");
    usage.cache_written = count_at(*counts, "cache_creation_input_tokens");
  }
  return usage;
}

// codex: one line for each turn. The input includes what was cached.
std::optional<Usage> of_codex(const Json& json) {
  const Json* counts = text_at(json, "type") == "turn.completed" ? object_at(json, "usage") : nullptr;
  if (counts == nullptr) return std::nullopt;
  Usage usage;
  usage.cache_read = count_at(*counts, "cached_input_tokens");
  usage.input = std::max<std::int64_t>(0, count_at(*counts, "input_tokens") - usage.cache_read);
  usage.output = count_at(*counts, "output_tokens");
  return usage;
}

// gemini: tokens by model, or the sums of a stream. The prompt includes what was cached.
std::optional<Usage> of_gemini(const Json& json, std::optional<std::string>& model) {
  const Json* stats = object_at(json, "stats");
  const bool is_answer = json.contains("response") || json.contains("error") || text_at(json, "type") == "result";
  if (stats == nullptr || !is_answer) return std::nullopt;
  Usage usage;
  const Json* models = object_at(*stats, "models");
  if (models == nullptr || models->empty()) {
    usage.cache_read = count_at(*stats, "cached");
    usage.input = std::max<std::int64_t>(0, count_at(*stats, "input_tokens") - usage.cache_read);
    usage.output = count_at(*stats, "output_tokens");
    return usage;
  }
  if (models->size() == 1) model = models->begin().key();
  for (const auto& entry : models->items()) {
    const Json* tokens = entry.value().is_object() ? object_at(entry.value(), "tokens") : nullptr;
    if (tokens == nullptr) continue;
    const std::int64_t cached = count_at(*tokens, "cached");
    usage.cache_read += cached;
    usage.input += std::max<std::int64_t>(0, count_at(*tokens, "prompt") - cached) + count_at(*tokens, "tool");
    usage.output += count_at(*tokens, "candidates") + count_at(*tokens, "thoughts");
  }
  return usage;
}

// opencode: one line for each step.
std::optional<Usage> of_opencode(const Json& json) {
  const Json* part = text_at(json, "type") == "step_finish" ? object_at(json, "part") : nullptr;
  const Json* tokens = part != nullptr ? object_at(*part, "tokens") : nullptr;
  if (tokens == nullptr) return std::nullopt;
  Usage usage;
  usage.input = count_at(*tokens, "input");
  usage.output = count_at(*tokens, "output") + count_at(*tokens, "reasoning");
  if (const Json* cache = object_at(*tokens, "cache")) {
    usage.cache_read = count_at(*cache, "read");
    usage.cache_written = count_at(*cache, "write");
  }
  usage.usd = dollars_at(*part, "cost");
  return usage;
}

// The last text of an agent.
std::optional<std::string> answer_in(const Json& json) {
  const std::string type = text_at(json, "type");
  if (type == "result" && json.contains("total_cost_usd")) return text_at(json, "result");
  if (type.empty() && json.contains("response") && object_at(json, "stats") != nullptr)
    return text_at(json, "response");
  const Json* item = type == "item.completed" ? object_at(json, "item") : nullptr;
  if (item != nullptr && text_at(*item, "type") == "agent_message") return text_at(*item, "text");
  const Json* part = type == "text" && json.contains("sessionID") ? object_at(json, "part") : nullptr;
  return part != nullptr ? std::optional(text_at(*part, "text")) : std::nullopt;
}

}  // namespace

template <class Visit>
void ProgramUsage::Lines::add(std::string_view piece, const Visit& visit) {
  while (!piece.empty()) {
    if (!is_inside) {
      std::size_t at = piece.find(first);
      while (at != std::string_view::npos && !(at == 0 ? is_line_start : piece[at - 1] == '\n')) {
        at = piece.find(first, at + 1);
      }
      if (at == std::string_view::npos) {
        is_line_start = piece.back() == '\n';
        return;
      }
      piece.remove_prefix(at);
      is_inside = true;
    }
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (rest.size() + part.size() > kLongest) is_too_long = true;
    if (!is_too_long) rest += part;
    if (end == std::string_view::npos) return;
    piece.remove_prefix(end + 1);
    if (!is_too_long) visit(rest);
    rest.clear();
    is_too_long = is_inside = false;
    is_line_start = true;
  }
}

void ProgramUsage::read_out(std::string_view piece) {
  if (document_.size() + piece.size() > kLongest) is_document_ = false;
  if (is_document_) document_ += piece;
  const std::size_t start = document_.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && document_[start] != '{') is_document_ = false;
  if (!is_document_) document_.clear();
  out_.add(piece, [&](std::string_view line) { read_line(line); });
}

void ProgramUsage::read_err(std::string_view piece) {
  err_.add(piece, [&](std::string_view line) { read_note(line); });
}

void ProgramUsage::read_note(std::string_view line) {
  if (!line.starts_with(kNote)) return;
  const auto json = object_in(line.substr(kNote.size()));
  if (!json) return;
  noted_ += parse_usage(dump_line(*json));
  has_notes_ = true;
}

void ProgramUsage::read_line(std::string_view line) {
  const auto json = object_in(line);
  if (!json) return;
  if (auto answer = answer_in(*json)) answer_ = std::move(answer);
  auto usage = of_claude(*json);
  if (!usage) usage = of_codex(*json);
  if (!usage) usage = of_gemini(*json, model_);
  if (!usage) usage = of_opencode(*json);
  if (!usage) return;
  counted_ += *usage;
  has_counts_ = true;
}

// gemini prints one document of many lines.
void ProgramUsage::read_document() {
  if (!is_document_ || has_counts_) return;
  const auto json = object_in(document_);
  if (!json) return;
  if (auto answer = answer_in(*json)) answer_ = std::move(answer);
  if (const auto usage = of_gemini(*json, model_)) counted_ = *usage;
  else if (const auto other = of_claude(*json)) counted_ = *other;
}

Usage ProgramUsage::usage() {
  out_.add("\n", [&](std::string_view line) { read_line(line); });
  err_.add("\n", [&](std::string_view line) { read_note(line); });
  read_document();
  return has_notes_ ? noted_ : counted_;
}

}  // namespace team
