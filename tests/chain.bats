load helper

# The migration to GraphQL: four tasks, each blocked by the one before.
setup_chain() {
  team-create rest-to-graphql
  team-join analyst
  team-join backend
  team-join frontend
  task-create 'Analyze REST endpoints' --as lead
  task-create 'Design GraphQL schema' --blocked-by 1 --as lead
  task-create 'Implement resolvers' --blocked-by 2 --as lead
  task-create 'Update frontend' --blocked-by 3 --as lead
}

@test "a chain of four tasks is worked off one after the other" {
  setup_chain >made

  same $'1\tpending\t-\t0\t-\tAnalyze REST endpoints' "$(task-list --ready)"
  same $'2\t1\n3\t2\n4\t3' "$(task-list --blocked | cut -f 1,5)"

  run --separate-stderr task-claim 2 --as backend
  as_expected 5 '' 'task-claim: blocked: task 2 waits for 1'

  run --separate-stderr task-claim 1 --as analyst
  as_expected 0 $'1\tin_progress\tanalyst\t0\t-\tAnalyze REST endpoints' ''

  run --separate-stderr task-claim --next --as backend
  as_expected 1 '' 'task-claim: no: nothing is ready'

  run --separate-stderr task-claim 2 --as backend
  as_expected 5 '' 'task-claim: blocked: task 2 waits for 1'

  run --separate-stderr task-complete 1 --as analyst --result '14 endpoints'
  as_expected 0 $'2\tpending\t-\t0\t-\tDesign GraphQL schema' ''

  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tDesign GraphQL schema' ''

  run --separate-stderr task-claim 3 --as frontend
  as_expected 5 '' 'task-claim: blocked: task 3 waits for 2'

  run --separate-stderr task-complete 2 --as backend
  as_expected 0 $'3\tpending\t-\t0\t-\tImplement resolvers' ''

  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'3\tin_progress\tbackend\t0\t-\tImplement resolvers' ''

  run --separate-stderr task-complete 3 --as backend
  as_expected 0 $'4\tpending\t-\t0\t-\tUpdate frontend' ''

  run --separate-stderr task-claim --next --as frontend
  as_expected 0 $'4\tin_progress\tfrontend\t0\t-\tUpdate frontend' ''

  run --separate-stderr task-complete 4 --as frontend
  as_expected 0 '' ''

  same '1 analyst 2 backend 3 backend 4 frontend' "$(task-list --status completed | cut -f 1,3 | xargs)"
  run --separate-stderr task-wait --timeout 0
  same 0 "$status"
}

@test "a chain keeps its order however many workers pull at it" {
  setup_chain >made

  seq 4 | xargs -P 4 -I{} bash -c '
    while [ "$(task-list --status completed | wc -l)" -lt 4 ]; do
      task=$(task-claim --next --as "worker-{}" 2>/dev/null) || continue
      task-complete "${task%%[[:blank:]]*}" --as "worker-{}" >/dev/null
    done'

  same '1 2 3 4' "$(task-list --json | jq -s -c 'sort_by(.completedAt) | .[].id' | xargs)"
  same true "$(task-list --json | jq -s '[range(3) as $i | .[$i].completedAt <= .[$i + 1].claimedAt] | all')"
  same '1 1 1 1' "$(task-list --json | jq .attempts | xargs)"
}

@test "a chain stops at a failure and goes on after it is reopened" {
  setup_chain >made
  task-claim 1 --as analyst
  task-fail 1 --as analyst --reason 'no access'

  run --separate-stderr task-claim 2 --as backend
  as_expected 5 '' 'task-claim: blocked: task 2 waits for 1'

  task-release 1 --as lead
  task-claim 1 --as analyst
  run --separate-stderr task-complete 1 --as analyst
  as_expected 0 $'2\tpending\t-\t0\t-\tDesign GraphQL schema' ''
}

@test "the example of the pages works off a chain in a shell loop" {
  setup_chain >made

  while task=$(task-claim --next --as backend 2>refusal); do
    id=${task%%[[:blank:]]*}
    task-complete "$id" --as backend >freed
    echo "$id"
  done >order

  same '1 2 3 4' "$(xargs <order)"
  same 'task-claim: no: nothing is ready' "$(cat refusal)"
}
