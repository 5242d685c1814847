# A server for a test: start_server, ask, stop_servers. The file that loads this calls stop_servers in its teardown.

# start_server OPTION…: starts team-serve in the background and waits for its address. Sets $server, $url (without the
# fragment) and $token.
start_server() {
  : >address
  team-serve "$@" >address 2>server.err 3>&- &
  server=$!
  servers+=("$server")
  wait_until server_is_ready || { cat server.err >&2; return 1; }
  url=$(sed 's/#.*//' address)
  url=${url%/}
  token=$(sed 's/.*#token=//' address)
}

server_is_ready() { [ -s address ] || ! kill -0 "$server" 2>/dev/null; }

stop_servers() {
  [ ${#servers[@]} -eq 0 ] || kill -KILL "${servers[@]}" 2>/dev/null || true
}

# ask METHOD PATH [BODY] [CURL-OPTION…]: sends a request with the token. Sets $code, and $answer to the body.
ask() {
  local method=$1 path=$2 body=${3-} options=()
  shift $(($# < 3 ? $# : 3))
  [ -z "$body" ] || options=(-H 'Content-Type: application/json' --data-binary "$body")
  answer=$(curl -sS --globoff -X "$method" -H "Authorization: Bearer $token" -w '\n%{http_code}' "${options[@]}" "$@" "$url$path")
  code=${answer##*$'\n'}
  answer=${answer%$'\n'*}
}

# answers CODE JQ EXPECTED: compares the status of the last request, and a part of its JSON.
answers() {
  same "$1" "$code" && same "$3" "$(jq -c "$2" <<<"$answer")"
}

# refuses STATUS CODE TEXT: compares the status, the code and a part of the message of an error.
refuses() {
  same "$1 error $2" "$code $(jq -r '"\(.status) \(.code)"' <<<"$answer")" || { echo "$answer" >&2; return 1; }
  [[ $(jq -r .error <<<"$answer") == *"$3"* ]] || { echo "$answer" >&2; return 1; }
}
