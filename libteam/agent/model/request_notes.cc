#include "libteam/agent/model/request_notes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/system/id.h"

namespace team {

namespace {

// FNV-1a: it distinguishes texts and does not protect them. It includes the lengths, so that no two lists of texts have
// the same input.
class Digest {
 public:
  Digest& add(std::string_view text) {
    for (std::size_t rest = text.size(), i = 0; i < 8; ++i, rest >>= 8) mix(static_cast<unsigned char>(rest & 0xFF));
    for (const char c : text) mix(static_cast<unsigned char>(c));
    return *this;
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  void mix(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

std::string in_short(const Turn& turn) {
  constexpr std::size_t kLongest = 200;
  std::vector<std::string> parts;
  for (const Part& part : turn.parts) {
    if (part.kind == Part::Kind::reasoning) continue;
    const std::string_view text = part.kind == Part::Kind::tool_call ? part.arguments : part.text;
    const std::string begin = cut_characters(one_line(text.substr(0, 4 * kLongest)), kLongest);
    if (part.kind == Part::Kind::text) parts.push_back(begin);
    else if (part.kind == Part::Kind::tool_call) parts.push_back(fmt::format("calls {} {}", part.name, begin));
    else parts.push_back(fmt::format("{} of {}: {}", part.is_error ? "error" : "result", part.name, begin));
  }
  return cut_characters(fmt::format("{}: {}", turn.role == Turn::Role::user ? "user" : "model", join(parts, " | ")),
                        kLongest);
}

std::string shape_of(const Turn& turn) {
  std::vector<std::string> parts;
  for (const Part& part : turn.parts) {
    if (part.kind == Part::Kind::tool_call) parts.push_back("calls " + one_line(part.name));
    if (part.kind != Part::Kind::tool_result) continue;
    parts.push_back(fmt::format("{} of {}", part.is_error ? "error" : "result", one_line(part.name)));
  }
  return join(parts, ", ");
}

// Ids differ from run to run.
std::string without_ids(std::string text) {
  constexpr std::size_t kIdLength = 26;
  for (std::size_t at = 0; at + kIdLength <= text.size(); ++at) {
    if (is_id(std::string_view(text).substr(at, kIdLength))) text.replace(at, kIdLength, "ID");
  }
  return text;
}

// A recording can be replayed in another folder, although the system prompt names the folder.
std::string without_folder(std::string text) {
  const std::string folder = std::filesystem::current_path();
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at + 1)) {
    text.replace(at, folder.size(), ".");
  }
  return text;
}

// The first line in which two texts differ.
std::string differing_line(const std::string& recorded, const std::string& now) {
  constexpr std::size_t kLongest = 120;
  const auto before = split(recorded, '\n');
  const auto after = split(now, '\n');
  std::size_t line = 0;
  while (line < before.size() && line < after.size() && before[line] == after[line]) ++line;
  const auto show = [&](const std::vector<std::string>& lines) {
    return line < lines.size() ? fmt::format("'{}'", cut_characters(one_line(lines[line]), kLongest)) : "nothing";
  };
  return fmt::format("line {} was {}, is {}", line + 1, show(before), show(after));
}

}  // namespace

RequestNotes notes_on(const ModelRequest& request) {
  RequestNotes notes;
  notes.system = without_folder(repair_utf8(request.system));
  Digest tools;
  for (const ToolSpec& tool : request.tools) tools.add(tool.name).add(tool.description).add(tool.schema);
  notes.tools = tools.text();
  notes.present = repair_utf8(request.present);
  Digest all;
  all.add(notes.system).add(notes.tools).add(notes.present);
  for (const Turn& turn : request.turns) {
    const std::string line = to_line(turn);
    notes.turns.push_back({Digest().add(line).text(), in_short(turn), shape_of(turn), line.size()});
    all.add(notes.turns.back().digest);
  }
  notes.digest = all.text();
  return notes;
}

std::optional<std::string> difference_in_shape(const RequestNotes& recorded, const RequestNotes& now) {
  if (!recorded.turns.empty() && !now.turns.empty()) {
    const std::string before = without_ids(recorded.turns[0].says), after = without_ids(now.turns[0].says);
    if (before != after) return fmt::format("turn 1 was '{}', is '{}'", before, after);
  }
  if (recorded.turns.size() != now.turns.size()) {
    return fmt::format("{} turns, not {}", now.turns.size(), recorded.turns.size());
  }
  for (std::size_t i = 0; i < now.turns.size(); ++i) {
    const auto& before = recorded.turns[i];
    const auto& after = now.turns[i];
    if (before.shape == after.shape) continue;
    return fmt::format("turn {} had '{}', has '{}': '{}'", i + 1, before.shape, after.shape, after.says);
  }
  return std::nullopt;
}

std::string difference(const RequestNotes& recorded, const RequestNotes& now) {
  const std::size_t both = std::min(recorded.turns.size(), now.turns.size());
  for (std::size_t i = 0; i < both; ++i) {
    const auto& before = recorded.turns[i];
    const auto& after = now.turns[i];
    if (before.digest == after.digest) continue;
    const std::string how = before.says == after.says
                                ? fmt::format("begins alike, but has {} bytes, not {}", after.bytes, before.bytes)
                                : fmt::format("was '{}', is '{}'", before.says, after.says);
    return fmt::format("turn {} {}", i + 1, how);
  }
  if (recorded.turns.size() != now.turns.size()) {
    const bool longer = now.turns.size() > both;
    const auto& extra = longer ? now.turns[both] : recorded.turns[both];
    return fmt::format("{} turns, not {}: turn {}, '{}', is {}", now.turns.size(), recorded.turns.size(), both + 1,
                       extra.says, longer ? "new" : "missing");
  }
  if (recorded.system != now.system) return "the system prompt: " + differing_line(recorded.system, now.system);
  if (recorded.present != now.present) return "the state of the team: " + differing_line(recorded.present, now.present);
  if (recorded.tools != now.tools) return "the tools are other ones";
  return "nothing that was recorded";
}

}  // namespace team
