// The memory of a model: steps give turns, the same lines give the same turns, and a shortened conversation can be
// sent.
#include "libteam/agent/model/memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

constexpr const char* kIdentity = "Remember: You are teammate 'bob' in team 'alpha'.";

class Place {
 public:
  Place() {
    char pattern[] = "/tmp/teamkit-memory-XXXXXX";
    path_ = ::mkdtemp(pattern);
    folder_ = Folder::find(path_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path_); }

  Memory open() const { return {TranscriptFile(*folder_, "bob", Durability::process), kIdentity}; }
  std::string text() const {
    std::ifstream file(file_path(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void write(const std::string& text) const { std::ofstream(file_path(), std::ios::binary) << text; }

 private:
  std::string file_path() const { return path_ + "/bob_transcript.jsonl"; }
  std::string path_;
  std::optional<Folder> folder_;
};

Part text_part(std::string text) {
  Part part;
  part.text = std::move(text);
  return part;
}

Part call_part(std::string id, std::string arguments = "{}") {
  Part part;
  part.kind = Part::Kind::tool_call;
  part.id = std::move(id);
  part.name = "bash";
  part.arguments = std::move(arguments);
  return part;
}

ModelAnswer answer_of(std::vector<Part> parts) {
  ModelAnswer answer;
  answer.parts = std::move(parts);
  answer.model = "m";
  answer.usage = {1, 2, 3, 4};
  return answer;
}

Message message(std::string id, std::string sender = "carol") {
  Message made;
  made.id = std::move(id);
  made.sender = std::move(sender);
  return made;
}

Piece task_piece(std::string prompt = "Do it.") { return {"task 3", Phase::work, 3, {}, std::move(prompt)}; }

// Everything visible of a memory, to compare two of them.
std::string seen(const Memory& memory) {
  std::string all;
  for (const Turn& turn : memory.turns()) all += to_line(turn) + "\n";
  if (const auto& open = memory.open()) {
    all += fmt::format("open {} {} {} {}\n", open->title, static_cast<int>(open->phase), open->task.value_or(0),
                       open->prompt);
    for (const Message& one : open->messages) all += fmt::format("of {} {} {}\n", one.id, one.type, one.sender);
  }
  for (const Part& call : memory.unanswered()) all += "unanswered " + call.id + "\n";
  for (const char* id : {"m1", "m2", "m3"}) all += memory.knows(id) ? "known " : "unknown ";
  return all + memory.last_word().value_or("(no last word)") + fmt::format(" {}", memory.size());
}

// True if a service accepts the turns. They alternate, and the user begins. Every call is answered in the next turn,
// and every result has its call in the turn before. Arguments that were JSON still are.
bool can_be_sent(const Memory& memory) {
  const auto& turns = memory.turns();
  std::vector<std::string> open;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto wanted = i % 2 == 0 ? Turn::Role::user : Turn::Role::model;
    if (turns[i].role != wanted || turns[i].parts.empty()) return false;
    for (const Part& part : turns[i].parts) {
      if (part.kind == Part::Kind::tool_result && std::erase(open, part.id) != 1) return false;
      if (part.kind == Part::Kind::tool_call && !Json::accept(part.arguments)) return false;
    }
    // In the last turn some calls may still run.
    if (!open.empty() && i + 1 < turns.size()) return false;
    for (const Part& part : turns[i].parts) {
      if (part.kind == Part::Kind::tool_call) open.push_back(part.id);
    }
  }
  return open.size() == memory.unanswered().size();
}

using Step = std::function<void(Memory& memory)>;

// A conversation with every kind of step.
std::vector<Step> long_conversation() {
  const auto answers = [](std::string id, std::string text) -> Step {
    return [=](Memory& memory) { memory.answer(call_part(id), text, false); };
  };
  return {
      [](Memory& m) { m.begin(task_piece()); },
      [](Memory& m) {
        m.add(answer_of({text_part("I look."), call_part("c1"), call_part("c2", R"({"a":"ü\n"})")}));
      },
      answers("c1", std::string(500, 'x')),
      answers("c2", "second"),
      [](Memory& m) {
        m.hear({message("m1"), message("m2", "user")}, "<m>one</m>\n<m>two</m>\n");
      },
      [](Memory& m) { m.tell("bash-1 has ended"); },
      [](Memory& m) { m.add(answer_of({call_part("c3")})); },
      [](Memory& m) { m.answer(call_part("c3"), "no such file", true); },
      [](Memory& m) { m.cut_results(1, 100); },
      [](Memory& m) { m.add(answer_of({text_part("Done.")})); },
      [](Memory& m) { m.end(); },
      [](Memory& m) {
        m.begin({"messages", Phase::plan, std::nullopt, {message("m3")}, "<m>three</m>"});
      },
      [](Memory& m) { m.add(answer_of({call_part("c4", R"({"path":")" + std::string(400, 'p') + "\"}")})); },
      answers("c4", std::string(900, 'y')),
      [](Memory& m) { m.summarize("All went well.", 200); },
      [](Memory& m) { m.add(answer_of({text_part("And now?")})); },
      [](Memory& m) { m.tell("go on"); },
      [](Memory& m) { m.add(answer_of({text_part("That is it.")})); },
      [](Memory& m) { m.end(); },
  };
}

void steps_give_turns() {
  const Place place;
  Memory memory = place.open();
  CHECK(memory.turns().empty() && !memory.open() && !memory.last_word() && memory.unanswered().empty());
  memory.end();
  CHECK(place.text().empty());

  memory.begin(task_piece());
  CHECK(memory.turns().size() == 1 && memory.turns()[0].parts[0].text == "Do it.");
  CHECK(memory.open() && memory.open()->task == 3 && memory.open()->title == "task 3");
  CHECK(!memory.last_word());

  memory.add(answer_of({text_part("I look."), call_part("c1"), call_part("c2")}));
  CHECK(memory.turns().size() == 2 && !memory.last_word());
  CHECK(memory.unanswered().size() == 2 && memory.unanswered()[0].id == "c1");

  memory.answer(call_part("c1"), "one", false);
  CHECK(memory.unanswered().size() == 1 && memory.unanswered()[0].id == "c2");
  memory.answer(call_part("c2"), "two \xFF", true);
  CHECK(memory.unanswered().empty() && memory.turns().size() == 3 && memory.turns()[2].parts.size() == 2);
  CHECK(memory.turns()[2].parts[1].is_error && !memory.turns()[2].parts[0].is_error);
  CHECK(memory.turns()[2].parts[1].text == "two \xEF\xBF\xBD");

  memory.hear({message("m1")}, "<m>");
  memory.tell("note");
  CHECK(memory.turns().size() == 3 && memory.turns()[2].parts.size() == 4);

  memory.add(answer_of({text_part("All "), text_part("done.")}));
  CHECK(memory.last_word() == "All done.");
  memory.end();
  CHECK(!memory.open() && memory.last_word() == "All done.");
  const std::string before = place.text();
  memory.end();
  CHECK(place.text() == before);
  CHECK(can_be_sent(memory));
}

void known_messages() {
  const Place place;
  Memory memory = place.open();
  CHECK(!memory.knows("m1"));
  memory.begin({"messages", Phase::work, std::nullopt, {message("m1", "user")}, "<m>"});
  memory.hear({message("m2")}, "<m>");
  CHECK(memory.knows("m1") && memory.knows("m2") && !memory.knows("m3"));
  const auto& messages = memory.open()->messages;
  CHECK(messages.size() == 2 && messages[0].sender == "user" && messages[1].sender == "carol");
  memory.add(answer_of({text_part("yes")}));
  memory.end();
  memory.summarize("short", 10);
  CHECK(memory.knows("m1") && memory.knows("m2"));
  const Memory again = place.open();
  CHECK(again.knows("m1") && again.knows("m2") && !again.knows("m3"));
}

// An incomplete answer does not end the work, neither in memory nor after the file is read again.
void incomplete_answers() {
  for (const auto stop : {ModelAnswer::Stop::refused, ModelAnswer::Stop::too_long}) {
    const Place place;
    Memory memory = place.open();
    memory.begin(task_piece());
    ModelAnswer answer = answer_of({text_part("I will not do that.")});
    answer.stop = stop;
    memory.add(answer);
    CHECK(!memory.last_word() && !place.open().last_word());
    memory.tell("Go on.");
    memory.add(answer_of({text_part("Done.")}));
    CHECK(memory.last_word() == "Done." && place.open().last_word() == "Done.");
  }
  const Place place;
  const std::string start = R"({"type":"work","title":"task 1","phase":"work","task":1,"messages":[],"text":"Do it."})"
                            "\n";
  const std::string turn = R"("turn":{"role":"model","parts":[{"type":"text","text":"I will not."}]}})";
  place.write(start + R"({"type":"answer","stop":"refused",)" + turn + "\n");
  CHECK(place.open().open() && !place.open().last_word());
  // The format from before that key existed.
  place.write(start + R"({"type":"answer",)" + turn + "\n");
  CHECK(place.open().last_word() == "I will not.");
}

// The conclusion of a tool ends the work, whatever follows it.
void conclusions() {
  const Place place;
  Memory memory = place.open();
  memory.begin(task_piece());
  memory.add(answer_of({call_part("c1")}));
  memory.answer(call_part("c1"), "The plan is put.", false);
  CHECK(!memory.last_word());
  memory.conclude("1. read 2. write");
  CHECK(memory.last_word() == "1. read 2. write" && place.open().last_word() == "1. read 2. write");
  memory.end();
  memory.begin(task_piece("Now do it."));
  CHECK(!memory.last_word() && !place.open().last_word());
}

// After each step, a reader of the file gets the same memory as its writer.
void opened_again() {
  const Place place, copy;
  Memory memory = place.open();
  std::vector<std::string> states = {seen(memory)};
  for (const Step& step : long_conversation()) {
    step(memory);
    CHECK(can_be_sent(memory));
    states.push_back(seen(memory));
    CHECK(seen(place.open()) == states.back());
  }
  const std::string text = place.text();
  std::size_t line = 0;
  for (std::size_t end = 0; end != std::string::npos; ++line) {
    copy.write(text.substr(0, end == 0 ? 0 : end + 1));
    CHECK(line < states.size() && seen(copy.open()) == states[line]);
    end = text.find('\n', end == 0 ? 0 : end + 1);
  }
  CHECK(line == states.size());
}

// A killed writer leaves any part of its last line, which is read as if that step had not happened.
void torn_at_any_byte() {
  const Place place;
  Memory memory = place.open();
  memory.begin(task_piece("ü and \"quotes\""));
  const std::string whole = place.text(), state = seen(memory);
  memory.add(answer_of({text_part("Größe\n{}"), call_part("c1", R"({"command":"echo 'ä'"})")}));
  const std::string more = place.text();
  for (std::size_t size = whole.size(); size < more.size(); ++size) {
    place.write(more.substr(0, size));
    Memory again = place.open();
    if (seen(again) != state || place.text() != whole) CHECK(size == 0);
    if (size % 16 != 0) continue;
    again.tell("next");
    CHECK(seen(place.open()) == seen(again));
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    place.write(more.substr(0, size));
    if (!place.open().turns().empty()) CHECK(size == whole.size());
  }
}

void broken_lines() {
  const Place place;
  const auto refuses = [&](const std::string& line) {
    place.write(R"({"type":"note","text":"fine"})"
                "\n" +
                line + "\n");
    return fails_with(Code::corrupt, [&] { place.open(); });
  };
  CHECK(refuses("x"));
  CHECK(refuses(""));
  CHECK(refuses("[]"));
  CHECK(refuses("{}"));
  CHECK(refuses(R"({"type":"else"})"));
  CHECK(refuses(R"({"type":"answer"})"));
  CHECK(refuses(R"({"type":"answer","turn":{"role":"model"}})"));
  CHECK(refuses(R"({"type":"work","text":7})"));
  CHECK(message_of([&] { place.open(); }).find("bob_transcript.jsonl:2") != std::string::npos);
  place.write("{\"type\":\"note\",\"text\":\"fine\",\"unknown\":[1]}\n");
  CHECK(place.open().turns().size() == 1);
}

// Text of others may not be UTF-8. The memory holds it as it will be read from the file.
void invalid_text() {
  const Place place;
  Memory memory = place.open();
  const std::string bad = "a\xFFz\xC3";
  memory.begin(task_piece(bad));
  CHECK(seen(place.open()) == seen(memory));
  memory.hear({message("m1", bad)}, bad);
  memory.tell(bad);
  CHECK(seen(place.open()) == seen(memory));
  memory.add(answer_of({text_part(bad)}));
  memory.summarize(bad, 1000);
  CHECK(seen(place.open()) == seen(memory));
}

void cut_results() {
  const Place place;
  Memory memory = place.open();
  CHECK(!memory.cut_results(0, 0));
  memory.begin(task_piece(std::string(1000, 'p')));
  for (const char* id : {"c1", "c2", "c3"}) {
    memory.add(answer_of({text_part(std::string(1000, 't')), call_part(id)}));
    memory.answer(call_part(id), std::string(999, 'r') + "ü", false);
  }
  const std::string before = place.text();
  CHECK(!memory.cut_results(4, 5000));
  CHECK(!memory.cut_results(7, 10));
  CHECK(!memory.cut_results(100, 10));
  CHECK(place.text() == before);

  const std::size_t size = memory.size();
  CHECK(memory.cut_results(2, 100));
  CHECK(memory.size() < size);
  const auto& turns = memory.turns();
  CHECK(turns[2].parts[0].text.starts_with(std::string(100, 'r') + "\n[cut: 1001 bytes"));
  CHECK(turns[4].parts[0].text.size() < 200 && turns[6].parts[0].text.size() == 1001);
  CHECK(turns[0].parts[0].text.size() == 1000 && turns[1].parts[0].text.size() == 1000);
  CHECK(!memory.cut_results(2, 100));
  CHECK(can_be_sent(memory) && seen(place.open()) == seen(memory));

  // The cut is inside a character.
  memory.answer(call_part("c4"), std::string(99, 'r') + std::string(500, '\0') + "ü", false);
  Memory other = place.open();
  CHECK(seen(other) == seen(memory));
}

void cut_characters_whole() {
  const Place place;
  Memory memory = place.open();
  memory.begin(task_piece());
  memory.add(answer_of({call_part("c1")}));
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "ü";
  memory.answer(call_part("c1"), umlauts, false);
  CHECK(memory.cut_results(0, 101));
  const std::string& text = memory.turns()[2].parts[0].text;
  CHECK(text == repair_utf8(text) && text.starts_with("ü") && text.find("\xBC\n[cut: 600") == 99);
}

std::size_t occurrences(const Memory& memory, std::string_view text) {
  std::size_t count = 0;
  for (const Turn& turn : memory.turns()) {
    for (const Part& part : turn.parts) {
      for (std::size_t at = part.text.find(text); at != std::string::npos; at = part.text.find(text, at + 1)) ++count;
    }
  }
  return count;
}

// A summary at any point leaves a conversation that can be sent, states the identity of the member, and keeps its
// current work.
void summaries_anywhere() {
  const auto story = long_conversation();
  for (std::size_t length = 1; length <= story.size(); ++length) {
    for (const std::size_t longest : {std::size_t{0}, std::size_t{60}, std::size_t{5000}}) {
      const Place place;
      Memory memory = place.open();
      for (std::size_t i = 0; i < length; ++i) story[i](memory);
      const std::size_t unanswered = memory.unanswered().size();
      memory.summarize("It was like this.", longest);
      CHECK(can_be_sent(memory));
      CHECK(memory.unanswered().size() == unanswered);
      CHECK(memory.turns()[0].parts[0].text.starts_with(kIdentity));
      CHECK(occurrences(memory, kIdentity) == 1 || length > 15);
      CHECK(occurrences(memory, "It was like this.") == 1);
      if (memory.open()) CHECK(occurrences(memory, memory.open()->prompt) == 1);
      CHECK(seen(place.open()) == seen(memory));
      for (const Part& call : memory.unanswered()) memory.answer(call, "late", false);
      CHECK(can_be_sent(memory));
      memory.tell("next");
      memory.summarize("", longest);
      CHECK(can_be_sent(memory));
      CHECK(memory.turns()[0].parts[0].text.starts_with(kIdentity));
      CHECK(seen(place.open()) == seen(memory));
    }
  }
}

void summaries_shorten() {
  const Place place;
  Memory memory = place.open();
  memory.begin(task_piece("Write the long file."));
  for (int i = 0; i < 50; ++i) {
    memory.add(answer_of({call_part(fmt::format("c{}", i), R"({"content":")" + std::string(10'000, 'a') + "\"}")}));
    memory.answer(call_part(fmt::format("c{}", i)), std::string(10'000, 'r'), false);
  }
  memory.hear({message("m1")}, std::string(100'000, 'm'));
  const std::size_t lines = split(place.text(), '\n').size();
  memory.summarize("Fifty files were written.", 1000);
  CHECK(memory.size() < 6000);
  CHECK(memory.turns().size() == 3 && can_be_sent(memory));
  CHECK(memory.turns()[1].parts[0].id == "c49");
  CHECK(occurrences(memory, "Write the long file.") == 1);
  // The omitted turns stay on the disk.
  CHECK(split(place.text(), '\n').size() == lines + 1);

  // A prompt that is itself too long.
  Place second;
  Memory other = second.open();
  other.begin(task_piece(std::string(200'000, 'p')));
  other.add(answer_of({call_part("c1")}));
  other.answer(call_part("c1"), "ok", false);
  other.summarize(std::string(300, 's'), 500);
  CHECK(other.size() < 2500 && can_be_sent(other));
  CHECK(other.open()->prompt.size() == 200'000);
  CHECK(other.turns()[0].parts[0].text.find("What you are at now") != std::string::npos);
}

// Without a summary, the model's own texts take its place.
void no_summary() {
  const Place place;
  Memory memory = place.open();
  memory.begin(task_piece());
  for (const char* id : {"c1", "c2", "c3"}) {
    memory.add(answer_of({text_part("The number is 4711."), call_part(id)}));
    memory.answer(call_part(id), std::string(500, 'x'), false);
  }
  memory.summarize("", 100);
  CHECK(occurrences(memory, "4711") > 0 && occurrences(memory, "nobody knows") == 0);
  CHECK(can_be_sent(memory) && seen(place.open()) == seen(memory));
  // The last summary is kept, too.
  memory.summarize("The colour is red.", 100);
  memory.add(answer_of({text_part("And the size is 9."), call_part("c4")}));
  memory.answer(call_part("c4"), "ok", false);
  memory.add(answer_of({call_part("c5")}));
  memory.answer(call_part("c5"), "ok", false);
  memory.summarize("", 100);
  CHECK(occurrences(memory, "red") == 1 && occurrences(memory, "size is 9") == 1);
  CHECK(can_be_sent(memory) && seen(place.open()) == seen(memory));
}

void huge_lines() {
  constexpr std::size_t kHuge = 10'000'000;
  const Place place;
  {
    Memory memory = place.open();
    memory.begin(task_piece(std::string(kHuge, 'p')));
    memory.add(answer_of({call_part("c1", R"({"content":")" + std::string(kHuge, 'a') + "\"}")}));
    memory.answer(call_part("c1"), std::string(kHuge, '\x01'), false);
    memory.hear({message("m1")}, std::string(kHuge, '"'));
  }
  Memory again = place.open();
  CHECK(again.turns().size() == 3 && again.size() > 4 * kHuge);
  CHECK(again.turns()[0].parts[0].text.size() == kHuge);
  CHECK(again.turns()[1].parts[0].arguments.size() == kHuge + 14);
  CHECK(again.turns()[2].parts[0].text == std::string(kHuge, '\x01'));
  CHECK(again.turns()[2].parts[1].text.size() == kHuge);
  again.summarize("big", 1000);
  CHECK(again.size() < 10'000 && can_be_sent(again));
  CHECK(seen(place.open()) == seen(again));
}

// The peak memory of this process, in bytes.
std::size_t peak() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) << 10;
}

// The additional memory that a process needs to open the transcript. It uses a separate process with little memory,
// because a peak never decreases.
std::size_t cost_of_opening(const Place& place) {
  int ends[2];
  if (::pipe(ends) != 0) return SIZE_MAX;
  const pid_t child = ::fork();
  if (child == 0) {
    const std::size_t before = peak();
    const Memory memory = place.open();
    const std::size_t cost = peak() - before;
    ::_exit(::write(ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
  }
  std::size_t cost = SIZE_MAX;
  if (::read(ends[0], &cost, sizeof cost) != sizeof cost) cost = SIZE_MAX;
  ::close(ends[0]);
  ::close(ends[1]);
  ::waitpid(child, nullptr, 0);
  return cost;
}

std::string line(const char* type, const std::string& rest) {
  return fmt::format("{{\"timestamp\":1,\"type\":\"{}\"{}}}\n", type, rest);
}

// A piece of work with `count` calls, each with a result of `bytes` bytes.
void write_calls(const Place& place, std::size_t count, std::size_t bytes, const std::string& end) {
  std::string text = line("work", R"(,"title":"t","phase":"work","task":null,"attempts":0,"messages":[],"text":"Go.")");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string parts = fmt::format(
        R"([{{"type":"text","text":"Step {}."}},{{"type":"tool_call","id":"{}","name":"bash","arguments":"{{}}"}}])", i,
        i);
    text += line("answer", fmt::format(R"(,"stop":"end","turn":{{"role":"model","parts":{}}})", parts));
    text += line("result", fmt::format(R"(,"id":"{}","name":"bash","text":"{}")", i, std::string(bytes, 'x')));
  }
  place.write(text + end);
}

// Opening a transcript never needs much more memory than the memory keeps.
void memory_needed_to_open() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return;  // a sanitizer keeps freed memory
#endif
#endif
  constexpr std::size_t kMany = 400, kBytes = 40'000, kAll = kMany * kBytes;
  const Place place;
  write_calls(place, 1, kAll, "");
  CHECK(cost_of_opening(place) < 5 * kAll / 2);
  write_calls(place, kMany, kBytes, "");
  CHECK(cost_of_opening(place) < 3 * kAll / 2);
  write_calls(place, kMany, kBytes, line("cut", R"(,"turns":799,"longest":100)"));
  CHECK(cost_of_opening(place) < kAll / 4);
  CHECK(place.open().size() < kAll / 10);
  write_calls(place, kMany, kBytes, line("summary", R"(,"text":"","longest":100)"));
  CHECK(cost_of_opening(place) < kAll / 4);
  CHECK(place.open().size() < kAll / 10 && occurrences(place.open(), "Step 398.") == 1);
}

// Opened repeatedly while it grows, the memory is the same as one that was never closed.
void long_conversations() {
  const Place place;
  Memory memory = place.open();
  memory.begin(task_piece());
  for (int i = 0; i < 300; ++i) {
    const std::string id = std::to_string(i);
    memory.add(answer_of({text_part("Step " + id + "."), call_part(id)}));
    memory.answer(call_part(id), std::string(500, 'x'), false);
    if (i % 70 == 69) memory.cut_results(10, 50 + static_cast<std::size_t>(i % 3));
    if (i == 150 || i == 250) memory.summarize(i == 250 ? "" : "Half of it.", 100);
    if (i % 37 == 0 || i == 151 || i == 299) CHECK(seen(place.open()) == seen(memory));
  }
}

}  // namespace

int main() {
  memory_needed_to_open();  // first, because memory used by other tests stays part of the peak
  steps_give_turns();
  known_messages();
  incomplete_answers();
  conclusions();
  opened_again();
  torn_at_any_byte();
  broken_lines();
  invalid_text();
  cut_results();
  cut_characters_whole();
  summaries_anywhere();
  summaries_shorten();
  no_summary();
  huge_lines();
  long_conversations();
  return test::report();
}
