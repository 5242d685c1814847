# Kernels, sandboxes and file systems without optional features that we use.
load helper
load trouble

# lacking INJECTION…: from now on these calls fail for all our commands, but for no other program.
lacking() {
  command -v strace >/dev/null || skip 'needs strace'
  local program options
  options="-e trace=$(printf '%s\n' "${@%%:*}" | paste -sd,)$(printf ' -e inject=%s' "$@")"
  mkdir "$BATS_TEST_TMPDIR/poor-bin"
  for program in "$BIN"/*; do
    printf '#!/bin/sh\nexec strace -f -qq -A -o %q %s %q "$@"\n' "$BATS_TEST_TMPDIR/trace" "$options" "$program" \
      >"$BATS_TEST_TMPDIR/poor-bin/${program##*/}"
  done
  chmod +x "$BATS_TEST_TMPDIR/poor-bin"/*
  PATH=$BATS_TEST_TMPDIR/poor-bin:$PATH
}

did_lack() { grep -q INJECTED "$BATS_TEST_TMPDIR/trace"; }

# The work of a team.
a_day() {
  set -eu
  team-create alpha
  team-join backend
  team-join frontend
  task-create first --description words
  printf '%s\n' '{"subject":"second","blockedBy":[1]}' '{"subject":"third"}' | task-create -
  task-claim 1 --as backend
  task-complete 1 --as backend
  task-update 2 --subject other
  team-send backend hello --as lead
  team-recv --as backend
  plan-submit 'my plan' --as backend
  plan-approve "$(plan-list --json | jq -r .id)"
  team-save alpha.tar
  team-delete alpha --force
  team-load --trust alpha.tar
  team-fsck
}

outcome() { jq -c '[.id, .subject, .status, .owner]' .tasks/*.json; }

as_everywhere() {
  mkdir rich poor
  (cd rich && a_day >/dev/null)
  lacking "$@"

  run --separate-stderr bash -c "cd poor; $(declare -f a_day); a_day >/dev/null"

  as_expected 0 '' ''
  did_lack
  same "$(cd rich && outcome)" "$(cd poor && outcome)"
  same '' "$(find poor -name '.tmp-*')"
}

@test "all is the same where the kernel has no openat2" {
  as_everywhere openat2:error=ENOSYS
}

@test "all is the same where a sandbox forbids openat2" {
  as_everywhere openat2:error=EPERM
}

@test "all is the same on a file system that only knows a plain rename" {
  as_everywhere renameat2:error=EINVAL
}

@test "all is the same where every other call is interrupted" {
  ! is_sanitized || skip 'what loads a program that is not static gives up'
  as_everywhere {openat2,read,pread64,write,fsync,fdatasync}:error=EINTR:when=1+2
}

@test "follows no link inside a store where the kernel has no openat2" {
  team-create alpha
  task-create first
  mv .tasks/1.json elsewhere.json
  ln -s ../elsewhere.json .tasks/1.json
  mv .teams/alpha elsewhere
  ln -s ../elsewhere .teams/alpha
  lacking openat2:error=ENOSYS

  run --separate-stderr task-get 1
  refused 9 "task-get: corrupt: .tasks/1.json: is a symbolic link"

  run --separate-stderr team-config --list -t alpha
  refused 3 "team-config: not_found: no team 'alpha'"
  did_lack
}
