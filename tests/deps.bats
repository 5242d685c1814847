# scripts/deps with a stand-in for apt-get, in a PATH where the programs of the packages are missing.
load helper

setup_path() {
  mkdir bin
  for tool in sh env cat mktemp rm ls; do ln -s "$(command -v "$tool")" "bin/$tool"; done
  printf '#!/bin/sh\necho 0\n' >bin/id
  printf '#!/bin/sh\necho "$*" >>%s/asked\nexit ${REFUSES:-0}\n' "$PWD" >bin/apt-get
  chmod +x bin/id bin/apt-get
}

# deps PURPOSE...
deps() {
  PATH=$PWD/bin run --separate-stderr scripts_deps "$@"
}
scripts_deps() { "$PROJECT/scripts/deps" "$@"; }

# installs PACKAGE: true if the last call asked for it.
installs() { grep -q "^-qy install .* $1\( \|$\)" asked; }

@test "a demonstration installs nothing that only the tests need" {
  setup_path

  deps demo

  same 0 "$status"
  installs g++ && installs python3
  for package in bats parallel strace tmux mandoc faketime jq git clang sqlite3; do ! installs "$package" || return; done
}

@test "each purpose installs its packages" {
  setup_path

  deps demo-exec
  installs g++ && installs jq
  run ! installs bats
  rm asked
  deps check
  installs bats && installs python3 && installs strace
  run ! installs clang
  rm asked
  deps proofs
  installs bats && installs clang
  run ! installs nq
  rm asked
  deps bench
  installs bats && installs nq
  rm asked
  deps
  installs g++
  run ! installs python3
}

@test "prints the commands that it is about to run" {
  setup_path

  deps demo

  same '' "$output"
  same 'deps: apt-get -q update' "${stderr_lines[0]}"
  same "deps: env DEBIAN_FRONTEND=noninteractive apt-get $(grep install asked)" "${stderr_lines[1]}"
}

@test "is silent when everything is there" {
  setup_path
  for program in g++ make curl-config python3 script; do ln -s /bin/true "bin/$program"; done

  CXX=g++ deps demo

  as_expected 0 '' ''
  [ ! -e asked ]
}

@test "names the missing packages when apt-get fails or is missing" {
  setup_path

  REFUSES=100 deps demo
  same 1 "$status"
  [[ ${stderr_lines[-1]} == 'deps: apt-get failed; needed are: '*python3* ]]

  rm bin/apt-get
  deps demo
  same 1 "$status"
  [[ $stderr == 'deps: please install what these Debian packages hold: '*python3* ]]
}

@test "refuses a purpose that it does not know" {
  run --separate-stderr "$PROJECT/scripts/deps" banana

  as_expected 2 '' 'usage: deps [demo | demo-exec | check | check-real | proofs | bench]'
}
