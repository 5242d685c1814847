// Mail while readers die, people edit files and system calls fail: no message is lost, and no message is reported as
// sent that was not.
#include "libteam/store/mail.h"

#include <fcntl.h>
#include <sys/file.h>

#include "libteam/base/clock.h"
#include "libteam/record/hold.h"
#include "libteam/record/settings.h"
#include "libteam/store/files/bodies.h"
#include "libteam/store/team_session.h"
#include "libteam/system/flock.h"
#include "libteam/system/id.h"
#include "libteam/system/lock.h"
#include "tests/unit/faults.h"
#include "tests/unit/store.h"

using namespace team;
using test::actor;
using test::before_file;
using test::fails_with;
using test::for_file;
using test::is_refused;
using test::where_seen;

namespace {

Message message(const std::string& content) {
  Message made;
  made.id = new_id();
  made.sender = "lead";
  made.recipient = "ann";
  made.content = content;
  return made;
}

// The mailbox of ann.
class Box : public test::TestStore {
 public:
  explicit Box(Durability durability = Durability::process)
      : folder(roster.folder_of("alpha")), mailbox(folder, "ann", durability, 1) {}

  void send(std::initializer_list<const char*> contents) const {
    for (const char* content : contents) mailbox.append({message(content)});
  }
  void put(const std::string& name, std::string_view text) const { TestStore::put(".teams/alpha/" + name, text); }
  void append(const std::string& name, std::string_view text) const {
    std::ofstream(of_team(name), std::ios::app) << text;
  }
  bool has(const std::string& name) const { return TestStore::has(".teams/alpha/" + name); }
  std::string text_of(const std::string& name) const { return TestStore::text_of(".teams/alpha/" + name); }
  void remove(const std::string& name) const { TestStore::remove(".teams/alpha/" + name); }

  static std::string contents_of(const std::vector<Message>& messages) {
    std::string text;
    for (const Message& one : messages) text += one.content + " ";
    return text;
  }
  // Takes and acknowledges messages.
  std::string take(std::size_t most = 100, const MessageFilter& filter = {}) const {
    auto batch = mailbox.take(filter, most, std::nullopt);
    if (!batch) return "nothing";
    batch->acknowledge();
    return contents_of(batch->messages());
  }

  Folder folder;
  FileMailbox mailbox;
};

void places() {
  const Box box;
  box.send({"1", "2", "3", "4", "5", "6", "7", "8", "9"});
  std::vector<std::unique_ptr<Batch>> batches;
  for (int i = 0; i < 8; ++i) batches.push_back(box.mailbox.take({}, 1, std::nullopt));
  CHECK(fails_with(Code::again, [&] { box.mailbox.take({}, 1, std::nullopt); }));
  std::size_t shown = 0;
  box.mailbox.peek({}, 100, std::nullopt, [&](const Message&) { ++shown; });
  CHECK(shown == 1);
  batches.clear();  // their readers die
  box.mailbox.peek({}, 3, std::nullopt, [&](const Message&) { ++shown; });
  CHECK(shown == 4);
  CHECK(box.take() == "1 2 3 4 5 6 7 8 9 ");
}

// A message that could be taken but not locked stays in the mailbox.
void unlocked() {
  for (const std::size_t most : {100, 1}) {
    const Box box;
    box.send({"1", "2"});
    CHECK(where_seen(SYS_flock, test::only_the(2, ENOLCK), [&] {
      return is_refused(Code::io, "cannot lock", [&] { box.mailbox.take({}, most, std::nullopt); });
    }));
    CHECK(box.take() == "1 2 ");
  }
}

void vanished() {
  const Box box;
  box.send({"1"});
  CHECK(where_seen(SYS_openat2, before_file("ann_inbox.jsonl", [&] { box.remove("ann_inbox.jsonl"); }),
                   [&] { return box.take() == "nothing"; }));
  // Its reader acknowledges at this moment.
  const std::string line = to_line(message("1")) + "\n";
  box.put("ann_taken.jsonl", line);
  const auto go = [&] { box.remove("ann_taken.jsonl"); };
  CHECK(where_seen(SYS_openat2, before_file("ann_taken.jsonl", go), [&] { return box.take() == "nothing"; }));
  const Message held = message("2");
  box.put("ann_taken.jsonl", to_line(held) + "\n");
  box.put("ann_taken.jsonl.hold", to_file(Hold{boot_id(), 1e9, std::nullopt}));
  CHECK(where_seen(SYS_openat2, before_file("ann_taken.jsonl", go),
                   [&] { return fails_with(Code::not_found, [&] { box.mailbox.acknowledge({held.id}); }); }));
}

// Lines that are not messages are set aside once, before the rest is moved.
void rejected() {
  const Box box(Durability::power);
  const MessageFilter from_lead{.from = "lead", .type = {}, .reply_to = {}, .id = {}};
  const auto reject = [&] {
    box.send({"1"});
    box.append("ann_inbox.jsonl", "torn\nand broken\n");
    box.send({"2"});
  };
  reject();
  CHECK(test::fails_where(SYS_write, ENOSPC, "cannot write", [&] { box.take(); }));
  CHECK(test::fails_where(SYS_fdatasync, EIO, "cannot write", [&] { box.take(100, from_lead); }));
  CHECK(box.take(100, from_lead) == "1 2 ");
  CHECK(box.text_of("ann_rejected.jsonl").find("torn") != std::string::npos);
  reject();
  CHECK(box.take(1) == "1 ");
  CHECK(box.take() == "2 ");
  box.put("ann_inbox.jsonl", "alone\n");
  CHECK(test::fails_where(SYS_fdatasync, EIO, "cannot write", [&] { box.take(); }));
  CHECK(box.text_of("ann_backlog.jsonl") == "alone\n");  // not removed before it is on the disk elsewhere
  CHECK(box.take() == "nothing" && !box.has("ann_backlog.jsonl"));
  // Also in the files of a dead reader, and in the backlog from before it.
  box.put("ann_taken.jsonl", to_line(message("1")) + "\nbroken\n");
  box.put("ann_backlog.jsonl", to_line(message("2")) + "\nbroken too\n\n" + to_line(message("3")) + "\n");
  CHECK(box.take() == "1 2 3 ");
  CHECK(box.text_of("ann_rejected.jsonl").find("broken too") != std::string::npos);
}

// A position of another file, or one that makes no sense, is ignored.
void positions() {
  const Box box;
  const std::string text = to_line(message("1")) + "\n" + to_line(message("2")) + "\n";
  for (const char* position : {"", "7\n", "x y\n", "{inode} x\n", "1 5\n", "{inode} 100000\n"}) {
    box.put("ann_backlog.jsonl", text);
    const std::string inode = std::to_string(box.folder.stamp("ann_backlog.jsonl")->inode);
    std::string written = position;
    if (written.starts_with("{inode}")) written.replace(0, 7, inode);
    box.put("ann_backlog.pos", written);
    CHECK(box.take() == "1 2 ");
  }
}

void held() {
  const Box box;
  box.send({"1", "2"});
  auto first = box.mailbox.take({}, 1, std::nullopt);
  const std::string id = first->messages()[0].id;
  first->hold(1000, std::nullopt);
  first.reset();
  CHECK(fails_with(Code::not_found, [&] { box.mailbox.acknowledge({"another"}); }));
  // Messages of a dead reader are not held, those of another reader are. A broken line among them is set aside.
  box.append("ann_taken.jsonl", "broken\n");
  auto second = box.mailbox.take({}, 1, std::nullopt);
  box.put("ann_taken-3.jsonl", to_line(message("0")) + "\n");
  second->hold(1000, std::nullopt);
  second.reset();
  CHECK(box.take() == "0 ");
  CHECK(box.contents_of(box.mailbox.acknowledge({id})) == "1 " && !box.has("ann_taken.jsonl"));
  CHECK(box.text_of("ann_rejected.jsonl").find("broken") != std::string::npos);
  // Held messages are in several files if a reader died while it merged them.
  const Message third = message("3"), fourth = message("4");
  box.put("ann_taken.jsonl", to_line(third) + "\n");
  box.put("ann_taken-4.jsonl", to_line(fourth) + "\n");
  for (const char* name : {"ann_taken.jsonl.hold", "ann_taken-4.jsonl.hold"}) {
    box.put(name, to_file(Hold{boot_id(), 1e9, std::nullopt}));
  }
  CHECK(box.mailbox.acknowledge({third.id, fourth.id}).size() == 2 && !box.has("ann_taken.jsonl"));
  // A hold that has expired, or that is of another boot, holds nothing.
  for (const Hold& over : {Hold{boot_id(), 1, std::nullopt}, Hold{"another", 1e9, std::nullopt}}) {
    box.put("ann_taken.jsonl", to_line(third) + "\n");
    box.put("ann_taken.jsonl.hold", to_file(over));
    CHECK(box.take(1) == "3 ");
  }
}

// A reader acknowledged its held messages and died between the removal of the two files. The next reader with that
// place that dies held nothing.
void stale_hold() {
  const Box box;
  box.put("ann_taken.jsonl.hold", to_file(Hold{boot_id(), 1e9, std::nullopt}));
  box.send({"1"});
  box.mailbox.take({}, 1, std::nullopt).reset();
  CHECK(box.take() == "1 ");
}

// While there is another reader, a waiting reader polls every second, because nothing reports the death of a reader.
void waiting() {
  const Box box;
  box.send({"1"});
  const auto batch = box.mailbox.take({}, 1, std::nullopt);
  int looks = 0;
  CHECK(box.mailbox.wait(Deadline::in(1.3), -1, [&] { return ++looks > 10; }) == Mailbox::Waited::too_late);
  CHECK(looks >= 2);
}

// Messages of several dead readers return in the order in which they were taken, also if the clock was set back in
// between and later ids are lower.
void taken_by_several() {
  const Box box;
  const auto take_next = [&](const std::string& id, const std::string& content) {
    Message next = message(content);
    next.id = std::string(26 - id.size(), '0') + id;
    box.mailbox.append({next});
    return box.mailbox.take({}, 1, std::nullopt);
  };
  auto first = take_next("9", "1");
  auto second = take_next("8", "2");
  first->acknowledge();
  first.reset();
  auto third = take_next("7", "3");
  auto fourth = take_next("6", "4");
  second.reset();
  third.reset();
  fourth.reset();
  CHECK(box.take() == "2 3 4 ");
  box.put("ann_inbox.jsonl", "");
  CHECK(!box.mailbox.has_new());
}

// The same holds for messages held by an earlier run of the owner.
void held_by_several() {
  const Box box;
  const std::string life = "one";
  int id = 99;  // decreases, as with a clock that is set back repeatedly
  const auto take_next = [&](const std::vector<std::string>& contents) {
    std::vector<Message> messages;
    for (const std::string& content : contents) {
      messages.push_back(message(content));
      messages.back().id = fmt::format("{:026}", id--);
    }
    box.mailbox.append(messages);
    return box.mailbox.take({}, messages.size(), life);
  };
  const auto hold_next = [&](const std::vector<std::string>& contents) {
    auto batch = take_next(contents);
    batch->hold(1000, life);
    return batch->messages().front().id;
  };
  const auto take_all = [&] {
    auto batch = box.mailbox.take({}, SIZE_MAX, "another");
    batch->acknowledge();
    return box.contents_of(batch->messages());
  };
  for (const char* content : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
    hold_next({content});
    CHECK(!box.has("ann_taken-4.jsonl"));
  }
  CHECK(take_all() == "1 2 3 4 5 6 7 8 9 ");
  // A message taken between two held ones stays between them.
  hold_next({"1"});
  auto between = take_next({"2"});
  hold_next({"3"});
  hold_next({"4"});
  between.reset();
  CHECK(take_all() == "1 2 3 4 ");
  // A reader that started its hold after others took or held messages keeps its place before them.
  auto slow = take_next({"1"});
  hold_next({"2"});
  slow->hold(1000, life);
  slow.reset();
  hold_next({"3"});
  CHECK(!box.has("ann_taken.jsonl"));
  CHECK(take_all() == "1 2 3 ");
  // After a partial acknowledgement the rest keeps its place.
  const std::string first = hold_next({"1", "2"});
  auto after = take_next({"3"});
  CHECK(box.contents_of(box.mailbox.acknowledge({first})) == "1 ");
  after.reset();
  CHECK(take_all() == "2 3 ");
  // A reader killed during the merge leaves some messages in two files: each is delivered once and removed once.
  const auto put_together_by_half = [&] {
    const std::string one = hold_next({"1"});
    hold_next({"2", "3"});
    box.put("ann_taken-2.jsonl", box.text_of("ann_taken.jsonl") + box.text_of("ann_taken-2.jsonl"));
    return one;
  };
  put_together_by_half();
  CHECK(take_all() == "1 2 3 ");
  put_together_by_half();
  hold_next({"4"});
  CHECK(take_all() == "1 2 3 4 ");
  CHECK(box.mailbox.acknowledge({put_together_by_half()}).size() == 1);
  CHECK(take_all() == "2 3 ");
  // A message that does not reach its reader leaves the messages held by others as they are.
  hold_next({"1"});
  hold_next({"2"});
  auto lost = take_next({"3"});
  lost->hold(1000, life);
  lost->release();
  lost.reset();
  CHECK(box.take() == "3 ");
  CHECK(take_all() == "1 2 ");
}

// A place gets its date, and its reader locks it, before it gets its name.
void marked_as_taken() {
  for (const std::size_t most : {std::size_t{1}, std::size_t{100}}) {
    const Box box;
    box.send({"1"});
    const auto other = box.mailbox.take({}, 1, std::nullopt);
    const auto late = std::filesystem::file_time_type::clock::now() + std::chrono::hours(1);
    std::filesystem::last_write_time(box.of_team("ann_taken.jsonl"), late);
    box.send({"2", "3"});
    bool is_marked = false;
    const auto look = [&](const test::CallArguments&) {
      for (const auto& entry : std::filesystem::directory_iterator(box.of_team(""))) {
        const std::string name = entry.path().filename();
        const bool is_later = name != "ann_taken.jsonl" && entry.last_write_time() > late;
        is_marked = is_marked || (is_later && look_at_lock(box.folder, name) == Held::yes);
      }
      return 0;
    };
    CHECK(where_seen(SYS_renameat, look, [&] { return box.mailbox.take({}, most, std::nullopt) && is_marked; }));
  }
}

// Messages that others return during a scan are not missed, wherever they are then.
void returned_during_a_scan() {
  const auto is_asked_again = [](const Box& box, const std::function<void()>& meanwhile) {
    int looks = 0;
    const auto waited = box.mailbox.wait(Deadline::in(10), -1, [&] {
      if (++looks == 1) meanwhile();
      return looks > 1;
    });
    return waited == Mailbox::Waited::arrived;
  };
  const Box box;
  CHECK(is_asked_again(box, [&] {
    box.send({"1", "2"});
    CHECK(box.take(1) == "1 ");
  }));
  CHECK(box.take() == "2 ");
  box.send({"3", "4"});
  auto of_one_who_dies = box.mailbox.take({}, 2, std::nullopt);
  CHECK(is_asked_again(box, [&] {
    of_one_who_dies.reset();
    CHECK(box.take(1) == "3 ");
  }));
  CHECK(box.take() == "4 ");
}

std::string body_of(const Mailbox& mailbox, const Message& of) {
  std::string text;
  mailbox.each_body_piece(of, [&](std::string_view piece) { text += piece; });
  return text;
}

void bodies() {
  const Box box;
  Message large = message("begins");
  large.body_size = 100;
  CHECK(lost_bodies(box.folder, 1).empty());
  CHECK(!box.mailbox.has_body(large) && !box.mailbox.has_body(message("small")));
  CHECK(body_of(box.mailbox, large).empty());
  box.mailbox.append({large});
  CHECK(box.take() == "begins ");  // its content is missing, which is no error
  std::filesystem::create_directory(box.of_team("bodies"));
  box.put("bodies/" + large.id, "cut in the middle of a character\xc3");
  CHECK(box.mailbox.has_body(large));
  CHECK(body_of(box.mailbox, large).starts_with("cut in the middle of a character"));
  Message foreign = large;
  foreign.id = "../../config.json";
  CHECK(!box.mailbox.has_body(foreign) && body_of(box.mailbox, foreign).empty());
  // A body is not an orphan while a message refers to it or its sender is at work. A mailbox in use is not checked.
  box.mailbox.append({large});
  CHECK(lost_bodies(box.folder, 1).empty());
  CHECK(where_seen(SYS_openat2, before_file("ann_inbox.jsonl", [&] { box.remove("ann_inbox.jsonl"); }),
                   [&] { return lost_bodies(box.folder, 1).size() == 1; }));
  {
    box.remove("ann_inbox.jsonl");
    const Fd sender(::open(box.of_team("bodies/" + large.id).c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(::flock(sender.get(), LOCK_EX) == 0);
    CHECK(lost_bodies(box.folder, 1).empty());
  }
  CHECK(lost_bodies(box.folder, 1).size() == 1);
  {
    const Lock lock = Lock::acquire(box.folder, "ann_inbox.lock", 1);
    sweep_bodies(box.folder);
    CHECK(box.has("bodies/" + large.id));
  }
  CHECK(where_seen(SYS_openat2, for_file("ann_inbox.lock", EIO),
                   [&] { return is_refused(Code::io, "cannot open", [&] { sweep_bodies(box.folder); }); }));
  sweep_bodies(box.folder);
  CHECK(!box.has("bodies/" + large.id));
}

OutgoingMessage message_to(const std::string& to, const std::string& type = "message") {
  OutgoingMessage made;
  made.type = type;
  made.to = to;
  made.content = "hello";
  return made;
}

// A content in two pieces; the second ends inside a character.
OutgoingMessage large_message_to(const std::string& to) {
  OutgoingMessage made = message_to(to);
  made.content = std::string(1000, 'x');
  made.more = [given = false](std::string& piece) mutable {
    piece = "and the end\xc3";
    return !std::exchange(given, true);
  };
  return made;
}

std::size_t count_in(const std::string& folder) {
  std::error_code none;
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder, none)) ++count;
  return count;
}

// A large message that could not be sent leaves no file.
void large_messages() {
  const Box box;
  const Mail mail = box.open_mail();
  const Actor lead = actor("lead");
  const auto leaves_nothing = [&](const std::function<bool()>& holds) {
    return holds() && count_in(box.of_team("bodies")) == 0 && box.take() == "nothing";
  };
  const auto refused = [&] {
    return is_refused(Code::io, "cannot write", [&] { mail.send(large_message_to("ann"), lead); });
  };
  for (const int k : {1, 2, 3}) {
    CHECK(leaves_nothing([&] { return where_seen(SYS_write, test::only_the(k, ENOSPC), refused); }));
  }
  for (const long call : {SYS_fdatasync, SYS_linkat, SYS_fsync}) {
    CHECK(leaves_nothing([&] {
      return test::where_refused(
          call, EIO, [&] { return fails_with(Code::io, [&] { mail.send(large_message_to("ann"), lead); }); });
    }));
  }
  CHECK(leaves_nothing([&] {
    return where_seen(SYS_openat2, for_file("ann_inbox.jsonl", ENOSPC),
                      [&] { return fails_with(Code::io, [&] { mail.send(large_message_to("ann"), lead); }); });
  }));
  const Message sent = mail.send(large_message_to("ann"), lead).front();
  CHECK(sent.body_size == 1000 + 11 + 3 && body_of(box.mailbox, sent).ends_with("and the end\xef\xbf\xbd"));
}

// A broadcast that reached only some members has an effect, so it is not a plain failure.
void broadcasts() {
  const Box box;
  const Mail mail = box.open_mail();
  CHECK(where_seen(SYS_openat2, for_file("bob_inbox.jsonl", EIO), [&] {
    return is_refused(Code::unknown, "sent to 1 of 2", [&] { mail.send(message_to("", "broadcast"), actor("lead")); });
  }));
  CHECK(box.take() == "hello ");
}

// The user is told of a pause before the pause is recorded. If recording fails, the outcome is unknown.
void pauses() {
  Box box;
  set_setting(box.team, "exchange.limit", "1");
  const Mail mail = box.open_mail();
  const Actor bob = actor("bob", "run");
  mail.send(message_to("ann"), bob);
  mail.send(message_to("bob"), actor("ann", "other"));
  CHECK(test::fails_where(
      SYS_renameat, EIO, "", [&] { mail.send(message_to("ann"), bob); }, Code::unknown));
  CHECK(fails_with(Code::paused, [&] { mail.send(message_to("ann"), bob); }));
  const auto to_user = mail.mailbox("user").take({}, 9, std::nullopt);
  CHECK(to_user && to_user->messages().size() == 2);
  // Messages of the user are not counted, whichever run sends them.
  mail.send(message_to("ann"), actor("user", "run"));
  mail.send(message_to("ann"), actor("user", "run"));
}

void questions() {
  const Box box;
  const Mail mail = box.open_mail();
  const Requests& requests = mail.requests();
  // A request whose message cannot be sent is withdrawn. If the outcome is unknown, it stays.
  CHECK(where_seen(SYS_openat2, for_file("ann_inbox.jsonl", EIO), [&] {
    return fails_with(Code::io, [&] { mail.send(message_to("ann", "shutdown_request"), {}); });
  }));
  CHECK(requests.all([](const Error&) {}).empty());
  CHECK(where_seen(SYS_fdatasync, test::from_the(2, EIO), [&] {
    return test::refuse_calls(SYS_ftruncate, EIO) &&
           fails_with(Code::unknown, [&] { mail.send(message_to("ann", "shutdown_request"), {}); });
  }));
  const auto pending = requests.all([](const Error&) {});
  CHECK(pending.size() == 1);
  box.put("requests/note.json", "{}");
  CHECK(requests.all([](const Error&) {}).size() == 1);
  const std::string file = pending[0].id + ".json";
  CHECK(where_seen(SYS_openat2, for_file(file, EIO),
                   [&] { return fails_with(Code::io, [&] { requests.all([](const Error&) {}); }); }));
  CHECK(where_seen(SYS_openat2, before_file(file, [&] { box.remove("requests/" + file); }),
                   [&] { return requests.all([](const Error&) {}).empty(); }));
  box.remove("requests");
  requests.withdraw(new_id());
}

// A teammate may refresh its session, which opens the mail anew, while it works on messages.
void batch_of_a_refreshed_session() {
  const Box box;
  TeamSession session(box.engine, "alpha", actor("ann"));
  box.send({"1"});
  const auto batch = session.mailbox().take({}, 1, std::nullopt);
  box.roster.change("alpha", [](Team& team) { team.members.push_back({"carl", std::nullopt, 0, false, "{}"}); });
  session.refresh();
  CHECK(session.team().find("carl") != nullptr);
  batch->acknowledge();
  CHECK(box.take() == "nothing" && !box.has("ann_taken.jsonl"));
}

// An answer whose sender died is sent once, with the same id, whoever repeats it.
void answers() {
  enum class Died { before_it_was_sent, before_it_was_read, before_it_was_final };
  for (const Died died : {Died::before_it_was_sent, Died::before_it_was_read, Died::before_it_was_final}) {
    const Box box;
    const Mail mail = box.open_mail();
    OutgoingMessage plan = message_to("lead", "plan_approval_request");
    const std::string id = *mail.send(plan, actor("ann")).front().request_id;
    OutgoingMessage answer = message_to("ann", "plan_approval_response");
    answer.content = "";
    answer.feedback = "";
    answer.request_id = id;
    answer.approve = true;
    Request noted = mail.requests().get(id);
    noted.verdict = true;
    noted.answer_id = new_id();
    Message lost = message("approved");
    lost.id = *noted.answer_id;
    if (died != Died::before_it_was_sent) box.mailbox.append({lost});
    if (died == Died::before_it_was_final) {
      CHECK(box.take() == "approved ");
      mail.record({}, {message_event("MESSAGE_SENT", lost), message_event("MESSAGE_DELIVERED", lost),
                       make_event("MESSAGE_DELIVERED", {{"message_id", "another"}, {"after", lost.id}}),
                       make_event("NOTED", {{"message_id", lost.id}}), make_event("NOTED", {})});
    }
    box.put("requests/" + id + ".json", to_file(noted));
    answer.approve = false;
    CHECK(fails_with(Code::invalid_state, [&] { mail.send(answer, {}); }));
    answer.approve = true;
    CHECK(mail.send(answer, {}).front().id == noted.answer_id);
    CHECK(mail.requests().get(id).status == RequestStatus::approved);
    CHECK(box.take() == (died == Died::before_it_was_final ? "nothing" : "approved "));
  }
}

// If the outcome of sending an answer is unknown, the answer stays recorded so that it can be repeated.
void unknown_outcome_of_answers() {
  const Box box;
  const Mail mail = box.open_mail();
  const std::string id = *mail.send(message_to("lead", "plan_approval_request"), actor("ann")).front().request_id;
  const auto answer = [&](Code code) {
    return fails_with(code, [&] {
      mail.requests().answer({id, RequestKind::plan, true, std::nullopt}, {}, new_id(),
                             [&](const std::string&) { fail(code, "no"); });
    });
  };
  CHECK(answer(Code::io) && !mail.requests().get(id).verdict);
  CHECK(answer(Code::unknown) && mail.requests().get(id).verdict == true);
}

}  // namespace

int main() {
  if (!test::can_refuse_calls()) {
    std::puts("skipped: seccomp does not work here");
    return 0;
  }
  places();
  unlocked();
  vanished();
  rejected();
  positions();
  held();
  stale_hold();
  taken_by_several();
  held_by_several();
  marked_as_taken();
  waiting();
  returned_during_a_scan();
  bodies();
  large_messages();
  broadcasts();
  pauses();
  questions();
  batch_of_a_refreshed_session();
  answers();
  unknown_outcome_of_answers();
  return test::report();
}
