// The same random history of mail, requests and members on several engines, files, PostgreSQL and memory: every answer
// is the same, with the code and the text of each refusal. ENGINE_HISTORIES sets the number of histories, ENGINE_SEED
// the first seed. TEAMKIT_POSTGRES is the address of a server for tests; without it PostgreSQL is left out.
#include <stdlib.h>

#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/record/settings.h"
#include "libteam/store/digest.h"
#include "libteam/store/mail_operations.h"
#include "libteam/store/membership.h"
#include "libteam/store/memory/memory_team.h"
#include "libteam/store/quota_ledger.h"
#include "libteam/store/status.h"
#include "libteam/system/id.h"
#include "tests/unit/answer_text.h"
#include "tests/unit/check.h"
#include "tests/unit/postgres.h"
#include "tests/unit/store.h"

using namespace team;

namespace {

constexpr int kSteps = 80;
const std::vector<std::string> kNames = {"lead", "ann", "bob", "user"};

// One engine, and all that a history knows of it.
class World : public test::AnswerText {
 public:
  World(std::shared_ptr<const TeamEngine> given, Team configuration, std::function<void(const std::string&)> ends)
      : end_life(std::move(ends)),
        engine(std::move(given)),
        team(std::move(configuration)),
        mail(engine, team),
        membership(mail, {"user", std::nullopt, std::nullopt, true}) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const std::function<void(const std::string& member)> end_life;
  const std::shared_ptr<const TeamEngine> engine;
  Team team;
  const Mail mail;
  const Membership membership;
  std::vector<std::unique_ptr<Batch>> batches;  // of readers that have not ended
  std::map<std::string, Message> large;         // by id
};

std::string to_text(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) text += to_line(message) + "\n";
  return text;
}

class Histories {
 public:
  // `postgres` is an empty store, or null.
  Histories(unsigned seed, const Engine* postgres) : random_(seed) {
    set_setting(store_.team, "exchange.limit", std::to_string(below(3)));
    set_setting(store_.team, "teammates.max", std::to_string(below(5)));
    store_.roster.change("alpha", [&](Team& team) { team.settings = store_.team.settings; });
    store_.team = store_.roster.get("alpha");
    const auto end_file = [this](const std::string& member) {
      store_.put(".teams/alpha/" + member + ".alive", "");
      store_.put(".teams/alpha/" + member + ".json", to_file(ended()));
    };
    others_.emplace_back("files", std::make_unique<World>(store_.open_team(), store_.team, end_file));
    if (postgres != nullptr) {
      postgres->create(store_.team, nullptr);
      const std::shared_ptr<const TeamEngine> team = postgres->open_team(store_.team);
      const auto end = [team](const std::string& member) { team->lives().take(member)->write(ended()); };
      others_.emplace_back("PostgreSQL", std::make_unique<World>(team, store_.team, end));
    }
    const auto memory = std::make_shared<MemoryTeam>(store_.team);
    memory_ = std::make_unique<World>(
        memory, store_.team, [memory](const std::string& member) { memory->lives().set_dead(member, ended()); });
  }

  // Returns the name of the step, or what differs.
  std::string step(std::map<std::string, int>& counts) {
    struct Kind {
      const char* name;
      int weight;
      void (Histories::*run)();
    };
    static constexpr Kind kKinds[] = {
        {"send", 30, &Histories::send},
        {"large message", 3, &Histories::send_large},
        {"notify", 3, &Histories::notify},
        {"answer", 12, &Histories::answer},
        {"failing answer", 2, &Histories::fail_to_answer},
        {"withdraw", 2, &Histories::withdraw},
        {"requests", 4, &Histories::list_requests},
        {"take", 25, &Histories::take},
        {"receive", 10, &Histories::receive},
        {"end of a reader", 12, &Histories::end_reader},
        {"peek", 8, &Histories::peek},
        {"acknowledge ids", 12, &Histories::acknowledge_ids},
        {"state", 8, &Histories::state},
        {"body", 4, &Histories::body},
        {"events", 5, &Histories::events},
        {"join", 2, &Histories::join},
        {"leave", 2, &Histories::leave},
        {"end of a life", 1, &Histories::end_life},
        {"limit", 1, &Histories::set_limit},
        {"quota", 2, &Histories::pause_quota},
        {"look", 4, &Histories::look},
    };
    int total = 0;
    for (const Kind& kind : kKinds) total += kind.weight;
    int choice = static_cast<int>(below(static_cast<std::size_t>(total)));
    const Kind* chosen = kKinds;
    while (choice >= chosen->weight) choice -= (chosen++)->weight;
    ++counts[chosen->name];
    (this->*chosen->run)();
    if (!difference_.empty()) return fmt::format("{}: {}", chosen->name, difference_);
    return "";
  }

 private:
  static MemberState ended() {
    MemberState state;
    state.state = State::shutdown;
    state.reason = "ended";
    return state;
  }

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& any_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  std::string any_name() { return one_in(20) ? "stranger" : any_of(kNames); }
  std::optional<std::string> any_run() {
    if (one_in(3)) return std::nullopt;
    return one_in(4) ? "second" : "first";
  }
  Actor any_actor() {
    const std::string name = any_name();
    return {name, std::nullopt, any_run(), name == "user" || name == "lead"};
  }

  // Runs `call` on all engines and compares its answers.
  void compare(const std::function<std::string(World&)>& call) {
    if (!difference_.empty()) return;
    const auto answer = [&](World& world) {
      try {
        return world.normalize(call(world));
      } catch (const Error& error) {
        ++refusals_;
        return world.normalize(fmt::format("{}: {}", name_of(error.code()), error.what()));
      }
    };
    // The model comes last: it follows where an interface leaves a choice.
    std::vector<std::pair<std::string, std::string>> answers;
    for (const auto& [place, world] : others_) answers.emplace_back(place, answer(*world));
    const std::string expected = answer(*memory_);
    for (const auto& [place, found] : answers) {
      if (found != expected) difference_ += fmt::format("\n  memory: {}\n  {}: {}", expected, place, found);
    }
  }

  OutgoingMessage any_letter() {
    OutgoingMessage letter;
    letter.type = any_of<std::string>({"message", "message", "message", "broadcast", "shutdown_request",
                                       "plan_approval_request", "plan_approval_request", "task_assigned", "nonsense"});
    const bool to_all = letter.type == "broadcast" && !one_in(10);
    letter.to = to_all ? "" : any_name();
    letter.content = any_of<std::string>({"hello", "a line\nand another", "größer", std::string(300, 'x'), ""});
    if (one_in(4)) letter.summary = "about\nthis";
    if (one_in(4)) letter.feedback = "because";
    if (one_in(4)) letter.task = 7;
    letter.interrupt = one_in(8);
    return letter;
  }

  void send_letter(const OutgoingMessage& given, const Actor& actor, std::optional<std::size_t> reply,
                   std::optional<std::size_t> request, const std::function<std::function<bool(std::string&)>()>& more) {
    compare([&](World& world) {
      OutgoingMessage letter = given;
      if (reply) letter.reply_to = world.id(*reply);
      if (request) letter.request_id = world.id(*request);
      if (more) letter.more = more();
      const auto messages = world.mail.send(letter, actor);
      for (const Message& message : messages) {
        if (message.body_size > 0) world.large[message.id] = message;
      }
      return to_text(messages);
    });
  }

  void send() {
    const auto reply = one_in(3) ? std::optional(below(1000)) : std::nullopt;
    const auto request = one_in(8) ? std::optional(below(1000)) : std::nullopt;
    send_letter(any_letter(), any_actor(), reply, request, nullptr);
  }

  void send_large() {
    OutgoingMessage letter = any_letter();
    letter.content =
        "title\n" + std::string(kLargestContent + below(100), 'y') + "\xc3";  // the first half of a character
    const std::vector<std::string> pieces = {"\xa4 whole", std::string(70000, 'z'),
                                             any_of<std::string>({"end\n", "broken \xff", "\n"})};
    send_letter(letter, any_actor(), std::nullopt, std::nullopt, [&] {
      return [&pieces, next = std::size_t{0}](std::string& piece) mutable {
        if (next == pieces.size()) return false;
        piece = pieces[next++];
        return true;
      };
    });
  }

  void notify() {
    const std::string recipient = any_name();
    compare([&](World& world) {
      world.mail.notify(recipient, "task_unblocked", "go on");
      return recipient == "stranger" ? "" : fmt::format("{}", world.mail.mailbox(recipient).has_new());
    });
  }

  // Most answers are right: they come from the asked member and go to the asking one.
  void answer() {
    OutgoingMessage letter = any_letter();
    Actor actor = any_actor();
    std::size_t request = below(1000);
    letter.type = one_in(2) ? "plan_approval_response" : "shutdown_response";
    if (one_in(3)) letter.content.clear();
    if (!one_in(10)) letter.approve = one_in(2);
    const auto all = memory_->engine->all_requests([](const Error&) {});
    if (!all.empty() && !one_in(10)) {
      const Request& chosen = any_of(all);
      request = memory_->number_of(chosen.id);
      if (!one_in(6)) letter.to = chosen.from;
      if (!one_in(6)) actor.name = chosen.to;
      if (!one_in(6)) letter.type = chosen.kind == RequestKind::plan ? "plan_approval_response" : "shutdown_response";
      actor.leads = actor.name == "user" || actor.name == "lead";
    }
    send_letter(letter, actor, std::nullopt, one_in(20) ? std::nullopt : std::optional(request), nullptr);
  }

  // The message of an answer fails, surely or perhaps.
  void fail_to_answer() {
    const Code code = one_in(2) ? Code::io : Code::unknown;
    const std::size_t number = below(1000);
    const bool approve = one_in(2);
    compare([&](World& world) {
      world.mail.requests().answer({world.id(number), RequestKind::plan, approve, "maybe"}, {}, new_id(),
                                   [&](const std::string&) { fail(code, "the message failed"); });
      return "";
    });
  }

  void withdraw() {
    const std::size_t number = below(1000);
    compare([&](World& world) {
      world.mail.requests().withdraw(world.id(number));
      return "done";
    });
  }

  void list_requests() {
    const bool all = one_in(2);
    const std::size_t number = below(1000);
    compare([&](World& world) {
      std::string text;
      const auto broken = [](const Error&) {};
      const Requests& requests = world.mail.requests();
      for (const Request& request : all ? requests.all(broken) : requests.pending(broken)) text += to_line(request);
      return text;
    });
    compare([&](World& world) { return to_line(world.mail.requests().get(world.id(number))); });
  }

  MessageFilter any_filter(std::size_t& reply) {
    MessageFilter filter;
    reply = below(1000);
    if (one_in(5)) filter.from = any_of(kNames);
    if (one_in(5)) filter.type = one_in(2) ? "message" : "plan_approval_request";
    if (one_in(10)) filter.reply_to = "";  // becomes a known id
    return filter;
  }

  // An engine may give fewer messages than there are: the other one is asked for as many.
  void take() {
    const std::string owner = any_of(kNames);
    std::size_t reply = 0;
    const MessageFilter wanted = any_filter(reply);
    std::size_t most = one_in(4) ? 1000 : 1 + below(4);
    const auto run = any_run();
    const std::size_t before = memory_->batches.size();
    compare([&](World& world) -> std::string {
      MessageFilter filter = wanted;
      if (filter.reply_to) filter.reply_to = world.id(reply);
      const Mailbox& mailbox = world.engine->mailbox(owner);
      auto batch = mailbox.take(filter, most, run);
      if (!batch) return "nothing";
      std::string text = to_text(batch->messages());
      most = batch->messages().size();
      world.batches.push_back(std::move(batch));
      return text;
    });
    if (memory_->batches.size() == before || !difference_.empty()) return;
    ++taken_;
    // True only if nothing was left.
    for (const auto& [place, world] : others_) {
      if (world->batches.back()->is_all() && !memory_->batches.back()->is_all()) difference_ = "is_all of " + place;
    }
    if (!one_in(3) || memory_->batches.size() > 10) end_batch(memory_->batches.size() - 1);
  }

  // The whole operation of a command: the messages reach their reader, or they do not, or writing them fails.
  void receive() {
    const std::string owner = any_of(kNames);
    const Actor actor{owner, std::nullopt, any_run(), false};
    const Taking taking = one_in(2) ? Taking::acknowledge : Taking::hold;
    const std::size_t outcome = below(6);
    std::size_t most = 1 + below(5);
    compare([&](World& world) {
      std::string text;
      const auto received = MailOperations(world.mail, actor).receive({}, most, taking, [&](const auto& messages) {
        text = to_text(messages);
        most = messages.size();
        if (outcome == 0) fail(Code::io, "cannot write the messages");
        return outcome != 1;
      });
      return fmt::format("{}{}", text, received ? received->count : 77);
    });
  }

  void end_reader() {
    if (!memory_->batches.empty()) end_batch(below(memory_->batches.size()));
  }

  // A reader acknowledges, holds or dies.
  void end_batch(std::size_t number) {
    const std::size_t how = below(6);
    const double seconds = one_in(4) ? 0 : 1000;
    const auto run = any_run();
    compare([&](World& world) {
      Batch& batch = *world.batches[number];
      if (how < 2) batch.acknowledge();
      if (how == 2 || how == 3 || how == 4) batch.hold(seconds, run);
      if (how == 4) batch.release();
      world.batches.erase(world.batches.begin() + static_cast<std::ptrdiff_t>(number));
      return "done";
    });
  }

  void peek() {
    const std::string owner = any_of(kNames);
    std::size_t reply = 0;
    const MessageFilter wanted = any_filter(reply);
    const std::size_t most = one_in(3) ? 2 : 1000;
    const auto run = any_run();
    compare([&](World& world) {
      MessageFilter filter = wanted;
      if (filter.reply_to) filter.reply_to = world.id(reply);
      std::string text;
      world.engine->mailbox(owner).peek(filter, most, run, [&](const Message& one) { text += to_line(one) + "\n"; });
      return text;
    });
  }

  // Ids that are held, others, or both; sometimes twice.
  void acknowledge_ids() {
    const std::string owner = any_of(kNames);
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < memory_->ids.size(); ++i) {
      const bool is_taken = memory_->engine->mailbox(owner).state_of(memory_->ids[i]) == MessageState::delivered;
      if (is_taken && one_in(2)) numbers.push_back(i);
    }
    if (one_in(4) || numbers.empty()) numbers.push_back(below(1000));
    if (one_in(6)) numbers.push_back(numbers.front());
    const bool is_recorded = one_in(2);
    const Actor actor{owner, std::nullopt, std::nullopt, false};
    compare([&](World& world) {
      std::vector<std::string> ids;
      for (const std::size_t number : numbers) ids.push_back(world.id(number));
      if (!is_recorded) return to_text(world.engine->mailbox(owner).acknowledge(ids));
      MailOperations(world.mail, actor).acknowledge(ids);
      return std::string("done");
    });
  }

  void state() {
    const std::size_t number = below(1000);
    compare([&](World& world) { return world.mail.state_of(world.id(number)); });
    const std::string owner = any_of(kNames);
    compare([&](World& world) {
      return std::to_string(static_cast<int>(world.engine->mailbox(owner).state_of(world.id(number))));
    });
    // Without messages nothing is new.
    bool waits = false;
    memory_->engine->mailbox(owner).peek({}, 1, "third", [&](const Message&) { waits = true; });
    for (const auto& [place, world] : others_) {
      if (!waits && world->engine->mailbox(owner).has_new()) difference_ = "has_new of " + place;
    }
  }

  void body() {
    if (memory_->large.empty()) return;
    const std::size_t number = below(memory_->large.size());
    compare([&](World& world) {
      const Message& message = std::next(world.large.begin(), static_cast<std::ptrdiff_t>(number))->second;
      const Mailbox& mailbox = world.engine->mailbox(message.recipient);
      if (!mailbox.has_body(message)) return std::string("missing");
      std::string text;
      mailbox.each_body_piece(message, [&](std::string_view piece) { text += piece; });
      return fmt::format("{} {} {}", text.size(), std::hash<std::string>{}(text), text.substr(text.size() - 9));
    });
  }

  void events() {
    const auto after = static_cast<std::int64_t>(below(1000));
    const std::size_t most = 1 + below(5);
    compare([&](World& world) {
      const EventLog& log = world.mail.events();
      const std::int64_t last = log.last_sequence();
      std::string text = std::to_string(last) + "\n";
      const auto add = [&, left = most](std::string_view line) mutable {
        text.append(line).push_back('\n');
        return --left > 0;
      };
      log.each_after(last > 0 ? after % last : 0, add);
      log.each_backward(add);
      return text;
    });
  }

  // The configuration has changed, or a change was refused.
  void refresh() {
    compare([](World& world) { return to_line(world.team = world.engine->configuration()); });
  }

  void join() {
    const std::string name = any_of<std::string>({"carl", "dora", "ann", "Ann", "user", "-", "x y"});
    const std::optional<std::string> role = one_in(2) ? std::optional<std::string>("coder") : std::nullopt;
    const Recruits recruits{"coder", role, 1 + static_cast<std::int64_t>(below(2)), one_in(4)};
    const bool one = one_in(2);
    compare([&](World& world) {
      if (!one) return team::join(world.membership.recruit(recruits), ", ");
      world.membership.join(name, role);
      return std::string("joined");
    });
    refresh();
  }

  void leave() {
    const std::string name = any_of<std::string>({"carl", "dora", "coder-1", "coder-2", "lead", "an"});
    compare([&](World& world) {
      world.membership.leave({name});
      return "left";
    });
    refresh();
  }

  void end_life() {
    const std::string name = any_of<std::string>({"ann", "bob", "coder-1"});
    for (const auto& [place, world] : others_) world->end_life(name);
    memory_->end_life(name);
  }

  void set_limit() {
    const std::string limit = std::to_string(below(4));
    compare([&](World& world) {
      return to_line(world.engine->change([&](Team& team) { set_setting(team, "exchange.limit", limit); }));
    });
    refresh();
  }

  void pause_quota() {
    const std::string quota = any_of<std::string>({"claude", "codex"});
    const double until = 4e9 + static_cast<double>(below(100));
    const bool ends = below(2) == 0;
    const Actor user;
    compare([&](World& world) -> std::string {
      const QuotaLedger ledger(world.mail, user);
      if (ends) return ledger.remove(quota) ? "removed" : "none";
      ledger.enter(quota, {"full", until});
      return fmt::format("{}", ledger.pause_of(quota)->until);
    });
  }

  void look() {
    const std::string reader = any_of(kNames);
    compare([&](World& world) {
      std::string text = team::join(digest_for(world.mail.events(), world.team, reader), "\n");
      for (const MemberStatus& member : look_at_members(*world.engine, world.team)) text += to_line(member) + "\n";
      for (const QuotaPause& one : world.engine->quotas().all) text += fmt::format("{} {}\n", one.quota, one.until);
      for (const Exchange& one : world.engine->exchanges().all) {
        text += fmt::format("{} {} {} {} {} {}\n", one.one, one.other, one.rounds, one.opener, one.since, one.told);
      }
      return text;
    });
  }

 public:
  static inline std::int64_t refusals_ = 0;
  static inline std::int64_t taken_ = 0;

 private:
  std::mt19937 random_;
  test::TestStore store_;
  std::unique_ptr<World> memory_;
  std::vector<std::pair<std::string, std::unique_ptr<World>>> others_;  // the one with the smallest batches first
  std::string difference_;
};

// Waiting ends when another thread changes the team, and at the deadline.
void waits(const TeamEngine& engine, const Team& team) {
  const Mail mail(std::shared_ptr<const TeamEngine>(std::shared_ptr<const void>(), &engine), team);
  const Mailbox& mailbox = engine.mailbox("ann");
  const auto has_mail = [&] {
    bool any = false;
    mailbox.peek({}, 1, std::nullopt, [&](const Message&) { any = true; });
    return any;
  };
  CHECK(mailbox.wait(Deadline::in(0), -1, has_mail) == Mailbox::Waited::too_late);
  CHECK(engine.wait(Deadline::in(0), has_mail) == Mailbox::Waited::too_late);
  {
    const std::jthread sender([&] { mail.notify("ann", "error", "hello"); });
    CHECK(mailbox.wait(Deadline::in(20), -1, has_mail) == Mailbox::Waited::arrived);
    CHECK(engine.wait(Deadline::in(20), has_mail) == Mailbox::Waited::arrived);
  }
  const std::int64_t last = engine.events().last_sequence();
  std::int64_t seen = 0;
  {
    const std::jthread sender([&] { mail.notify("bob", "error", "hello"); });
    const auto visit = [&](std::string_view line) {
      seen = sequence_of(line).value_or(0);
      return true;
    };
    CHECK(engine.events().follow(last, -1, visit, [&] { return seen == last + 1; }));
  }
  CHECK(seen == last + 1);
  const std::string version = engine.version();
  CHECK(version == engine.version());
  engine.change([](Team& changed) { changed.members.pop_back(); });
  CHECK(version != engine.version() && engine.configuration().members.size() + 1 == team.members.size());
}

std::int64_t from_environment(const char* name, std::int64_t fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? parse_integer(text).value_or(fallback) : fallback;
}

}  // namespace

int main() {
  ::setenv("TEAM_DURABILITY", "process", 1);
  const std::int64_t histories = from_environment("ENGINE_HISTORIES", 200);
  const std::int64_t first = from_environment("ENGINE_SEED", 1);
  {
    const test::TestStore store;
    waits(*store.open_team(), store.team);
    waits(MemoryTeam(store.team), store.team);
  }
  {
    const test::TestStore store;
    const test::TestSchema schema;
    if (const auto postgres = test::open_store(schema.database)) {
      postgres->create(store.team, nullptr);
      waits(*postgres->open_team(store.team), store.team);
    }
  }
  std::map<std::string, int> counts;
  for (std::int64_t seed = first; seed < first + histories && test::failed == 0; ++seed) {
    const auto schema = test::takes_part(seed) ? std::make_unique<test::TestSchema>() : nullptr;
    const auto postgres = schema ? test::open_store(schema->database) : nullptr;
    Histories history(static_cast<unsigned>(seed), postgres.get());
    for (int i = 0; i < kSteps && test::failed == 0; ++i) {
      const std::string difference = history.step(counts);
      if (!difference.empty()) std::fprintf(stderr, "seed %ld, step %d: %s\n", seed, i, difference.c_str());
      CHECK(difference.empty());
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  std::printf("seeds %ld to %ld: %s; %ld batches, %ld refusals on all together\n", first, first + histories - 1,
              text.c_str(), Histories::taken_, Histories::refusals_);
  return test::report();
}
