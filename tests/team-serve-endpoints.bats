# Rules that hold for every endpoint of team-serve. The list of the endpoints comes from the sources.
load helper
load serve

setup() {
  begin_test
  servers=()
  team-create alpha >made
  team-join ann
  task-create 'first' >made
}

teardown() { stop_servers; }

# endpoints: METHOD PATTERN of each, such as "GET /api/tasks/ID".
endpoints() {
  cat "$PROJECT"/libteam/serve/*.cc | grep -oE '\{"(GET|POST|PATCH|DELETE)", "/[^"]*"' |
    sed -E 's/[{]"([A-Z]*)", "(.*)"/\1 \2/; s/[{]id[}]/ID/; s/[{]name[}]/NAME/' | grep -v ' /mcp' | sort
}

# closed_endpoints: the ones that need the token.
closed_endpoints() { endpoints | grep -v '/healthz$'; }

# status_of METHOD PATTERN CURL-OPTION…; on a fast machine more changes are asked for in a second than the server takes.
status_of() {
  local path=${2/ID/1} status=429 tries
  for ((tries = 0; tries < 1000; tries++)); do
    status=$(curl -sS -o body -w '%{http_code}' --max-time 10 -X "$1" "${@:3}" "$url${path/NAME/ann}")
    [ "$status" = 429 ] || break
  done
  echo "$status"
}

@test "every endpoint refuses a wrong token, another host and a foreign page, and changes nothing" {
  start_server
  [ "$(closed_endpoints | wc -l)" -ge 50 ]
  before=$(task-list --json; team-config --list; team-log | wc -l)

  while read -r method path; do
    # Of wrong tokens only ten a second get a 401.
    wanted='^(401|429)$'
    for header in 'X-None: 1' 'Authorization: Bearer wrong' "Authorization: Basic $token" "Cookie: token=$token"; do
      [[ $(status_of "$method" "$path" -H "$header") =~ $wanted ]] || failed+=" $method $path with $header;"
    done
    [[ $(status_of "$method" "$path?token=$token") =~ $wanted ]] || failed+=" $method $path with a token in the query;"
    for header in 'Host: evil.test' 'Origin: http://evil.test' 'Origin: null' 'Sec-Fetch-Site: cross-site' \
      'Sec-Fetch-Site: same-site'; do
      same 403 "$(status_of "$method" "$path" -H "Authorization: Bearer $token" -H "$header")" ||
        failed+=" $method $path with $header;"
    done
  done < <(closed_endpoints)

  same '' "${failed-}"
  same "$before" "$(task-list --json; team-config --list; team-log | wc -l)"
}

@test "every change needs JSON, and is refused with --read-only" {
  start_server --read-only

  while read -r method path; do
    [ "$method" != GET ] || continue
    same 403 "$(status_of "$method" "$path" -H "Authorization: Bearer $token")" || failed+=" $method $path;"
  done < <(endpoints)
  kill "$server"
  wait "$server"
  start_server
  while read -r method path; do
    [ "$method" != GET ] && [ "$method" != DELETE ] || continue
    for type in text/plain application/x-www-form-urlencoded multipart/form-data; do
      same 415 "$(status_of "$method" "$path" -H "Authorization: Bearer $token" -H "Content-Type: $type" -d '{}')" ||
        failed+=" $method $path as $type;"
    done
  done < <(endpoints)

  same '' "${failed-}"
}

# pages_endpoints: METHOD PATTERN of each in teamkit-http(7).
pages_endpoints() {
  sed -nE 's/^\.(It )?Sy (GET|POST|PATCH|DELETE) /\2 /p' "$PROJECT/man/teamkit-http.7" |
    awk -F ' , Sy ' '{ print $1; for (i = 2; i <= NF; i++) { one = $1; sub("[a-z]*$", $i, one); print one } }' | sort
}

# examples_endpoints: the same of the curl lines in its examples.
examples_endpoints() {
  sed -n '/^\.Sh EXAMPLES/,$p' "$PROJECT/man/teamkit-http.7" | grep -E '^\$ ' | grep -oE 'curl [^|;]*' |
    awk '{
      method = /--json/ ? "POST" : "GET"
      if (match($0, /-X [A-Z]+/)) method = substr($0, RSTART + 3, RLENGTH - 3)
      match($0, /\$at[^ "]*/)
      path = substr($0, RSTART + 3, RLENGTH - 3)
      sub(/[?].*/, "", path); sub(/[)]$/, "", path)
      sub(/\/([0-9]+|\$id|\$plan)/, "/ID", path); sub(/\/ann/, "/NAME", path)
      print method, path
    }' | sort -u
}

@test "teamkit-http(7) has every endpoint, and a curl line for each" {
  same "$(endpoints)" "$(pages_endpoints | grep -v ' /mcp')"
  same "$(endpoints)" "$(examples_endpoints | grep -v ' /mcp')"
}
