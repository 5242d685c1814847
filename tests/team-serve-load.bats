# team-serve under load: scripts/torture.d/serve-load, its short form.
load helper

serve_load() { "$PROJECT/scripts/torture.d/serve-load" "$BIN" "$@"; }

@test "a server that is killed under load loses nothing, and no stream has a gap or a double" {
  run --separate-stderr serve_load 5

  same '' "$stderr"
  [[ $output == 'serve: '[1-9]*' kills, '[1-9]*' acknowledged changes, '*': nothing lost, no gap, no double' ]]
}

@test "a server under load exits 0 at its end" {
  run --separate-stderr serve_load 4 --no-kill

  same '' "$stderr"
  [[ $output == 'serve: 0 kills, '[1-9]*' acknowledged changes, '*': nothing lost, no gap, no double' ]]
}

@test "the load test notices a lost change and a gap" {
  SERVE_LOAD_FAULT=lost run --separate-stderr serve_load 2
  as_expected 1 '' 'serve-load: acknowledged tasks are missing or double: [1000000]'

  SERVE_LOAD_FAULT=gap run --separate-stderr serve_load 2
  as_expected 1 '' 'serve-load: event 31 after event 29'
}
