// Work in a repository, against the real git: names, the line, trees, snapshots, merges and checks.
#include <sys/stat.h>

#include "libteam/base/clock.h"
#include "libteam/record/settings.h"
#include "libteam/repo/check.h"
#include "libteam/repo/git_judge.h"
#include "libteam/repo/line.h"
#include "libteam/repo/merge.h"
#include "libteam/repo/snapshot.h"
#include "libteam/repo/tree.h"
#include "tests/unit/check.h"
#include "tests/unit/repository.h"

using namespace team;
using namespace team::test;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void finding() {
  TestRepository test;
  std::filesystem::create_directory(test.path + "/outside");
  CHECK(!Repository::find(test.path + "/outside"));
  CHECK(fails_with(Code::not_found, [&] { Repository::open(test.path + "/outside"); }));
  CHECK(fails_with(Code::invalid_state, [&] { Line(Repository::open(test.main()), "alpha").begin(""); }));
  test.put("sub/a", "1\n");
  test.commit("first");
  const Repository repository = Repository::open(test.main() + "/sub");
  CHECK(repository.prefix() == "sub/" && repository.common() == test.main() + "/.git");
  test.git({"branch", "team"});
  CHECK(contains(message_of([&] { Repository::open(test.main()); }), "has a branch 'team'"));
}

// A setting of git in our environment must not lead it elsewhere.
void environment() {
  TestRepository test, other;
  test.put("a", "1\n");
  test.commit("first");
  ::setenv("GIT_DIR", (other.main() + "/.git").c_str(), 1);
  CHECK(Repository::open(test.main()).common() == test.main() + "/.git");
  ::unsetenv("GIT_DIR");
  CHECK(contains(message_of([&] { Git(test.main()).run({"show", "nothing"}); }), "git show in '" + test.main()));
  const auto hang = [&] { Git(test.main()).with_time_limit(0.05).run({"-c", "alias.hang=!sleep 600", "hang"}); };
  CHECK(contains(message_of(hang), "not done within 0.05 s"));
}

void excluding() {
  TestRepository test;
  test.put("a", "1\n");
  test.put(".tasks/1.json", "{}\n");
  test.commit("first");
  const Repository repository = Repository::open(test.main());
  repository.exclude({".teams", ".tasks"});
  repository.exclude({".teams", ".tasks"});
  const std::string text = TestRepository::text_in(test.main(), ".git/info/exclude");
  CHECK(contains(text, "/.teams/\n") && text.find("/.teams/") == text.rfind("/.teams/"));
  CHECK(!contains(text, "/.tasks/"));  // the person commits it
}

void lines() {
  TestRepository test;
  test.put("a", "1\n");
  const std::string first = test.commit("first");
  test.put("a", "2\n");
  const std::string second = test.commit("second");
  const Repository repository = Repository::open(test.main());
  const Line line(repository, "alpha");
  CHECK(!line.tip());
  CHECK(fails_with(Code::invalid_state, [&] { line.begin("nothing"); }));
  CHECK(line.begin("HEAD^") == first && line.begin("") == first && line.tip() == first);
  CHECK(line.has(first) && !line.has(second) && !line.has(std::string(40, '1')));
  CHECK(!line.move(second, second, Durability::power) && line.tip() == first);
  CHECK(line.move(second, first, Durability::power) && line.tip() == second);
  // The file of a killed git does not stop it, once it is old enough to be nobody's.
  test.put(".git/refs/heads/team/alpha.lock", "");
  const double began = now();
  CHECK(line.move(first, second, Durability::process) && line.tip() == first && now() - began > 0.5);
  CHECK(!line.checked_out_in());
  test.git({"checkout", "-q", "team/alpha"});
  CHECK(line.checked_out_in() == test.main());
  test.git({"checkout", "-q", "main"});
  test.git({"worktree", "add", "-q", test.path + "/other", "team/alpha"});
  CHECK(line.checked_out_in() == test.path + "/other");
  const Lock held = line.lock(1);
  CHECK(fails_with(Code::again, [&] { line.lock(0.05); }));
}

void judging() {
  TestRepository test;
  test.put("a", "1\n");
  const std::string first = test.commit("first");
  test.put("a", "2\n");
  const std::string second = test.commit("second");
  const Line line(Repository::open(test.main()), "alpha");
  Repository repository = Repository::open(test.main());
  Line(repository, "alpha").begin("HEAD^");
  const auto judge = make_git_judge(test.main(), 1);
  std::string said;
  const auto decide = [&](bool landed) { said += landed ? "yes " : "no "; };
  Receipt receipt;
  receipt.line = "team/alpha";
  receipt.commit = first;
  judge->judge(receipt, decide);
  receipt.commit = second;
  judge->judge(receipt, decide);
  receipt.commit = std::nullopt;
  judge->judge(receipt, decide);
  CHECK(said == "yes no no ");
  receipt.line = "main";
  CHECK(fails_with(Code::corrupt, [&] { judge->judge(receipt, decide); }));
}

// A repository with a line, and a tree of it.
struct Place {
  Place() : repository(start(test)), tree(repository, test.path + "/trees/ann") {
    base = Line(repository, "alpha").begin("");
    request.tree = tree.top();
    request.index = test.path + "/index";
    request.base = base;
    request.branch = task_branch("alpha", 3);
    request.message = "task 3: x\n\nTask: 3\n";
    request.author = {"ann", "ann@alpha"};
    request.largest_file = 1000;
  }
  static Repository start(TestRepository& test) {
    test.put("a", "1\n2\n3\n");
    test.put("b", "1\n");
    test.put("fixed", "1\n");
    test.put(".gitignore", "*.o\nout/\n");
    test.commit("first");
    return Repository::open(test.main());
  }
  void put(const std::string& name, const std::string& text) const { TestRepository::put_in(tree.top(), name, text); }
  std::string text(const std::string& name) const { return TestRepository::text_in(tree.top(), name); }
  bool has(const std::string& name) const { return std::filesystem::exists(tree.top() + "/" + name); }
  Snapshot take() const { return take_snapshot(repository, request); }
  std::string branch() const { return repository.git().find_commit(ref_of(request.branch)).value_or("none"); }

  TestRepository test;
  Repository repository;
  Tree tree;
  std::string base;
  SnapshotRequest request;
};

void snapshots() {
  Place place;
  place.tree.begin("task/alpha/3", place.base, std::nullopt);
  CHECK(place.text("a") == "1\n2\n3\n");
  CHECK(!place.take().is_changed && place.branch() == "none");
  place.put("a", "1\n2\nfour\n");
  place.put("new/c", "c\n");
  place.put("x.o", "object\n");
  place.put("out/report", "report\n");
  std::filesystem::remove(place.tree.top() + "/b");
  place.request.deliverable = "out/report";
  const Snapshot snapshot = place.take();
  CHECK(snapshot.is_changed && !snapshot.refusal && place.branch() == snapshot.commit);
  const TestRepository& test = place.test;
  CHECK(test.git({"diff", "--name-status", place.base, snapshot.commit}) == "M\ta\nD\tb\nA\tnew/c\nA\tout/report");
  CHECK(test.git({"log", "-1", "--format=%an <%ae>%n%P%n%(trailers)", snapshot.commit}) ==
        "ann <ann@alpha>\n" + place.base + "\nTask: 3\n");
  // The checkout of the person has not changed.
  CHECK(test.git({"status", "--porcelain"}).empty() && test.git({"symbolic-ref", "HEAD"}) == "refs/heads/main");
  // An ignored file of the base stays in the snapshot.
  place.put(".gitignore", "*\n");
  CHECK(test.git({"diff", "--name-only", snapshot.commit, place.take().commit}) == ".gitignore\nnew/c");
}

// The next attempt has the files of the last one, and nothing else.
void attempts() {
  Place place;
  place.tree.begin("task/alpha/3", place.base, std::nullopt);
  place.put("a", "mine\n");
  const Snapshot snapshot = place.take();
  place.put("junk/file", "junk\n");
  place.put("x.o", "object\n");
  place.test.put_in(place.tree.top(), ".git/index.lock", "");
  place.tree.begin("task/alpha/4", place.base, std::nullopt);
  CHECK(place.text("a") == "1\n2\n3\n" && !place.has("junk") && place.has("x.o"));
  place.tree.begin("task/alpha/3", place.base, snapshot.commit);
  CHECK(place.text("a") == "mine\n");
  CHECK(Git(place.tree.top()).line({"diff", "--cached", "--name-only", "HEAD"}) == "a");
  CHECK(Git(place.tree.top()).line({"rev-parse", "HEAD"}) == place.base);
  // Whatever the agent did to its git folder.
  std::filesystem::remove_all(place.tree.top() + "/.git/refs");
  place.tree.begin("task/alpha/3", place.base, snapshot.commit);
  CHECK(place.text("a") == "mine\n");
  std::filesystem::remove_all(place.tree.top());
  place.tree.begin("task/alpha/3", place.base, snapshot.commit);
  CHECK(place.text("a") == "mine\n");
  place.put("a", "other\n");
  place.put("x.o", "object\n");
  place.tree.show(place.base, Tree::Ignored::keep);
  CHECK(place.text("a") == "1\n2\n3\n" && place.has("x.o"));
  place.tree.show(place.base, Tree::Ignored::remove);
  CHECK(!place.has("x.o"));
}

// git must run nothing that the agent wrote into the git folder of its tree.
void hostile_tree() {
  Place place;
  place.tree.begin("task/alpha/3", place.base, std::nullopt);
  const std::string proof = place.test.path + "/proof";
  const std::string run = "touch " + proof;
  const std::string config = "[core]\n\tfsmonitor = " + run +
                             "\n\thooksPath = .git/hooks\n[filter \"x\"]\n\tclean = " + run + "\n\tsmudge = " + run +
                             "\n";
  const auto poison = [&] {
    place.put(".git/config", TestRepository::text_in(place.tree.top(), ".git/config") + config);
    place.put(".git/info/attributes", "* filter=x\n");
    place.put(".git/hooks/post-checkout", "#!/bin/sh\n" + run + "\n");
    ::chmod((place.tree.top() + "/.git/hooks/post-checkout").c_str(), 0755);
  };
  poison();
  place.put("a", "mine\n");
  CHECK(place.take().is_changed && !std::filesystem::exists(proof));
  poison();
  place.tree.begin("task/alpha/4", place.base, std::nullopt);
  CHECK(!std::filesystem::exists(proof));
  // The repository of a person around the tree is not touched if the tree has lost its own.
  place.test.put_in(place.test.path + "/trees", "mine", "mine\n");
  Git(place.test.path + "/trees").run({"init", "-q"});
  std::filesystem::remove_all(place.tree.top() + "/.git");
  place.tree.begin("task/alpha/4", place.base, std::nullopt);
  CHECK(TestRepository::text_in(place.test.path + "/trees", "mine") == "mine\n");
}

void refusals() {
  Place place;
  place.tree.begin("task/alpha/3", place.base, std::nullopt);
  place.put("large", std::string(1001, 'x'));
  CHECK(place.take().refusal == "larger than 1000 bytes (git.largestFile): large");
  std::filesystem::remove(place.tree.top() + "/large");
  place.put("sub/a", "a\n");
  Git(place.tree.top() + "/sub").run({"init", "-q"});
  const std::string nested = "a repository inside the tree cannot land: sub; remove its folder .git or the folder";
  CHECK(place.take().refusal == nested);  // without a commit
  Git(place.tree.top() + "/sub").with_author(place.request.author).run({"commit", "-q", "--allow-empty", "-m", "x"});
  CHECK(place.take().refusal == nested);
  CHECK(place.branch() == "none");
  place.tree.begin("task/alpha/3", place.base, std::nullopt);
  CHECK(!place.has("sub"));
  // Markers of a merge of ours, and text that only looks like some.
  const std::string mark = " " + std::string(40, 'a') + "\n";
  place.put("a", "<<<<<<<" + mark + "1\n=======\n2\n>>>>>>>" + mark);
  place.put("b", "<<<<<<< ours\n");
  const Snapshot snapshot = place.take();
  CHECK(snapshot.refusal == "conflict markers are left in a" && place.branch() == snapshot.commit);
}

void merges() {
  TestRepository test;
  test.put("a", "1\n2\n3\n4\n5\n6\n7\n");
  test.put("gone", "1\n");
  const std::string base = test.commit("base");
  test.put("a", "one\n2\n3\n4\n5\n6\n7\n");
  std::filesystem::remove(test.main() + "/gone");
  const std::string ours = test.commit("ours");
  const auto other = [&](const std::string& file, const std::string& text) {
    test.git({"checkout", "-q", "--detach", base});
    test.put(file, text);
    return test.commit("theirs");
  };
  const Git git = Repository::open(test.main()).git();
  const Merge clean = merge_commits(git, ours, other("a", "1\n2\n3\n4\n5\n6\nseven\n"));
  CHECK(clean.conflicts.empty() && test.show(clean.tree, "a") == "one\n2\n3\n4\n5\n6\nseven");
  const std::string theirs = other("a", "uno\n2\n3\n4\n5\n6\n7\n");
  const Merge both = merge_commits(git, ours, theirs);
  CHECK(describe(both.conflicts) == "contents: a");
  CHECK(contains(test.show(both.tree, "a"), "<<<<<<< " + ours + "\none\n=======\nuno\n>>>>>>> " + theirs));
  CHECK(describe(merge_commits(git, ours, other("gone", "2\n")).conflicts) == "modify/delete: gone");
  CHECK(fails_with(Code::io, [&] { merge_commits(git, ours, std::string(40, '1')); }));
}

CheckResult check(const std::string& command, double seconds = 20) {
  CheckRequest request;
  request.command = command;
  request.folder = "/tmp";
  request.seconds = seconds;
  return run_check(request);
}

void checks() {
  TestRepository test;
  CHECK(check("true").kind == CheckResult::Kind::passed);
  const CheckResult failed = check("echo one; echo two >&2; exit 3");
  CHECK(failed.kind == CheckResult::Kind::failed && failed.receipt.status == 3);
  CHECK(contains(failed.reason, "exit status 3; the end of its output:\n"));
  CHECK(contains(check("kill -9 $$").reason, "ended by signal 9"));
  const CheckResult hanging = check("sleep 600", 0.1);
  CHECK(contains(hanging.reason, "not done within 0.1 s (tasks.checkTime)"));
  // A daemon does not hold it up, and does not outlive it.
  const std::string pid = test.path + "/pid";
  CHECK(check("setsid sleep 600 >/dev/null 2>&1 & echo $! >" + pid).kind == CheckResult::Kind::passed);
  CHECK(!std::filesystem::exists("/proc/" + std::to_string(std::stoi(TestRepository::text_in(test.path, "pid")))));
  // Only the end of a large output is kept, and a part of it in the file.
  CheckRequest request;
  request.command = "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo the end; exit 1";
  request.folder = test.path;
  request.output = test.path + "/output";
  const CheckResult large = run_check(request);
  CHECK(large.reason.ends_with("\nthe end") && large.reason.size() < 5000 && large.receipt.output == request.output);
  const std::string kept = TestRepository::text_in(test.path, "output");
  CHECK(kept.size() < 1100000 && kept.ends_with("the end\n"));
  request.folder = test.path + "/missing";
  CHECK(run_check(request).kind == CheckResult::Kind::failed);
}

}  // namespace

int main() {
  finding();
  environment();
  excluding();
  lines();
  judging();
  snapshots();
  attempts();
  hostile_tree();
  refusals();
  merges();
  checks();
  return report();
}
