// Recording and replaying a conversation.
#include "libteam/agent/model/replay.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/check.h"

using namespace team;
using Kind = ModelError::Kind;
using test::fails_with;

namespace {

class Recording {
 public:
  Recording() {
    char pattern[] = "/tmp/teamkit-replay-XXXXXX";
    folder_ = ::mkdtemp(pattern);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/calls.jsonl"; }
  std::string text() const {
    std::ifstream file(path());
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void write(const std::string& text) const { std::ofstream(path()) << text; }

 private:
  std::string folder_;
};

Part text(std::string words) {
  Part part;
  part.text = std::move(words);
  return part;
}

Part call(std::string arguments) {
  Part part;
  part.kind = Part::Kind::tool_call;
  part.id = "c1";
  part.name = "bash";
  part.arguments = std::move(arguments);
  return part;
}

Turn user(std::string words) { return {Turn::Role::user, {text(std::move(words))}}; }

// Answers the n-th request with "answer n" and a call, or fails with the n-th error.
class Counting : public Provider {
 public:
  explicit Counting(std::vector<std::optional<ModelError>> errors = {}) : errors_(std::move(errors)) {}
  ModelAnswer ask(const ModelRequest&, int, const Hear& hear) override {
    const std::size_t number = count_++;
    if (number < errors_.size() && errors_[number]) throw ModelError(*errors_[number]);
    const std::string words = fmt::format("answer {}", number + 1);
    hear(words);
    return {{text(words), call("{\"broken")}, ModelAnswer::Stop::tool_calls, {1, 2, 3, 4}, "m", "", ""};
  }

 private:
  std::vector<std::optional<ModelError>> errors_;
  std::size_t count_ = 0;
};

ModelRequest opening() {
  ModelRequest request;
  request.system = "You are one.\nThe board:\n- task 1";
  request.tools = {{"bash", "runs", "{}"}};
  request.turns = {user("Begin.")};
  return request;
}

// Asks `times` times, each time with the previous answer and another text of the user. Returns the output or the error.
std::string talk(Provider& provider, ModelRequest request, int times) {
  std::string said;
  for (int i = 0; i < times; ++i) {
    try {
      const ModelAnswer answer = provider.ask(request, -1, [&](std::string_view words) { said += words; });
      said += ";";
      request.turns.push_back({Turn::Role::model, answer.parts});
    } catch (const ModelError& error) {
      said += fmt::format("[{}: {}]", error.kind() == Kind::final ? "final" : "other", error.what());
      request.turns.push_back({Turn::Role::model, {text("failed")}});
    }
    request.turns.push_back(user(fmt::format("Go on {}.", i)));
  }
  return said;
}

void record(const Recording& recording, int times, std::vector<std::optional<ModelError>> errors = {}) {
  RecordingProvider recorder(std::make_unique<Counting>(std::move(errors)), recording.path());
  talk(recorder, opening(), times);
}

std::string replay(const Recording& recording, const ModelRequest& request, int times) {
  ReplayingProvider player(recording.path());
  return talk(player, request, times);
}

bool contains(const std::string& whole, std::string_view part) { return whole.find(part) != std::string::npos; }

void round_trips() {
  const Recording recording;
  record(recording, 3);
  CHECK(replay(recording, opening(), 3) == "answer 1;answer 2;answer 3;");
  struct stat status {};
  CHECK(::stat(recording.path().c_str(), &status) == 0 && (status.st_mode & 0777) == 0600);
  ReplayingProvider player(recording.path());
  const ModelAnswer answer = player.ask(opening(), -1, {});
  CHECK(answer.stop == ModelAnswer::Stop::tool_calls && answer.model == "m" && answer.parts.size() == 2);
  CHECK(answer.parts[1].name == "bash" && answer.parts[1].id == "c1" && answer.parts[1].arguments == "{\"broken");
  CHECK(answer.usage.input == 1 && answer.usage.output == 2 && answer.usage.cache_read == 3 &&
        answer.usage.cache_written == 4);
  // The requests are readable in the file, each part once.
  const std::string lines = recording.text();
  for (const char* once : {"user: Begin.", "You are one."}) {
    CHECK(contains(lines, once) && lines.find(once) == lines.rfind(once));
  }
}

void digests() {
  const std::string digest = notes_on(opening()).digest;
  CHECK(digest == notes_on(opening()).digest && digest.size() == 16);
  ModelRequest other = opening();
  other.max_tokens = 1;
  CHECK(notes_on(other).digest == digest);
  other = opening();
  other.system += " ";
  CHECK(notes_on(other).digest != digest);
  other = opening();
  other.tools[0].schema = "{ }";
  CHECK(notes_on(other).digest != digest);
  other = opening();
  other.turns[0].parts.push_back(text(""));
  CHECK(notes_on(other).digest != digest);
}

void differences() {
  const Recording recording;
  record(recording, 2);
  const std::string begin = "[final: " + recording.path() + ":1: the conversation went another way: ";
  ModelRequest other = opening();
  other.turns = {user("Start.")};
  CHECK(replay(recording, other, 1) == begin + "turn 1 was 'user: Begin.', is 'user: Start.']");
  other.turns = {user(std::string(300, 'x') + "y")};
  Recording long_one;
  {
    RecordingProvider recorder(std::make_unique<Counting>(), long_one.path());
    talk(recorder, other, 1);
  }
  other.turns = {user(std::string(300, 'x') + "yz")};
  const std::size_t bytes = to_line(other.turns[0]).size();
  CHECK(contains(replay(long_one, other, 1),
                 fmt::format("turn 1 begins alike, but has {} bytes, not {}", bytes, bytes - 1)));
  other = opening();
  other.turns.push_back({Turn::Role::model, {text("Yes.")}});
  CHECK(contains(replay(recording, other, 1), "2 turns, not 1: turn 2, 'model: Yes.', is new"));
  other = opening();
  other.system = "You are one.\nThe board:\n- task 2";
  CHECK(contains(replay(recording, other, 1), "the system prompt: line 3 was '- task 1', is '- task 2'"));
  other.system = "You are one.\nThe board:";
  CHECK(contains(replay(recording, other, 1), "the system prompt: line 3 was '- task 1', is nothing"));
  other = opening();
  other.tools.clear();
  CHECK(contains(replay(recording, other, 1), "the tools are other ones"));

  // A difference in the second call.
  ReplayingProvider player(recording.path());
  player.ask(opening(), -1, {});
  CHECK(contains(talk(player, opening(), 1),
                 ":2: the conversation went another way: 1 turns, not 3: turn 2, 'model: "
                 "answer 1 | calls bash {\"broken', is missing"));
  CHECK(contains(replay(recording, opening(), 3), "answer 1;answer 2;[final: '" + recording.path() +
                                                      "' has 2 calls and this is another one: 'user: Go on 1.'"));
}

// The conversation is shortened in between.
void compaction() {
  const Recording recording;
  ModelRequest summary = opening();
  summary.turns = {user("In short: all is well.")};
  {
    RecordingProvider recorder(std::make_unique<Counting>(), recording.path());
    talk(recorder, opening(), 3);
    talk(recorder, summary, 2);
  }
  ReplayingProvider player(recording.path());
  CHECK(talk(player, opening(), 3) == "answer 1;answer 2;answer 3;");
  CHECK(talk(player, summary, 2) == "answer 4;answer 5;");
  ReplayingProvider other(recording.path());
  talk(other, opening(), 3);
  summary.turns = {user("In short: all is lost.")};
  CHECK(contains(talk(other, summary, 1),
                 "turn 1 was 'user: In short: all is well.', is 'user: In short: all is lost.'"));
}

void errors() {
  const Recording recording;
  record(recording, 3, {std::nullopt, ModelError(Kind::window_full, "too long"), std::nullopt});
  CHECK(replay(recording, opening(), 3) == "answer 1;[other: too long]answer 3;");
  ReplayingProvider player(recording.path());
  ModelRequest request = opening();
  request.turns.push_back({Turn::Role::model, player.ask(request, -1, {}).parts});
  request.turns.push_back(user("Go on 0."));
  try {
    player.ask(request, -1, {});
    CHECK(false);
  } catch (const ModelError& error) {
    CHECK(error.kind() == Kind::window_full);
  }
  // An interruption is not recorded.
  const Recording interrupted;
  record(interrupted, 1, {ModelError(Kind::interrupted, "interrupted")});
  CHECK(interrupted.text().empty());
}

void restarts() {
  // A process that died during a write left a torn line and asked again.
  const Recording torn;
  record(torn, 1);
  torn.write(torn.text().substr(0, torn.text().size() / 2));
  record(torn, 2);
  CHECK(replay(torn, opening(), 2) == "answer 1;answer 2;");
  // A process that died before the answer arrived asked again, too.
  const Recording recording;
  record(recording, 1);
  record(recording, 2);
  CHECK(replay(recording, opening(), 2) == "answer 1;answer 2;");
  // A process that is restarted during a replay finds its position.
  ReplayingProvider player(recording.path());
  ModelRequest request = opening();
  request.turns.push_back({Turn::Role::model, player.ask(request, -1, {}).parts});
  request.turns.push_back(user("Go on 0."));
  ReplayingProvider restarted(recording.path());
  CHECK(talk(restarted, request, 1) == "answer 2;");
}

void refusals() {
  const Recording recording;
  CHECK(fails_with(Code::not_found, [&] { ReplayingProvider player(recording.path()); }));
  recording.write("");
  CHECK(fails_with(Code::corrupt, [&] { ReplayingProvider player(recording.path()); }));
  recording.write("{\"digest\":\"x\"}\n");
  CHECK(fails_with(Code::corrupt, [&] { ReplayingProvider player(recording.path()); }));
  recording.write("{\"digest\":\"x\",\"answer\":{\"stop\":\"never\"}}\n");
  CHECK(fails_with(Code::corrupt, [&] { ReplayingProvider player(recording.path()); }));
  CHECK(fails_with(Code::io, [] { RecordingProvider recorder(nullptr, "/nowhere/at/all"); }));
}

}  // namespace

int main() {
  round_trips();
  digests();
  differences();
  compaction();
  errors();
  restarts();
  refusals();
  return test::report();
}
