load helper
load teammates

# Three tasks, the last waits for the others; bob completes one, ann fails one, all by hand.
small_team() {
  team-create alpha >/dev/null
  team-join ann >/dev/null
  team-join bob >/dev/null
  task-create 'dig' >/dev/null
  task-create 'build' --blocked-by 1 >/dev/null
  task-create 'paint' --blocked-by 2 >/dev/null
  task-claim 1 --as bob >/dev/null
  task-complete 1 --as bob >/dev/null
  task-claim 2 --as ann >/dev/null
  task-fail 2 --as ann --reason 'no bricks left' >/dev/null
  team-send ann 'bring bricks' --as bob >/dev/null
}

# well_formed FILE…: parses it as XML and stops at the first error.
well_formed() {
  python3 - "$@" <<'END'
import sys, xml.dom.minidom
for name in sys.argv[1:]: xml.dom.minidom.parse(name)
END
}

# part ID FILE: one section of the page.
part() {
  sed -n "/<section id=\"$1\">/,/<\/section>/p" "$2"
}

# texts FILE: the visible texts of an SVG, without tooltips.
texts() {
  sed -e 's|<title>[^<]*</title>||g' "$1" | grep -o '<text [^>]*>[^<]*</text>' | sed -e 's/<[^>]*>//g'
}

# overlaps FILE: pairs of overlapping bars in one row of the timeline, and labels that are wider than their bar.
overlaps() {
  python3 - "$1" <<'END'
import sys, xml.dom.minidom
lines = {}
for group in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("g"):
    boxes = [node for node in group.childNodes if node.nodeName in ("rect", "g")]
    titles = [node for node in group.childNodes if node.nodeName == "title"]
    if len(titles) != 1 or not boxes: continue
    box = boxes[0] if boxes[0].nodeName == "rect" else boxes[0].getElementsByTagName("rect")[0]
    if box.getAttribute("stroke") == "none": continue
    x, y, width = (float(box.getAttribute(key)) for key in ("x", "y", "width"))
    lines.setdefault(y, []).append((x, x + width))
    for text in group.getElementsByTagName("text"):
        if len(text.firstChild.data) * 7.2 > width: print("label", text.firstChild.data)
for y, bars in lines.items():
    bars.sort()
    for one, other in zip(bars, bars[1:]):
        if other[0] < one[1] - 0.11: print("bars", y, one, other)
END
}

@test "prints one well-formed page with every part" {
  small_team

  run --separate-stderr team-report

  same 0 "$status"
  same '' "$stderr"
  printf '%s\n' "$output" >page.html
  well_formed page.html
  same '<!DOCTYPE html>' "$(head -1 page.html)"
  for id in totals timeline graph failed messages usage; do
    part $id page.html | grep -q '<h2>' || { echo "no $id" >&2; false; }
    grep -qF "href=\"#$id\"" page.html
  done
}

@test "has no script and refers to nothing outside" {
  small_team

  team-report >page.html

  run ! grep -qiE '<script|<link|<iframe|<object|<img|@import|javascript:| on[a-z]+=' page.html
  run ! grep -qE '(href|src)="[^#]' page.html
  run ! grep -qE 'url\([^#]' page.html
  same '' "$(sed -e 's|xmlns="[^"]*"||g' page.html | grep -oE '(https?:)?//[a-z][^"]*')"
}

@test "counts completed tasks, and names failed ones with the reason" {
  small_team

  team-report >page.html

  part totals page.html | grep -q '<dt>Tasks completed</dt><dd>1 of 3<small>1 failed, 0 in progress, 0 ready, 1 blocked'
  part failed page.html | grep -qF '<td>#2</td><td>build</td><td>ann</td><td class="number">1</td><td>no bricks left</td>'
  run ! grep -q 'still going on' page.html
}

@test "has a row for each member that worked and names the others" {
  small_team
  team-join carol >/dev/null

  team-report >page.html

  part timeline page.html >timeline
  grep -q '<text [^>]*font-weight="bold">ann</text>' timeline
  grep -q '<text [^>]*font-weight="bold">bob</text>' timeline
  run ! grep -q '<text [^>]*font-weight="bold">carol</text>' timeline
  grep -q 'Never seen at work: lead, carol\.' timeline
  grep -q '<title>#2 build failed, .*: no bricks left</title><rect [^>]*stroke="#cf222e"' timeline
  grep -q '<title>#1 dig completed, .*</title><rect [^>]*stroke="#2da44e"' timeline
}

@test "shows messages as arrows from sender to recipient" {
  small_team

  team-report >page.html

  part messages page.html >messages
  same 1 "$(grep -c '<title>bob to ann</title>' messages)"
  grep -q '>bring bricks</td>' messages
}

@test "names sender and recipient where they are too many for arrows" {
  team-create alpha >/dev/null
  for i in {1..8}; do
    team-join "m$i" >/dev/null
    team-send "m$i" "to m$i" --as user >/dev/null
  done

  team-report >page.html

  part messages page.html >messages
  run ! grep -q '<svg' messages
  grep -qF '<td class="name">user</td><td class="name">→ m8</td>' messages
}

@test "shows the last 500 messages and says how many there were" {
  team-create alpha >/dev/null
  team-join ann >/dev/null
  for i in {1..503}; do
    echo "{\"seq\":$((i + 2)),\"timestamp\":$((2000000000 + i)),\"agent_id\":\"ann\",\"event\":{\"type\":\"MESSAGE_SENT\",\"sender\":\"ann\",\"recipient\":\"lead\",\"summary\":\"number $i\"}}"
  done >>.teams/alpha/events.jsonl

  team-report >page.html

  part messages page.html >messages
  grep -q 'The last 500 of 503 messages\.' messages
  same 500 "$(grep -c '>number [0-9]*</td>' messages)"
  run ! grep -q '>number 3</td>' messages
  grep -q '>number 503</td>' messages
}

@test "marks the critical path in the graph and lists it" {
  small_team
  task-create 'apart' >/dev/null

  team-report >page.html

  part graph page.html >graph
  grep -q '>critical path</text>' graph
  same 2 "$(grep -c '<rect [^>]*rx="10"/>' graph)"
  same '#1 #2' "$(grep -o '<tr class=[^>]*><td>#[0-9]*' graph | grep -o '#[0-9]*' | paste -sd ' ')"
}

@test "shows tokens and cost as team-status does" {
  small_team
  jq '. + {state: "shutdown", since: 5, model: "claude-sonnet-4-5", usage: {input: 1200, output: 34, cache_read: 5, cache_written: 6}}' \
    <<<'{}' >.teams/alpha/ann.json
  chmod 600 .teams/alpha/ann.json
  team-status --json >status

  team-report >page.html

  part usage page.html >usage
  cells=$(jq -r '.members[] | select(.name == "ann") | .usage
    | "<td class=\"number\">\(.input)</td><td class=\"number\">\(.output)</td><td class=\"number\">\(.cache_read)</td><td class=\"number\">\(.cache_written)</td>"' status)
  grep -qF "<td>ann</td><td>claude-sonnet-4-5</td>$cells" usage
  cost=$(jq -r .usage.cost status)
  grep -qF "$(printf '<td class="number">$%.4f</td>' "$cost")" <(grep '<tfoot>' usage)
}

@test "keeps whatever people wrote as text" {
  hostile='</title></text></svg><script>alert(1)</script>"&#60; '$'\x01\x1b\t'
  team-create alpha >/dev/null
  team-join ann >/dev/null
  task-create "$hostile" >/dev/null
  task-create "second $hostile" --blocked-by 1 >/dev/null
  task-claim 1 --as ann >/dev/null
  task-fail 1 --as ann --reason "why $hostile" >/dev/null
  team-send lead "hello $hostile" --as ann >/dev/null
  jq -n --arg text "$hostile" '{seq: 90, timestamp: 2000000000, agent_id: $text, event: {type: "TASK_CLAIMED", task_id: 2, subject: $text, owner: $text}}' -c \
    >>.teams/alpha/events.jsonl

  team-report >page.html
  team-report --svg timeline >timeline.svg
  team-report --svg graph >graph.svg

  well_formed page.html timeline.svg graph.svg
  run ! grep -q '<script' page.html timeline.svg graph.svg
  grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' page.html
  grep -q '<td>why &lt;/title&gt;' page.html
}

@test "cuts a long name and has the whole of it in a hint" {
  name=$(printf 'n%.0s' {1..64})
  team-create alpha >/dev/null
  team-join "$name" >/dev/null
  task-create "$(printf 'word %.0s' {1..80})" >/dev/null
  task-claim 1 --as "$name" >/dev/null
  task-complete 1 --as "$name" >/dev/null

  team-report --svg timeline >timeline.svg

  grep -q "<title>$name: " timeline.svg
  texts timeline.svg >texts
  grep -qE '^n{10,25}…$' texts
  run ! grep -q "$name" texts
  same '' "$(overlaps timeline.svg)"
}

@test "prints a picture alone" {
  small_team

  team-report --svg timeline >timeline.svg
  team-report --svg graph >graph.svg

  well_formed timeline.svg graph.svg
  grep -q '<title>Timeline</title>' timeline.svg
  grep -q '<title>Task graph</title>' graph.svg
  for name in completed failed released lost running active idle plan_pending paused error; do
    grep -q ">$name</text>" timeline.svg || { echo "no $name" >&2; false; }
  done
  grep -q 'prefers-color-scheme:dark' timeline.svg
}

@test "shows each state in a colour of its own" {
  team-create alpha >/dev/null
  team-join ann >/dev/null
  seq=2 start=$(date +%s)
  for state in active plan_pending paused error idle; do
    echo "{\"seq\":$((++seq)),\"timestamp\":$((start + 10 * seq)),\"agent_id\":\"ann\",\"event\":{\"type\":\"MEMBER_STATE\",\"from\":null,\"to\":\"$state\",\"reason\":\"r\"}}"
  done >>.teams/alpha/events.jsonl
  echo "{\"seq\":8,\"timestamp\":$((start + 90)),\"agent_id\":\"ann\",\"event\":{\"type\":\"MEMBER_STATE\",\"from\":\"idle\",\"to\":\"shutdown\",\"reason\":\"r\"}}" >>.teams/alpha/events.jsonl

  team-report --svg timeline >timeline.svg

  for state in active plan_pending paused error idle; do
    sed -n "s|.*<title>ann: $state, [^<]*</title><rect [^>]*fill=\"\([^\"]*\)\".*|\1|p" timeline.svg
  done >colours
  same 5 "$(wc -l <colours)"
  same 5 "$(sort -u colours | wc -l)"
}

@test "says of a team at work that it goes on" {
  team-create alpha >/dev/null
  task-create 'long' >/dev/null
  task-claim 1 --as lead >/dev/null

  team-report >page.html

  grep -q 'still going on' page.html
  grep -q '<title>#1 long running, ' page.html
}

@test "reports a team that has done nothing" {
  team-create alpha >/dev/null

  team-report >page.html
  team-report --svg timeline >timeline.svg
  team-report --svg graph >graph.svg

  well_formed page.html timeline.svg graph.svg
  grep -q 'Nobody has worked yet\.' page.html
  grep -q 'The board is empty\.' page.html
  grep -q 'No task has failed\.' page.html
  grep -q 'No messages were sent\.' page.html
  grep -q 'No model was used\.' page.html
}

@test "reports a team without a log" {
  small_team
  rm .teams/alpha/events*.jsonl

  team-report >page.html

  well_formed page.html
  grep -q '<title>#2 build (failed, ann)</title>' page.html
}

@test "says that the first events are gone" {
  small_team
  sed -i 1,4d .teams/alpha/events.jsonl

  team-report >page.html

  well_formed page.html
  grep -q 'The first events are gone' page.html
}

@test "reads rotated logs" {
  export TEAM_EVENTS_ROTATE=300
  small_team
  [ "$(find .teams/alpha -name 'events-*.jsonl' | wc -l)" -gt 1 ]

  team-report >page.html

  grep -q '<title>#1 dig completed, ' page.html
  run ! grep -q 'The first events are gone' page.html
}

@test "names a broken task on stderr and reports the rest" {
  small_team
  echo '{"subject": ' >.tasks/3.json

  run --separate-stderr team-report

  same 0 "$status"
  same 1 "$(wc -l <<<"$stderr")"
  [[ $stderr == 'team-report: corrupt: '*3.json* ]]
  [[ $output == *'#1 dig'* ]]
}

@test "leaves out lines of the log that are no events and says how many" {
  small_team
  sed -i '3s/"event":.*//' .teams/alpha/events.jsonl
  echo '{"seq":90,"timestamp":"noon"}' >>.teams/alpha/events.jsonl

  for picture in '' '--svg timeline'; do
    # shellcheck disable=SC2086 # an option and its value, or nothing
    run --separate-stderr team-report $picture

    same 0 "$status"
    same 'team-report: .teams/alpha/events.jsonl: 2 lines are no events and were left out' "$stderr"
    [[ $output == *'<title>#1 dig completed, '* ]]
    [[ $output == *'<title>#2 build failed, '* ]]
  done
}

@test "leaves out tasks of another team on the same board" {
  small_team
  team-create beta --board .tasks >/dev/null
  team-join zoe -t beta >/dev/null
  task-create 'elsewhere' -t beta >/dev/null
  task-claim 4 --as zoe -t beta >/dev/null

  team-report -t alpha >page.html

  part timeline page.html >timeline
  grep -q '>ann</text>' timeline
  run ! grep -q '>zoe</text>' timeline
  run ! grep -q 'still going on' page.html
}

@test "refuses a picture that it does not have" {
  small_team

  run --separate-stderr team-report --svg sculpture

  as_expected 2 '' "team-report: usage: --svg: 'sculpture' is neither timeline nor graph"
}

@test "says not_found without a team" {
  task-create 'first' >/dev/null

  run --separate-stderr team-report -t nobody

  same 3 "$status"
  same '' "$output"
}

@test "reports a run of 500 tasks by four teammates, and nothing overlaps" {
  team-create alpha >/dev/null
  for i in {1..500}; do
    echo "{\"key\":\"k$i\",\"subject\":\"task number $i of many\",\"blockedBy\":[$( ((i < 9)) || echo "\"k$((i / 2))\"")]}"
  done | task-create - >/dev/null
  for name in ann bob carol dora; do start_teammate "$name" --exec true --until-done --quiet; done
  for name in ann bob carol dora; do teammate_ended "$name" 0; done

  team-report >page.html
  team-report --svg timeline >timeline.svg

  well_formed page.html timeline.svg
  part totals page.html | grep -q '<dd>500 of 500<'
  same 500 "$(part graph page.html | grep -c '^<g><title>#')"
  same '' "$(overlaps timeline.svg)"
  [ "$(wc -c <timeline.svg)" -lt 1000000 ]
}

@test "draws 200 members, and repeats the axis so that none is far from it" {
  team-create alpha >/dev/null
  for i in {1..200}; do
    echo "{\"seq\":$((2 * i + 1)),\"timestamp\":$((2000000000 + i)),\"agent_id\":\"m$i\",\"event\":{\"type\":\"TASK_CLAIMED\",\"task_id\":$i,\"subject\":\"t\",\"owner\":\"m$i\"}}"
    echo "{\"seq\":$((2 * i + 2)),\"timestamp\":$((2000000000 + i)),\"agent_id\":\"m$i\",\"event\":{\"type\":\"TASK_COMPLETED\",\"task_id\":$i,\"subject\":\"t\",\"owner\":\"m$i\"}}"
  done >>.teams/alpha/events.jsonl

  team-report >page.html
  team-report --svg timeline >timeline.svg

  well_formed page.html timeline.svg
  same 200 "$(texts timeline.svg | grep -c '^m[0-9]*$')"
  same 5 "$(grep -c 'class="picture timeline"' page.html)"
}
