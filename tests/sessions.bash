# For tests of the endpoints that run teams. Load it last, in place of models.bash.
load models

unset TEAM_MODEL TEAM_PROVIDER TEAM_BASE_URL ANTHROPIC_BASE_URL OPENAI_BASE_URL

# start_server [OPTION…]: returns when the server answers; sets SERVER, its address, and TOKEN.
start_server() {
  team-serve "$@" >serve.out 2>serve.err </dev/null 3>&- &
  TEAMMATE[serve]=$!
  disown "${TEAMMATE[serve]}"
  wait_until grep -q '#token=' serve.out
  SERVER=$(sed 's|/#token=.*||' serve.out)
  TOKEN=$(sed 's/.*#token=//' serve.out)
}

# ask METHOD PATH [JSON]: prints the status and the body of the answer, in one line.
ask() {
  local body=()
  (($# < 3)) || body=(-H 'Content-Type: application/json' -d "$3")
  curl -s --max-time 30 -X "$1" -H "Authorization: Bearer $TOKEN" "${body[@]}" -w '\n%{http_code}\n' "$SERVER$2" |
    awk '{lines[NR] = $0} END {printf "%s", lines[NR]; for (i = 1; i < NR; ++i) if (lines[i] != "") printf " %s", lines[i]; print ""}'
}
