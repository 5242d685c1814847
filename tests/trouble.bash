# For tests in which other processes or the system interfere. Everything that is held or mounted ends with the test.

declare -ga MOUNTED=()  # folders

# hold FILE: a process keeps FILE locked, as a living writer or teammate does, until let_go.
hold() {
  rm -f life
  mkfifo life
  flock --no-fork "$1" cat life 3>&- &
  HOLDER=$!
  wait_until is_held "$1"
}

is_held() {
  [ -e "$1" ] && ! flock --nonblock "$1" true
}

let_go() {
  [ -n "${HOLDER:-}" ] || return 0
  kill -KILL "$HOLDER"
  wait "$HOLDER" 2>/dev/null || true
  HOLDER=
}

# lease_is_over ID: by the boot clock, which leases use.
lease_is_over() {
  awk -v end="$(jq .lease.until ".tasks/$1.json")" '{ exit !($1 > end) }' /proc/uptime
}

# mount_here ARGUMENT… FOLDER: mount(8) with these arguments; skips the test where that is not allowed.
mount_here() {
  ((EUID == 0)) || skip 'mounting needs root'
  mount "$@" 2>/dev/null || skip 'cannot mount here'
  MOUNTED+=("$(realpath "${@: -1}")")
}

# read_only FOLDER: nobody can write there, not even root.
read_only() {
  if ((EUID != 0)); then
    chmod -R a-w "$1"
    return
  fi
  mount_here --bind "$1" "$1"
  mount -o remount,bind,ro "$1"
}

# small_disk [KIB]: changes to an empty folder on a disk of 64 KiB, or so many.
small_disk() {
  mkdir small
  mount_here -t tmpfs -o "size=${1:-64}k" tmpfs small
  cd small || return
}

fill_disk() {
  cat /dev/zero 2>/dev/null >full || true
}

teardown() {
  local i
  let_go
  cd /
  for ((i = ${#MOUNTED[@]} - 1; i >= 0; i--)); do
    umount --lazy "${MOUNTED[i]}" 2>/dev/null || fusermount -uz "${MOUNTED[i]}"  # a user unmounts FUSE only
  done
  chmod -R u+w "$BATS_TEST_TMPDIR"
}

# like PATTERN ACTUAL: shows both if the glob pattern does not match.
like() {
  # shellcheck disable=SC2053
  [[ $2 == $1 ]] && return
  printf 'expected: %s\n  actual: %s\n' "$1" "$2" >&2
  return 1
}

# refused STATUS PATTERN: `run --separate-stderr` left nothing on stdout and one line on stderr.
refused() {
  same "$1" "$status" && same '' "$output" && like "$2" "$stderr" && same 1 "${#stderr_lines[@]}"
}
