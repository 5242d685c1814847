// The same random history of sessions on several stores, in files, in PostgreSQL and in memory: tasks, messages,
// requests, members, settings, lives and whole teams. Every answer is the same, with the code and the text of each
// refusal. ENGINE_HISTORIES sets the number of histories, ENGINE_SEED the first seed. TEAMKIT_POSTGRES is the address
// of a server for tests; without it PostgreSQL is left out.
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <random>

#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/record/actor.h"
#include "libteam/store/memory/memory_engine.h"
#include "libteam/store/team_session.h"
#include "tests/unit/answer_text.h"
#include "tests/unit/check.h"
#include "tests/unit/postgres.h"
#include "tests/unit/store.h"

using namespace team;

namespace {

constexpr int kSteps = 80;
const std::vector<std::string> kNames = {"lead", "ann", "bob", "user"};

std::string text_of(const std::vector<Task>& tasks) {
  std::string text;
  for (const Task& task : tasks) text += to_file(task);
  return text;
}

std::string text_of(const TaskUpdate& update) {
  return to_file(update.changed.task) + text_of(update.changed.freed) + update.trouble;
}

std::string text_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) text += to_line(message) + "\n";
  return text;
}

// One store, with a session of each actor and one without a team.
class World : public test::AnswerText {
 public:
  explicit World(const Engine& given) : engine(given) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  TeamSession& session(const std::string& name, const std::optional<std::string>& run) {
    auto& found = sessions[name + " " + run.value_or("")];
    if (!found) found = std::make_unique<TeamSession>(engine, "alpha", make_actor(name, run, nullptr));
    return *found;
  }
  // The answer without the place of the store.
  std::string comparable(std::string text) {
    const std::string& place = engine.place();
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place)) {
      text.replace(at, place.size(), "STORE");
    }
    // "for 2 s": one store may be asked a moment later.
    for (std::size_t at = text.find("for "); at != std::string::npos; at = text.find("for ", at + 4)) {
      while (at + 4 < text.size() && text[at + 4] >= '0' && text[at + 4] <= '9') text.erase(at + 4, 1);
    }
    return normalize(text);
  }
  TeamSession& without_team() {
    if (!alone)
      alone = std::make_unique<TeamSession>(engine, nullptr, make_actor("user", {}, nullptr), Missing::refuse);
    return *alone;
  }

  const Engine& engine;
  std::map<std::string, std::unique_ptr<TeamSession>> sessions;
  std::unique_ptr<TeamSession> alone;
  std::map<std::string, std::unique_ptr<HeldLife>> lives;
};

class History {
 public:
  // `postgres` is an empty store, or null.
  History(unsigned seed, const Engine* postgres) : random_(seed) {
    memory_engine_.create(store_.team, nullptr);
    others_.emplace_back("files", std::make_unique<World>(store_.engine));
    if (postgres == nullptr) return;
    postgres->create(store_.team, nullptr);
    others_.emplace_back("PostgreSQL", std::make_unique<World>(*postgres));
  }

  // Returns the difference between two stores; empty if they agree.
  std::string step(std::map<std::string, int>& counts) {
    struct Kind {
      const char* name;
      int weight;
      void (History::*run)();
    };
    static constexpr Kind kKinds[] = {
        {"create", 14, &History::create},
        {"update", 12, &History::update},
        {"end", 14, &History::end},
        {"claim", 8, &History::claim},
        {"claim next", 14, &History::next},
        {"reclaim", 3, &History::reclaim},
        {"remove", 3, &History::remove},
        {"send", 12, &History::send},
        {"receive", 10, &History::receive},
        {"submit a plan", 6, &History::submit},
        {"answer", 8, &History::answer},
        {"acknowledge", 4, &History::acknowledge},
        {"join", 3, &History::join},
        {"leave", 4, &History::leave},
        {"set", 6, &History::set},
        {"begin a life", 5, &History::begin_life},
        {"end a life", 4, &History::end_life},
        {"note an end", 2, &History::note_end},
        {"status", 6, &History::status},
        {"explain", 4, &History::explain},
        {"wait", 3, &History::wait},
        {"events", 5, &History::events},
        {"no team", 6, &History::alone},
        {"make again", 1, &History::make_again},
    };
    int total = 0;
    for (const Kind& kind : kKinds) total += kind.weight;
    int choice = static_cast<int>(below(static_cast<std::size_t>(total)));
    const Kind* chosen = kKinds;
    while (choice >= chosen->weight) choice -= (chosen++)->weight;
    ++counts[chosen->name];
    (this->*chosen->run)();
    return difference_.empty() ? "" : fmt::format("{}: {}", chosen->name, difference_);
  }

  static inline std::int64_t refusals = 0;

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& any_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  TaskId any_task() { return static_cast<TaskId>(1 + below(static_cast<std::size_t>(made_) + 1)); }

  // Runs `call` on all stores and compares the answers.
  void compare(const std::function<std::string(World&)>& call) {
    if (!difference_.empty()) return;
    const auto answer = [&](World& world) {
      try {
        return world.comparable(call(world));
      } catch (const Error& error) {
        ++refusals;
        return world.comparable(fmt::format("{}: {}", name_of(error.code()), error.what()));
      }
    };
    // The model comes last: it follows where an interface leaves a choice.
    std::vector<std::pair<std::string, std::string>> answers;
    for (const auto& [place, world] : others_) answers.emplace_back(place, answer(*world));
    const std::string expected = answer(memory_);
    for (const auto& [place, found] : answers) {
      if (found != expected) difference_ += fmt::format("\n  memory: {}\n  {}: {}", expected, place, found);
    }
  }
  // The same in the session of any actor, which sees the present team.
  void in_session(const std::function<std::string(World&, TeamSession&)>& call) {
    const std::string name = one_in(25) ? "stranger" : any_of(kNames);
    const auto run = one_in(3) ? std::optional<std::string>(one_in(3) ? "second" : "first") : std::nullopt;
    compare([&](World& world) {
      TeamSession& session = world.session(name, run);
      session.refresh();
      return call(world, session);
    });
  }

  void create() {
    std::vector<Draft> drafts;
    for (std::size_t i = 1 + below(2); i > 0; --i) {
      drafts.push_back(test::draft(fmt::format("task {}", below(100))));
      if (made_ > 0 && one_in(3)) drafts.back().task.blocked_by = {any_task()};
      if (one_in(4)) drafts.back().task.owner = any_of(kNames);
      if (one_in(6)) drafts.back().task.role = one_in(2) ? "coder" : "tester";
      drafts.back().task.priority = static_cast<int>(below(3));
    }
    in_session([&](World&, TeamSession& session) {
      const TaskCreation creation = session.tasks().create(drafts);
      made_ = creation.ids.back();
      return fmt::format("{} {} {}", creation.ids.size(), creation.ids.front(), creation.trouble);
    });
  }

  void update() {
    TaskChange change;
    if (one_in(2)) change.owner = one_in(4) ? "" : any_of(kNames);
    if (one_in(3)) change.subject = one_in(9) ? "" : "another subject";
    if (one_in(3)) change.add_blocked_by = {any_task()};
    if (one_in(6)) change.if_rev = 2;
    const TaskId id = any_task();
    in_session([&](World&, TeamSession& session) { return text_of(session.tasks().update(id, change)); });
  }

  // Mostly by the owner.
  void end() {
    const TaskId id = any_task();
    const std::size_t how = below(6);
    const auto end = [&](TeamSession& session) {
      if (how < 4) return text_of(session.tasks().complete(id, "done"));
      return text_of(how == 4 ? session.tasks().fail(id, "why") : session.tasks().release(id, "later", std::nullopt));
    };
    if (one_in(3)) {
      in_session([&](World&, TeamSession& session) { return end(session); });
      return;
    }
    compare([&](World& world) {
      const auto task = world.without_team().view().find(id);
      TeamSession& session =
          world.session(task && task->owner ? *task->owner : "user", task ? task->run : std::nullopt);
      session.refresh();  // the team may have been made again
      return end(session);
    });
  }

  void claim() {
    const TaskId id = any_task();
    in_session([&](World&, TeamSession& session) { return to_file(session.claim(id)); });
  }

  void next() {
    in_session([&](World&, TeamSession& session) {
      const auto claimed = session.claim_next();
      return claimed ? to_file(claimed->task) : "nothing";
    });
  }

  void reclaim() {
    in_session([&](World&, TeamSession& session) { return text_of(session.reclaim()); });
  }

  void remove() {
    const TaskId id = any_task();
    const auto if_rev = one_in(4) ? std::optional<std::int64_t>(1) : std::nullopt;
    in_session([&](World&, TeamSession& session) {
      session.remove(id, if_rev);
      return "removed";
    });
  }

  void send() {
    OutgoingMessage message;
    message.type = any_of<std::string>({"message", "message", "broadcast", "shutdown_request"});
    message.to = message.type == "broadcast" ? "" : one_in(20) ? "stranger" : any_of(kNames);
    message.content = "hello";
    in_session([&](World&, TeamSession& session) {
      const SentMessages sent = session.messages().send(message);
      return text_of(sent.messages) + team::join(sent.absent, ", ");
    });
  }

  void receive() {
    const Taking taking = one_in(3) ? Taking::hold : Taking::acknowledge;
    std::size_t most = 1 + below(4);
    in_session([&](World&, TeamSession& session) {
      std::string text;
      const auto received = session.messages().receive({}, most, taking, [&](const auto& messages) {
        text = text_of(messages);
        most = messages.size();  // a store may give fewer messages than there are
        return true;
      });
      return fmt::format("{}{}", text, received ? received->count : 77);
    });
  }

  void submit() {
    OutgoingMessage plan;
    plan.to = one_in(4) ? "user" : "lead";
    plan.content = "first this, then that";
    in_session([&](World&, TeamSession& session) { return session.messages().submit_plan(plan); });
  }

  // Mostly by the member that was asked.
  void answer() {
    const auto all = memory_engine_.team_of("alpha")->all_requests([](const Error&) {});
    if (all.empty()) return;
    const Request& chosen = any_of(all);
    const std::size_t number = memory_.number_of(chosen.id);
    const std::string name = one_in(5) ? any_of(kNames) : chosen.to;
    const RequestKind kind = one_in(8) ? RequestKind::plan : chosen.kind;
    const bool approve = one_in(2);
    compare([&](World& world) {
      TeamSession& session = world.session(name, std::nullopt);
      session.refresh();
      const auto feedback = approve ? std::nullopt : std::optional<std::string>("no");
      return to_line(session.messages().answer(kind, world.id(number), approve, feedback));
    });
    compare([&](World& world) {
      std::string text;
      world.session("user", {}).refresh();
      for (const Request& request : world.session("user", {}).mail().requests().all([](const Error&) {})) {
        text += to_line(request) + "\n";
      }
      return text;
    });
  }

  void acknowledge() {
    const std::size_t number = below(1000);
    in_session([&](World& world, TeamSession& session) {
      session.messages().acknowledge({world.id(number)});
      return std::to_string(session.messages().unread());
    });
  }

  void join() {
    const std::string name = any_of<std::string>({"carl", "dora", "ann", "Ann", "user", "-"});
    const Recruits recruits{"coder", one_in(2) ? std::optional<std::string>("coder") : std::nullopt, 1, one_in(4)};
    const bool one = one_in(2);
    in_session([&](World&, TeamSession& session) {
      if (!one) return team::join(session.membership().recruit(recruits), ", ");
      session.membership().join(name, std::nullopt);
      return std::string("joined");
    });
  }

  void leave() {
    const std::string name = any_of<std::string>({"carl", "dora", "coder-1", "coder-2", "lead", "bob", "an"});
    in_session([&](World&, TeamSession& session) {
      session.membership().leave({name});
      return "left";
    });
  }

  void set() {
    const std::string key = any_of<std::string>(
        {"exchange.limit", "teammates.max", "tasks.perMember", "rotation.enabled", "exchange.limt"});
    const auto value =
        one_in(5) ? std::nullopt : std::optional<std::string>(any_of<std::string>({"0", "1", "2", "5", "x", "off"}));
    in_session([&](World&, TeamSession& session) {
      session.set(key, value);
      session.refresh();
      return to_line(session.team());
    });
  }

  void begin_life() {
    const std::string name = any_of<std::string>({"ann", "bob", "carl", "coder-1"});
    const bool is_working = one_in(2);
    const bool writes = !one_in(4);
    compare([&](World& world) {
      auto life = world.engine.open_lives("alpha")->take(name);
      const std::string before = life->before() ? std::string(name_of(life->before()->state)) : "none";
      MemberState state;
      state.state = is_working ? State::active : State::idle;
      state.pid = ::getpid();
      if (writes) life->write(state);
      world.lives[name] = std::move(life);
      return fmt::format("{} {}", before, world.lives[name]->is_in_place());
    });
  }

  void end_life() {
    const std::string name = any_of<std::string>({"ann", "bob", "carl", "coder-1"});
    compare([&](World& world) { return fmt::format("{}", world.lives.erase(name)); });
  }

  void note_end() {
    const std::string name = any_of<std::string>({"ann", "bob", "carl"});
    if (memory_.lives.contains(name)) return;
    compare([&](World& world) {
      const auto event = world.engine.open_lives("alpha")->note_end(name, "was killed");
      return event ? event->type + event->details : "none";
    });
  }

  void status() {
    in_session([&](World&, TeamSession& session) {
      return to_line(session.status([](TaskId, const Error&) {})) + team::join(session.digest(), "\n");
    });
  }

  // The texts tell how long something lasts.
  void explain() {
    const TaskId id = any_task();
    in_session([&](World&, TeamSession& session) {
      std::string text;
      for (const Reason& reason : session.explain(id)) text += fmt::format("{} {}, ", reason.task, reason.kind);
      return text;
    });
  }

  void wait() {
    const TaskId id = any_task();
    in_session([&](World&, TeamSession& session) {
      std::string text;
      const TaskVisits visits{[&](const Task& task) { text += to_file(task); }, [](TaskId, const Error&) {}};
      const WaitEnd end = session.wait_ended({id}, {.deadline = Deadline::in(0)}, visits);
      return text + std::to_string(static_cast<int>(end.kind));
    });
  }

  void events() {
    const std::size_t most = 1 + below(8);
    in_session([&](World&, TeamSession& session) {
      std::string text = std::to_string(session.mail().events().last_sequence()) + "\n";
      session.mail().events().each_backward([&, left = most](std::string_view line) mutable {
        text.append(line).push_back('\n');
        return --left > 0;
      });
      return text;
    });
  }

  // A board needs no team, and mail needs one.
  void alone() {
    const TaskId id = any_task();
    const std::size_t what = below(5);
    compare([&](World& world) -> std::string {
      TeamSession& session = world.without_team();
      switch (what) {
        case 0: return to_file(session.claim(id));
        case 1: return text_of(session.tasks().complete(id, std::nullopt));
        case 2: return std::to_string(session.explain(id).size());
        case 3: return session.messages().submit_plan({});
        default: return to_line(session.status([](TaskId, const Error&) {}));
      }
    });
  }

  // The team is removed, if nobody lives, and made again; the board stays.
  void make_again() {
    compare([&](World& world) {
      const Team before = world.engine.get("alpha");
      world.engine.remove("alpha");
      const auto names = world.engine.names();
      Team team = store_.team;
      team.settings = before.settings;
      world.engine.create(team, [](const Error&) {});
      return std::to_string(names.size());
    });
    compare([&](World& world) {
      world.engine.create(store_.team, [](const Error&) {});
      return "made twice";
    });
  }

  std::mt19937 random_;
  test::TestStore store_;
  MemoryEngine memory_engine_;
  World memory_{memory_engine_};
  std::vector<std::pair<std::string, std::unique_ptr<World>>> others_;  // the one with the smallest batches first
  TaskId made_ = 0;                                                     // the last task
  std::string difference_;
};

// A session that is older than the team must not change it: it would ask the lives of the removed one.
void leaves_new_team_alone(const Engine& engine, const Team& team) {
  const auto found = std::make_shared<const FoundTeam>(engine.find_team(team.name));
  const TeamSession session(engine, found, make_actor("user", {}, &team), Missing::refuse);
  const Membership members = session.membership();
  engine.remove(team.name);
  engine.create(team, [](const Error&) {});
  const auto life = engine.open_lives(team.name)->take("ann");
  std::optional<Code> code;
  try {
    members.leave({"ann"});
  } catch (const Error& error) {
    code = error.code();
  }
  CHECK(code == Code::not_found && engine.get(team.name).find("ann") != nullptr);
}

std::int64_t from_environment(const char* name, std::int64_t fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? parse_integer(text).value_or(fallback) : fallback;
}

}  // namespace

int main() {
  ::setenv("TEAM_DURABILITY", "process", 1);
  ::setenv("TEAM_TRUST", "1", 1);
  const std::int64_t histories = from_environment("ENGINE_HISTORIES", 100);
  const std::int64_t first = from_environment("ENGINE_SEED", 1);
  {
    const test::TestStore store;
    leaves_new_team_alone(store.engine, store.team);
    MemoryEngine memory;
    memory.create(store.team, nullptr);
    leaves_new_team_alone(memory, store.team);
  }
  {
    const test::TestStore store;
    const test::TestSchema schema;
    if (const auto postgres = test::open_store(schema.database)) {
      postgres->create(store.team, nullptr);
      leaves_new_team_alone(*postgres, store.team);
    }
  }
  std::map<std::string, int> counts;
  bool is_on_postgres = false;
  for (std::int64_t seed = first; seed < first + histories && test::failed == 0; ++seed) {
    const auto schema = test::takes_part(seed) ? std::make_unique<test::TestSchema>() : nullptr;
    const auto postgres = schema ? test::open_store(schema->database) : nullptr;
    is_on_postgres = is_on_postgres || postgres != nullptr;
    History history(static_cast<unsigned>(seed), postgres.get());
    for (int i = 0; i < kSteps && test::failed == 0; ++i) {
      const std::string difference = history.step(counts);
      if (!difference.empty()) std::fprintf(stderr, "seed %ld, step %d: %s\n", seed, i, difference.c_str());
      CHECK(difference.empty());
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  std::printf("sessions: seeds %ld to %ld on files%s and in memory: %s; %ld refusals on all together\n", first,
              first + histories - 1, is_on_postgres ? ", PostgreSQL" : "", text.c_str(), History::refusals);
  return test::report();
}
