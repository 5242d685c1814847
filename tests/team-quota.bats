load helper
load trouble
load mail

@test "exits 1 and prints nothing when no quota is paused" {
  make_team

  run --separate-stderr team-quota

  as_expected 1 '' ''
}

@test "pauses a quota, lists it and ends the pause" {
  make_team

  team-quota --pause claude --for 1h --reason 'seen in my own session'

  like $'claude\t20??-??-?? ??:??:??\tuser\tseen in my own session' "$(team-quota)"
  same '["claude","user","seen in my own session"]' "$(team-quota --json | jq -c '[.quota, .by, .reason]')"
  same true "$(team-quota --json | jq '.until - .since | . > 3590 and . <= 3600')"
  same 1 "$(team-status --json | jq '.quotas | length')"
  like 'claude is paused until *: seen in my own session' "$(team-status --json | jq -r '.warnings[].warning')"
  run --separate-stderr team-quota --clear claude
  as_expected 0 '' ''
  run --separate-stderr team-quota
  same 1 "$status"
  same 'QUOTA_PAUSED QUOTA_RESUMED' "$(team-log --json | jq -r .event.type | grep QUOTA | xargs)"
}

@test "tells the user once, however often a quota is paused" {
  make_team

  team-quota --pause claude --for 1h
  team-quota --pause claude --for 2h
  team-quota --pause claude --for 1m

  same 1 "$(team-recv --peek --json | grep -c Paused)"
  same true "$(team-quota --json | jq '.until - .since | . > 7190')"
}

@test "refuses an unknown quota, a budget, and missing or wrong options" {
  make_team
  team-quota --pause claude --for 1h

  run --separate-stderr team-quota --clear cluade
  refused 3 "team-quota: not_found: no quota 'cluade' is paused; did you mean claude?"
  run --separate-stderr team-quota --clear budget.usd
  refused 8 'team-quota: invalid_state: budget.usd is a limit: raise it with team-config or in the role'
  run --separate-stderr team-quota --pause claude
  refused 2 'team-quota: usage: --pause needs --for SECONDS'
  run --separate-stderr team-quota --for 3
  refused 2 'team-quota: usage: --for and --reason are for --pause'
  run --separate-stderr team-quota --pause budget.usd --for 3
  refused 2 "team-quota: usage: 'budget.usd' is not the name of a quota"
}

@test "only the lead and the user change pauses" {
  make_team
  team-quota --pause claude --for 1h

  TEAM_MEMBER=backend run --separate-stderr team-quota --clear claude
  refused 7 'team-quota: permission_denied: *'
  TEAM_MEMBER=backend run --separate-stderr team-quota
  same 0 "$status"
}
