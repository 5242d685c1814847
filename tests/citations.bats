load helper

setup_tree() {
  mkdir -p libteam/base libteam/store cmd man scripts tests
  touch README.md man/task-claim.1 man/teamkit-files.5 libteam/base/error.h
}

check() { run --separate-stderr "$PROJECT/scripts/check-citations" .; }

@test "says nothing of this tree" {
  run --separate-stderr "$PROJECT/scripts/check-citations"

  as_expected 0 '' ''
}

@test "takes documents, pages and paths that are there, and patterns" {
  setup_tree
  printf '%s\n' '// See README.md, task-claim(1), teamkit-files(5), flock(2) and libteam/base/error.h.' \
    '// A task is N.json, a skill SKILL.md; tests/*.bats and man/<name>.1 are many.' 'int md = read("lost.md");' >cmd/one.cc

  check

  as_expected 0 '' ''
}

@test "names a file that a comment cites and that does not exist" {
  setup_tree
  printf '%s\n' 'int one;  // as guarantees.md promises' '// task-clam(1)' '// see libteam/base/gone.h' >cmd/one.cc
  printf '%s\n' '# as the contract says' 'run lost.md' >scripts/two

  check

  as_expected 1 "cmd/one.cc:1: 'guarantees.md' is not in the tree
cmd/one.cc:2: there is no page task-clam(1)
cmd/one.cc:3: 'libteam/base/gone.h' is not in the tree
scripts/two:1: the contract is not in the tree" ''
}

@test "names a type that two headers define" {
  setup_tree
  printf '%s\n' 'struct Verdict {' '  int status = 0;' '};' 'class Other;' >libteam/base/one.h
  printf '%s\n' 'class Other;' 'enum class Verdict { yes, no };' >libteam/store/two.h

  check

  as_expected 1 'libteam/store/two.h:2: Verdict is defined in libteam/base/one.h too' ''
}
