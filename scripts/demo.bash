# Common code of the demos: `bin` is the folder of the programs, `place` the folder to work in, which is made anew.
export PATH=$bin:$PATH
unset TEAM_ROOT TEAM_NAME TEAM_MEMBER TEAM_RUN_ID
# A demo need not survive a power failure.
export TEAM_DURABILITY=process

bold='' faint='' plain='' live=''
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then
  # shellcheck disable=SC2034 # for who sources this
  live=yes
  [ -n "${NO_COLOR:-}" ] || bold=$'\e[1m' faint=$'\e[2m' plain=$'\e[0m'
fi

end_all() {
  local folder
  for folder in "$place"/*/; do
    [ -d "$folder/.teams" ] && teammate-stop -C "$folder" --all --timeout 2 --force >/dev/null
  done
}
trap end_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

rm -rf "$place"
mkdir -p "$place" && place=$(cd "$place" && pwd) || exit

title() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }

# show COMMAND…: prints the command as if it were typed, and runs it.
show() {
  local line='' word
  for word; do
    [[ $word =~ ^[A-Za-z0-9_./,=:-]+$ ]] || word="'$word'"
    line+="$word "
  done
  printf '%s$ %s%s\n' "$faint" "${line% }" "$plain"
  "$@"
}
