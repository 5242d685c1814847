# The endpoint /metrics, in the text format of Prometheus.
load helper
load mail
load sessions

# check_metrics FILE: every line is a comment or a sample, and the samples of a metric stand together below its type.
check_metrics() {
  "$PYTHON" - "$1" <<'END'
import re, sys
text = open(sys.argv[1]).read()
assert text.endswith("\n"), "no newline at the end"
name = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
sample = re.compile(rf"({name})(?:\{{({label}(?:,{label})*)\}})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)")
present, seen, samples = None, set(), set()
for line in text[:-1].split("\n"):
    if match := re.fullmatch(rf"# HELP ({name}) (.+)", line):
        assert match[1] not in seen, f"{match[1]} twice"
        present = None
        seen.add(match[1])
        helped = match[1]
    elif match := re.fullmatch(rf"# TYPE ({name}) (counter|gauge)", line):
        assert match[1] == helped, f"the type of {match[1]} does not follow its help"
        present, kind = match[1], match[2]
        assert (kind == "counter") == present.endswith("_total"), f"{present} is a {kind}"
    else:
        match = sample.fullmatch(line)
        assert match, f"not a sample: {line}"
        assert match[1] == present, f"{match[1]} below {present}"
        assert (match[1], match[2]) not in samples, f"twice: {line}"
        samples.add((match[1], match[2]))
        assert kind == "gauge" or float(match[3]) >= 0, line
END
}

@test "prints tasks, members, messages, events and requests of every team" {
  team-create alpha
  team-join worker
  task-create first
  task-create second --blocked-by 1
  task-claim 1 --as worker
  team-send worker hello
  team-create beta
  start_server

  curl -si -H "Authorization: Bearer $TOKEN" "$SERVER/metrics" | tr -d '\r' >answer
  sed '1,/^$/d' answer >metrics

  grep -qix 'content-type: text/plain; version=0.0.4; charset=utf-8' answer
  check_metrics metrics
  for sample in 'teamkit_tasks{team="alpha",status="in_progress"} 1' 'teamkit_tasks{team="alpha",status="blocked"} 1' \
    'teamkit_unread_messages{team="alpha",member="worker"} 1' 'teamkit_members_running{team="alpha"} 0' \
    "teamkit_events_total{team=\"alpha\"} $(team-log -t alpha | wc -l)" 'teamkit_team_up{team="beta"} 1'; do
    grep -qFx "$sample" metrics || { echo "missing: $sample" && false; }
  done
}

@test "shows a team that cannot be read as down" {
  team-create alpha
  start_server
  echo broken >.teams/alpha/config.json

  ask GET /metrics >metrics

  [[ $(cat metrics) == *'teamkit_team_up{team="alpha"} 0'* ]]
}

@test "the check of the format refuses wrong formats" {
  for text in 'a' '# HELP a b\n# TYPE a gauge\nb 1\n' '# HELP a b\n# TYPE a gauge\na{b="c} 1\n' \
    '# HELP a b\n# TYPE a gauge\na 1\na 1\n' '# HELP a b\n# TYPE a counter\na 1\n' '# HELP a b\n# TYPE a gauge\na x\n'; do
    printf '%b' "$text" >wrong
    run ! check_metrics wrong
  done
}

@test "needs the token" {
  team-create alpha
  start_server

  same 401 "$(TOKEN=wrong ask GET /metrics | cut -c1-3)"
}
