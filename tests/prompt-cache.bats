# The prefix of the requests of a model, which services cache.
load helper
load models

# busy_team: two teammates that change the board and write to each other between their requests.
busy_team() {
  start_model <<'END'
[{"when": {"user": "Your task is"}, "steps": [
   [{"thinking": "Look."}, {"tool": "bash", "input": {"command": "seq -s ' ' 500"}}],
   [{"tool": "TaskCreate", "input": {"subject": "one more"}}, {"tool": "TaskList", "input": {}}],
   [{"tool": "SendMessage", "input": {"recipient": "user", "content": "I am at it."}}],
   [{"thinking": "Again."}, {"text": "Again."}, {"tool": "bash", "input": {"command": "seq -s ' ' 500"}}],
   [{"tool": "TaskCreate", "input": {"subject": "and another"}}],
   [{"tool": "bash", "input": {"command": "seq -s ' ' 300"}}],
   "Done."]},
 {"answer": "Noted."}]
END
  team-create alpha >/dev/null
  for name in ann bob; do task-create "work of $name" --owner "$name" >/dev/null; done
  for name in ann bob; do start_teammate "$name" --once "${MODEL[@]}"; done
  wait "${TEAMMATE[ann]}" "${TEAMMATE[bob]}"
  same 14 "$(calls)"
}

# shares: the figures of the bench, a line for each conversation.
shares() { "$PROJECT/scripts/bench.d/cache_share.py" model.log; }

@test "consecutive requests of busy teammates have the same prefix, so that the service can cache it" {
  is_cached() {
    busy_team
    # The state of the team did change from request to request.
    (($(asked present | sort -u | wc -l) > 8))
    same 12 "$(shares | awk -F '\t' '$1 == "all" { print $2 }')"
    same '' "$(shares | awk -F '\t' '$3 < 90')"
  }

  in_each_format is_cached
}

@test "a beginning that changes from request to request is noticed" {
  is_noticed() {
    busy_team
    awk '{ sub("You are teammate", NR " tasks. You are teammate"); print }' model.log >changed
    same 2 "$("$PROJECT/scripts/bench.d/cache_share.py" changed | awk -F '\t' '$1 != "all" && $3 < 70' | wc -l)"
  }

  in_each_format is_noticed
}
