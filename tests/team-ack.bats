load helper
load trouble
load mail

# held_by_backend: three messages that backend holds; IDS are their ids.
held_by_backend() {
  make_team
  for text in one two three; do team-send backend "$text" --as lead; done >ids
  mapfile -t IDS <ids
  team-recv --as backend --hold >/dev/null
}

status_of() { team-send --status "$1" | cut -f2; }

@test "marks held messages as processed and prints nothing" {
  held_by_backend

  run --separate-stderr team-ack "${IDS[@]}" --as backend

  as_expected 0 '' ''
  for id in "${IDS[@]}"; do same processed "$(status_of "$id")"; done
  [ ! -e .teams/alpha/backend_taken.jsonl ]
}

@test "leaves the others held" {
  held_by_backend

  team-ack "${IDS[1]}" --as backend

  same 'delivered processed delivered' "$(for id in "${IDS[@]}"; do status_of "$id"; done | xargs)"
  TEAM_RUN_ID=first team-recv --as backend || true
  team-ack "${IDS[0]}" "${IDS[2]}" --as backend
  same 'processed processed processed' "$(for id in "${IDS[@]}"; do status_of "$id"; done | xargs)"
}

@test "acts as TEAM_MEMBER" {
  held_by_backend

  TEAM_MEMBER=backend run --separate-stderr team-ack "${IDS[@]}"

  as_expected 0 '' ''
}

@test "records each as processed, once" {
  held_by_backend

  team-ack "${IDS[@]}" --as backend

  same "$(cat ids)" "$(team-log --type MESSAGE_PROCESSED --json | jq -r .event.message_id)"
}

@test "removes the file of a large text" {
  make_team
  head -c 100000 /dev/zero | tr '\0' x | team-send backend --as lead >large
  team-send backend 'small' --as lead >small
  team-recv --as backend --hold >/dev/null
  same "$(cat large)" "$(ls .teams/alpha/bodies)"

  team-ack "$(cat large)" --as backend

  same '' "$(ls .teams/alpha/bodies)"
  same delivered "$(status_of "$(cat small)")"
}

@test "exits 3 when one of them is not held, and marks none" {
  held_by_backend
  pending=$(team-send backend 'four' --as lead)

  run --separate-stderr team-ack "$pending" --as backend
  as_expected 3 '' "team-ack: not_found: backend holds no message '$pending'"
  same pending "$(status_of "$pending")"

  run --separate-stderr team-ack 01JD0V8Z7Q4M3N2B1A0F9E8D7C "${IDS[@]}" --as backend
  as_expected 3 '' "team-ack: not_found: backend holds no message '01JD0V8Z7Q4M3N2B1A0F9E8D7C'"
  for id in "${IDS[@]}"; do same delivered "$(status_of "$id")"; done

  team-ack "${IDS[@]}" --as backend
  run --separate-stderr team-ack "${IDS[0]}" --as backend --json
  same 3 "$status"
  like '{"status":"error","code":"not_found","error":"backend holds no message *"}' "$stderr"
}

@test "exits 3 for a message that another member holds, and for a caller that is not a member" {
  held_by_backend

  run --separate-stderr team-ack "${IDS[0]}" --as frontend
  as_expected 3 '' "team-ack: not_found: frontend holds no message '${IDS[0]}'"
  same delivered "$(status_of "${IDS[0]}")"

  run --separate-stderr team-ack "${IDS[0]}" --as stranger
  refused 3 "team-ack: not_found: no member 'stranger' in team alpha*"
}

@test "does not let an agent acknowledge the mail of another" {
  held_by_backend

  TEAM_MEMBER=frontend run --separate-stderr team-ack "${IDS[@]}" --as backend

  as_expected 7 '' 'team-ack: permission_denied: you are frontend (TEAM_MEMBER) and cannot act as backend'
  same delivered "$(status_of "${IDS[0]}")"
}

@test "exits 2 without an id" {
  make_team

  run --separate-stderr team-ack --as backend
  as_expected 2 '' 'team-ack: usage: MESSAGE is missing (try team-ack --help)'

  run --separate-stderr team-ack --bogus
  as_expected 2 '' "team-ack: usage: unknown option '--bogus' (try team-ack --help)"
}

@test "exits 9 for a broken configuration" {
  held_by_backend
  echo '{' >.teams/alpha/config.json

  run --separate-stderr team-ack "${IDS[@]}" --as backend

  refused 9 'team-ack: corrupt: .teams/alpha/config.json:*'
}

@test "exits 74 and leaves them held when nothing can be written" {
  held_by_backend
  read_only .teams

  run --separate-stderr team-ack "${IDS[@]}" --as backend

  refused 74 'team-ack: io: *'
  same delivered "$(status_of "${IDS[0]}")"
}

@test "exits 75 and leaves them held when a lock is not had in time" {
  held_by_backend
  hold .teams/alpha/backend_inbox.lock

  run --separate-stderr team-ack "${IDS[@]}" --as backend --lock-timeout 50ms

  refused 75 "team-ack: again: cannot lock '.teams/alpha/backend_inbox.lock': *"
  let_go
  same delivered "$(status_of "${IDS[0]}")"
}
