#include "libteam/agent/model/dialogue.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::size_t kMostRecollected = 2000;

std::vector<Message> parse_messages(const Json* list, std::string_view where) {
  std::vector<Message> messages;
  if (list == nullptr) return messages;
  for (const Json& entry : *list) {
    Fields fields(entry, "", where);
    Message message;
    message.id = fields.text("id").value_or("");
    message.type = fields.text("type").value_or("message");
    message.sender = fields.text("sender").value_or("");
    message.summary = fields.text("summary").value_or("");
    message.automatic = fields.boolean("auto").value_or(false);
    messages.push_back(std::move(message));
  }
  return messages;
}

bool has_results(const Turn& turn) {
  return std::any_of(turn.parts.begin(), turn.parts.end(),
                     [](const Part& part) { return part.kind == Part::Kind::tool_result; });
}

bool is_longer(const std::string& text, std::size_t longest) {
  constexpr std::size_t kRoomToSaySo = 64;
  return text.size() > longest + kRoomToSaySo;
}

// Keeps the first `longest` bytes and says how many there were.
void shorten(std::string& text, std::size_t longest) {
  if (!is_longer(text, longest)) return;
  const std::size_t size = text.size();
  text.resize(longest);
  text.resize(whole_characters(text));
  text += fmt::format("\n[cut: {} bytes were here]", size);
  text.shrink_to_fit();
}

bool says(const std::vector<Turn>& turns, std::string_view text) {
  for (const Turn& turn : turns) {
    for (const Part& part : turn.parts) {
      if (part.kind == Part::Kind::text && part.text == text) return true;
    }
  }
  return false;
}

std::size_t size_of(const Turn& turn) {
  std::size_t size = 0;
  for (const Part& part : turn.parts) size += part.text.size() + part.arguments.size() + part.name.size() + 16;
  return size;
}

}  // namespace

// A summary needs only the last turns and the last texts of the model.
void Dialogue::drop_old_turns() {
  std::size_t start = tail();
  std::size_t said = 0;
  while (start > 0 && said < kMostRecollected) {
    --start;
    if (turns_[start].role != Turn::Role::model) continue;
    for (const Part& part : turns_[start].parts) {
      if (part.kind == Part::Kind::text) said += std::min(part.text.size(), kMostRecollected);
    }
  }
  const std::size_t end = tail();
  for (std::size_t i = start; i < end; ++i) {
    const bool is_model = turns_[i].role == Turn::Role::model;
    std::erase_if(turns_[i].parts, [&](const Part& part) { return !is_model || part.kind != Part::Kind::text; });
  }
  turns_.erase(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(start));
  dropped_ += start;
}

std::optional<std::string> Dialogue::last_word() const {
  if (open_ && open_->conclusion) return open_->conclusion;
  const bool ends = !turns_.empty() && turns_.back().role == Turn::Role::model && is_whole_ && unanswered().empty();
  if (!ends) return std::nullopt;
  std::string text;
  for (const Part& part : turns_.back().parts) text += part.text;
  // An empty answer is no result: the model is asked again.
  if (is_blank(text)) return std::nullopt;
  return text;
}

std::vector<Part> Dialogue::unanswered() const {
  const auto model =
      std::find_if(turns_.rbegin(), turns_.rend(), [](const Turn& turn) { return turn.role == Turn::Role::model; });
  std::vector<Part> calls;
  if (model == turns_.rend()) return calls;
  std::set<std::string> answered;
  for (auto turn = turns_.rbegin(); turn != model; ++turn) {
    for (const Part& part : turn->parts) {
      if (part.kind == Part::Kind::tool_result) answered.insert(part.id);
    }
  }
  for (const Part& part : model->parts) {
    if (part.kind == Part::Kind::tool_call && !answered.contains(part.id)) calls.push_back(part);
  }
  return calls;
}

std::size_t Dialogue::size() const {
  std::size_t size = 0;
  for (const Turn& turn : turns_) size += size_of(turn);
  return size;
}

std::size_t Dialogue::turns_to_cut(std::size_t keep, std::size_t longest) const {
  const std::size_t end = turns_.size() - std::min(keep, turns_.size());
  const bool any =
      std::any_of(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(end), [&](const Turn& turn) {
        return std::any_of(turn.parts.begin(), turn.parts.end(), [&](const Part& part) {
          return part.kind == Part::Kind::tool_result && is_longer(part.text, longest);
        });
      });
  return any ? end : 0;
}

void Dialogue::cut_newest(std::size_t turns, std::size_t longest) {
  if (turns_.size() > turns || turns_.empty() || turns_.back().parts.empty()) return;
  Part& newest = turns_.back().parts.back();
  if (newest.kind == Part::Kind::tool_result) shorten(newest.text, longest);
}

// The start of the turns that must stay: the last turn of the user, with the calls that it answers.
std::size_t Dialogue::tail() const {
  std::size_t start = turns_.size();
  while (start > 0 && turns_[start - 1].role == Turn::Role::model) --start;
  while (start > 0 && turns_[start - 1].role == Turn::Role::user) {
    --start;
    if (has_results(turns_[start])) return start == 0 ? start : start - 1;
    if (start == 0 || turns_[start - 1].role == Turn::Role::model) return start;
  }
  return start;
}

// Replaces a missing summary: the last summary and the later texts of the model, up to a limit.
std::string Dialogue::recollect(const std::vector<Turn>& turns) const {
  std::string text = summary_.substr(0, kMostRecollected);
  text.resize(whole_characters(text));
  std::string said;
  for (auto turn = turns.rbegin(); turn != turns.rend() && said.size() < kMostRecollected; ++turn) {
    if (turn->role != Turn::Role::model) continue;
    for (auto part = turn->parts.rbegin(); part != turn->parts.rend(); ++part) {
      if (part->kind == Part::Kind::text && !part->text.empty())
        said = part->text.substr(0, kMostRecollected) + "\n" + said;
    }
  }
  text += repair_utf8(said);
  return text.empty() ? "(nobody knows any more)" : text;
}

void Dialogue::say(const std::string& text) {
  if (turns_.empty() || turns_.back().role == Turn::Role::model) turns_.push_back({Turn::Role::user, {}});
  Part part;
  part.text = text;
  turns_.back().parts.push_back(std::move(part));
}

void Dialogue::cut(std::size_t end, std::size_t longest) {
  for (std::size_t i = 0; i + dropped_ < end && i < turns_.size(); ++i) {
    for (Part& part : turns_[i].parts) {
      if (part.kind == Part::Kind::tool_result) shorten(part.text, longest);
    }
  }
}

void Dialogue::apply_work(const Json& line, std::string text, std::string_view where) {
  Fields fields(line, "", where);
  const auto messages = parse_messages(fields.array("messages"), where);
  for (const Message& message : messages) heard_.insert(message.id);
  open_ = Piece{fields.text("title").value_or(""),
                fields.text("phase") == "plan" ? Phase::plan : Phase::work,
                fields.integer("task", 1, kLargestTaskId),
                messages,
                text,
                fields.integer("attempts", 0, INT64_MAX).value_or(0)};
  say(text);
}

void Dialogue::summarize(const std::string& text, std::size_t longest) {
  const auto rest = turns_.begin() + static_cast<std::ptrdiff_t>(tail());
  summary_ = text.empty() ? recollect({turns_.begin(), rest}) : text;
  std::vector<Turn> end(rest, turns_.end());
  turns_.clear();
  dropped_ = 0;
  std::string start =
      fmt::format("{}\n\nOur conversation became too long to be kept. What came before:\n\n{}\n", identity_, summary_);
  std::string prompt = open_ ? open_->prompt : "";
  shorten(prompt, longest);
  if (open_ && !says(end, open_->prompt)) start += fmt::format("\nWhat you are at now is this:\n\n{}\n", prompt);
  say(start);
  for (Turn& turn : end) {
    for (Part& part : turn.parts) {
      if (part.kind != Part::Kind::tool_call) shorten(part.text, longest);
      // Arguments must stay JSON. Reasoning has no text and stays whole: services refuse calls without it.
      else if (part.arguments.size() > longest) part.arguments = R"({"cut":"it was too long to be kept"})";
    }
    if (turn.role == turns_.back().role) {
      std::move(turn.parts.begin(), turn.parts.end(), std::back_inserter(turns_.back().parts));
    } else {
      turns_.push_back(std::move(turn));
    }
  }
}

void Dialogue::apply(Json line, std::string_view where) {
  Fields fields(line, "", where);
  const std::string type = fields.text("type").value_or("");
  // A text may have hundreds of megabytes: it is moved, not copied.
  const auto stored = line.find("text");
  const bool is_text = stored != line.end() && stored->is_string();
  std::string text = is_text ? take_text(*stored) : fields.text("text").value_or("");
  if (type == "work") {
    apply_work(line, std::move(text), where);
  } else if (type == "end") {
    open_.reset();
  } else if (type == "mail") {
    for (const Message& message : parse_messages(fields.array("messages"), where)) {
      heard_.insert(message.id);
      if (open_) open_->messages.push_back(message);
    }
    say(text);
  } else if (type == "note") {
    say(text);
  } else if (type == "conclusion") {
    if (open_) open_->conclusion = text;
  } else if (type == "answer") {
    if (fields.object("turn") == nullptr) fields.refuse("turn", "an object");
    turns_.push_back(take_turn(std::move(line["turn"]), where));
    is_whole_ = fields.text("stop").value_or("end") == "end";
  } else if (type == "result") {
    if (turns_.empty() || turns_.back().role == Turn::Role::model) turns_.push_back({Turn::Role::user, {}});
    Part part;
    part.kind = Part::Kind::tool_result;
    part.id = fields.text("id").value_or("");
    part.name = fields.text("name").value_or("");
    part.text = std::move(text);
    part.is_error = fields.boolean("is_error").value_or(false);
    turns_.back().parts.push_back(std::move(part));
  } else if (type == "cut") {
    const auto longest = static_cast<std::size_t>(fields.integer("longest", 0, INT64_MAX).value_or(0));
    cut(static_cast<std::size_t>(fields.integer("turns", 0, INT64_MAX).value_or(0)), longest);
  } else if (type == "summary") {
    const auto longest = static_cast<std::size_t>(fields.integer("longest", 0, INT64_MAX).value_or(0));
    summarize(text, longest);
  } else {
    fields.refuse("type", "a step of a conversation");
  }
}

}  // namespace team
