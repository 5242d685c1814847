load helper
load trouble
load mail

# repeat COUNT CHARACTER
repeat() { printf "%0.s$2" $(seq "$1"); }

@test "prints the messages of teammates, newest last" {
  make_team
  team-send backend 'the schema is final' --as lead
  team-send lead 'building' --as frontend

  run --separate-stderr team-digest --as tester

  as_expected 0 $'[Teammate lead]: the schema is final\n[Teammate frontend]: building' ''
}

@test "prints nothing when nobody said anything" {
  make_team

  run --separate-stderr team-digest --as backend

  as_expected 0 '' ''
}

@test "leaves out messages of the reader, the user and the system" {
  make_team
  team-send lead 'by me' --as backend
  team-send lead 'by the user'
  task-create 'one' --owner frontend
  team-send lead 'by frontend' --as frontend

  run --separate-stderr team-digest --as backend

  as_expected 0 '[Teammate frontend]: by frontend' ''
}

@test "takes no message from the inbox" {
  make_team
  team-send backend 'hello' --as lead

  team-digest --as backend

  same hello "$(waiting_for backend)"
}

@test "shows messages that were taken long ago" {
  make_team
  team-send backend 'hello' --as lead
  team-recv --as backend

  same '[Teammate lead]: hello' "$(team-digest --as backend)"
}

@test "shows a broadcast once, and two of them twice" {
  make_team

  team-send --broadcast 'stand-up' --as lead
  same '[Teammate lead]: stand-up' "$(team-digest --as backend)"

  team-send --broadcast 'stand-up' --as lead
  same 2 "$(team-digest --as backend | wc -l)"
}

@test "prints one line for a message of several" {
  make_team
  team-send backend $'first\nsecond\tthird' --as lead

  same 1 "$(team-digest --as backend | wc -l)"
}

@test "prints the last 10 by default" {
  make_team
  for i in {1..13}; do team-send backend "$i" --as lead; done

  same "$(for i in {4..13}; do echo "[Teammate lead]: $i"; done)" "$(team-digest --as backend)"
}

@test "cuts each text to 200 characters, whatever their bytes" {
  make_team
  team-send backend "$(repeat 300 é)" --as lead
  team-send backend "$(repeat 200 🦀)" --as lead

  team-digest --as backend | sed 's/^\[Teammate lead\]: //' >texts

  same 200 "$(head -1 texts | tr -d '\n' | wc -m)"
  same "$(repeat 200 🦀)" "$(tail -1 texts)"
}

@test "prints 4000 characters in all, dropping the oldest" {
  make_team
  team-config digest.messages 100
  for i in {1..30}; do team-send backend "$i $(repeat 180 é)" --as lead; done

  team-digest --as backend >seen

  (($(wc -m <seen) <= 4000))
  (($(wc -m <seen) > 3700))
  like '* 30 *' "$(tail -1 seen)"
}

@test "keeps to the settings" {
  make_team
  for i in {1..5}; do team-send backend "$i$(repeat 300 x)" --as lead; done

  team-config digest.messages 3
  same 3 "$(team-digest --as backend | wc -l)"

  team-config digest.width 10
  same 10 "$(team-digest --as backend | tail -1 | sed 's/^\[Teammate lead\]: //' | tr -d '\n' | wc -m)"

  team-config digest.width 250
  same 250 "$(team-digest --as backend | tail -1 | sed 's/^\[Teammate lead\]: //' | tr -d '\n' | wc -m)"

  team-config digest.width 10
  team-config digest.total 60
  (($(team-digest --as backend | wc -m) <= 60))

  team-config digest.enabled false
  run --separate-stderr team-digest --as backend
  as_expected 0 '' ''
}

@test "goes back over a rotation of the events" {
  make_team
  export TEAM_EVENTS_ROTATE=500
  for i in {1..6}; do team-send backend "$i" --as lead; done

  same "$(for i in {1..6}; do echo "[Teammate lead]: $i"; done)" "$(team-digest --as backend)"
}

@test "exits 2 for an operand" {
  make_team

  run --separate-stderr team-digest backend

  as_expected 2 '' "team-digest: usage: unexpected operand 'backend' (try team-digest --help)"
}

@test "exits 3 without a team" {
  task-create 'only a board'

  run --separate-stderr team-digest

  refused 3 'team-digest: not_found: no team *'
}

@test "does not let an agent ask as another" {
  make_team

  TEAM_MEMBER=backend run --separate-stderr team-digest --as lead

  refused 7 'team-digest: permission_denied: *'
}

@test "exits 9 for a broken configuration" {
  make_team
  echo '{' >.teams/alpha/config.json

  run --separate-stderr team-digest

  refused 9 'team-digest: corrupt: .teams/alpha/config.json:*'
}

@test "works on a read-only store" {
  make_team
  team-send backend 'hello' --as lead
  read_only .teams

  run --separate-stderr team-digest --as backend

  as_expected 0 '[Teammate lead]: hello' ''
}

@test "exits 74 if it cannot be written" {
  make_team
  team-send backend 'hello' --as lead

  run --separate-stderr bash -c 'team-digest --as backend >/dev/full'

  as_expected 74 '' 'team-digest: io: cannot write to stdout: No space left on device'
}
