#include "libteam/agent/model/memory.h"

#include <nlohmann/json.hpp>

#include "libteam/base/clock.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr JsonLimits kLimits = {.bytes = std::size_t{512} << 20};

Json to_json(const std::vector<Message>& messages) {
  Json list = Json::array();
  for (const Message& message : messages) {
    list.push_back(
        {{"id", message.id}, {"type", message.type}, {"sender", message.sender}, {"summary", message.summary}});
    if (message.automatic) list.back()["auto"] = true;
  }
  return list;
}

// `turns` and `longest` of a line that cuts. None if the line is malformed: apply() refuses it later.
std::optional<std::pair<std::size_t, std::size_t>> find_cut(std::string_view line) {
  try {
    const Json json = parse_json(line, "transcript", kLimits);
    const auto turns = json.find("turns");
    const auto longest = json.find("longest");
    const auto is_number = [&](auto found) { return found != json.end() && found->is_number_unsigned(); };
    if (is_number(turns) && is_number(longest)) {
      return std::pair(turns->get<std::size_t>(), longest->get<std::size_t>());
    }
  } catch (const Error&) {
    // apply() refuses it.
  }
  return std::nullopt;
}

}  // namespace

Memory::Memory(TranscriptFile file, std::string identity) : file_(std::move(file)), dialogue_(std::move(identity)) {
  resume();
}

// put() writes the type near the beginning of a line. If somebody moved it by editing, this only costs memory.
Memory::Outline Memory::outline() const {
  constexpr std::size_t kBeginning = 200;
  constexpr std::string_view kType = "\"type\":\"";
  Outline outline;
  std::size_t number = 0;
  file_.each([&](std::string_view line) {
    ++number;
    const std::size_t key = line.substr(0, kBeginning).find(kType);
    const std::string_view type = key == std::string_view::npos ? "" : line.substr(key + kType.size());
    if (type.starts_with("summary\"")) {
      outline = {number, {}};
    } else if (type.starts_with("cut\"")) {
      if (const auto cut = find_cut(line)) outline.cuts.push_back({number, cut->first, cut->second});
    }
  });
  return outline;
}

void Memory::resume() {
  const Outline outline = this->outline();
  auto next_cut = outline.cuts.begin();
  std::size_t number = 0;
  std::size_t many = 64;  // check again at this many turns
  file_.each([&](std::string_view line) {
    const std::string where = fmt::format("{}:{}", file_.path(), ++number);
    dialogue_.apply(parse_json(line, where, kLimits), where);
    if (number < outline.last_summary && turns().size() > many) {
      dialogue_.drop_old_turns();
      many = 2 * turns().size() + 64;
    }
    if (number <= outline.last_summary) return;
    // A result that a later line cuts is not kept whole until then.
    while (next_cut != outline.cuts.end() && next_cut->line <= number) ++next_cut;
    for (auto later = next_cut; later != outline.cuts.end(); ++later)
      dialogue_.cut_newest(later->turns, later->longest);
  });
}

void Memory::put(const Json& line) {
  Json timed = {{"timestamp", now()}};
  timed.update(line);
  const std::string text = dump_line(timed);
  file_.append(text);
  // The written line counts: it differs from a text that is not UTF-8.
  dialogue_.apply(parse_json(text, file_.path(), kLimits), file_.path());
}

void Memory::begin(const Piece& piece) {
  put({{"type", "work"},
       {"title", piece.title},
       {"phase", piece.phase == Phase::plan ? "plan" : "work"},
       {"task", piece.task ? Json(*piece.task) : Json(nullptr)},
       {"attempts", piece.attempts},
       {"messages", to_json(piece.messages)},
       {"text", piece.prompt}});
}

void Memory::end() {
  if (open()) put({{"type", "end"}});
}

void Memory::hear(const std::vector<Message>& messages, const std::string& text) {
  put({{"type", "mail"}, {"messages", to_json(messages)}, {"text", text}});
}

void Memory::conclude(const std::string& result) { put({{"type", "conclusion"}, {"text", result}}); }

void Memory::tell(const std::string& text) { put({{"type", "note"}, {"text", text}}); }

void Memory::add(const ModelAnswer& answer) {
  const Usage& usage = answer.usage;
  put({{"type", "answer"},
       {"model", answer.model},
       {"stop", answer.stop == ModelAnswer::Stop::too_long  ? "too_long"
                : answer.stop == ModelAnswer::Stop::refused ? "refused"
                : answer.stop == ModelAnswer::Stop::paused  ? "paused"
                                                            : "end"},
       {"usage", Json::parse(to_json_text(usage))},
       {"turn", Json::parse(to_line(Turn{Turn::Role::model, answer.parts}))}});
}

void Memory::answer(const Part& call, const std::string& text, bool is_error) {
  put({{"type", "result"}, {"id", call.id}, {"name", call.name}, {"text", repair_utf8(text)}, {"is_error", is_error}});
}

bool Memory::cut_results(std::size_t keep, std::size_t longest) {
  const std::size_t turns = dialogue_.turns_to_cut(keep, longest);
  if (turns > 0) put({{"type", "cut"}, {"turns", turns}, {"longest", longest}});
  return turns > 0;
}

void Memory::summarize(const std::string& summary, std::size_t longest) {
  put({{"type", "summary"}, {"text", summary}, {"longest", longest}});
}

}  // namespace team
