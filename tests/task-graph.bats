load helper

# Four tasks: 2 and 3 wait for 1, 4 waits for both.
diamond() {
  task-create 'start'
  task-create 'left' --blocked-by 1 --owner backend
  task-create 'right' --blocked-by 1
  task-create 'join' --blocked-by 2,3
}

# by_hand ID JSON: a task file as a person may write it.
by_hand() {
  printf '%s\n' "$2" >".tasks/$1.json"
}

# well_formed FILE: every tag is closed in its turn, and no text has a bare & or a control character.
well_formed() {
  local depth=0 tag open=()
  ! LC_ALL=C grep -q $'[\x01-\x08\x0b\x0c\x0e-\x1f]' "$1" || return 1
  ! sed -E 's/&(amp|lt|gt|quot);//g' "$1" | grep -q '&' || return 1
  while IFS= read -r tag; do
    case $tag in
      '<?'*'?>' | '<'*'/>') ;;
      '</'*)
        ((depth > 0)) || return 1
        [ "$tag" == "</${open[--depth]}>" ] || return 1
        ;;
      *)
        tag=${tag#<}
        open[depth++]=${tag%%[ >]*}
        ;;
    esac
  done < <(grep -oE '<[^>]*>' "$1")
  ((depth == 0)) && ! sed -E 's/<[^<>]*>//g' "$1" | grep -q '[<>]'
}

@test "prints a tree from blocker to dependent, each task once and again by its id" {
  diamond
  task-claim 1 --as lead

  run --separate-stderr task-graph

  as_expected 0 "\
◐ #1 start  @lead
├─ · #2 left  @backend  waits for #1
│  └─ · #4 join  waits for #2, #3
└─ · #3 right  waits for #1
   └─ · #4 ↑" ''
}

@test "shows every status by its symbol" {
  task-create 'a'
  task-create 'b'
  task-create 'c'
  task-create 'd'
  task-claim 1 --as one
  task-complete 1 --as one
  task-claim 2 --as one
  task-fail 2 --as one --reason 'out of luck'
  task-claim 3 --as one

  run --separate-stderr task-graph

  as_expected 0 $'✓ #1 a  @one\n✗ #2 b  @one\n◐ #3 c  @one\n○ #4 d' ''
}

@test "prints nothing for an empty board" {
  mkdir -m 700 .tasks

  run --separate-stderr task-graph

  as_expected 0 '' ''
}

@test "prints an empty graph in each format for an empty board" {
  mkdir -m 700 .tasks

  task-graph --dot >dot
  task-graph --mermaid >mermaid
  task-graph --svg >svg

  same 'digraph tasks {' "$(head -1 dot)"
  same '}' "$(tail -1 dot)"
  same 'flowchart TD' "$(cat mermaid)"
  well_formed svg
  run ! grep -q '<path d="M[0-9.]* [0-9.]*[CH]' svg
}

@test "draws only the tasks asked for and all they wait for" {
  diamond
  task-create 'apart'

  run --separate-stderr task-graph 2 '#5'

  as_expected 0 $'○ #1 start\n└─ · #2 left  @backend  waits for #1\n○ #5 apart' ''
}

@test "says not_found for a task that does not exist" {
  task-create 'first'

  run --separate-stderr task-graph 1 7

  as_expected 3 '' 'task-graph: not_found: no task 7'
}

@test "refuses two formats at once" {
  task-create 'first'

  run --separate-stderr task-graph --dot --svg

  as_expected 2 '' 'task-graph: usage: --dot and --svg cannot be combined'
}

@test "refuses an invalid task id" {
  task-create 'first'

  run --separate-stderr task-graph first

  as_expected 2 '' "task-graph: usage: ID: 'first' is not a task id"
}

@test "draws a cycle that was made by hand and ends" {
  task-create 'after'
  by_hand 2 '{"subject": "one", "blockedBy": [3]}'
  by_hand 3 '{"subject": "two", "blockedBy": [2]}'
  by_hand 1 '{"subject": "after", "blockedBy": [3]}'
  by_hand 4 '{"subject": "self", "blockedBy": [4]}'

  run --separate-stderr task-graph

  as_expected 0 "\
· #2 one  waits for #3
└─ · #3 two  waits for #2
   ├─ · #1 after  waits for #3
   └─ · #2 ↻
· #4 self  waits for #4
└─ · #4 ↻" ''
}

@test "draws a cycle in each format" {
  task-create 'self'
  by_hand 1 '{"subject": "self", "blockedBy": [1]}'
  by_hand 2 '{"subject": "one", "blockedBy": [4]}'
  by_hand 3 '{"subject": "two", "blockedBy": [2]}'
  by_hand 4 '{"subject": "three", "blockedBy": [3]}'

  task-graph --dot >dot
  task-graph --mermaid >mermaid
  task-graph --svg >svg

  same 4 "$(grep -c -e '->' dot)"
  same 4 "$(grep -c -e '-->' mermaid)"
  well_formed svg
  same 2 "$(grep -c 'marker-end="url(#task-graph-cycle)"' svg)"
  same 2 "$(grep -c 'marker-end="url(#task-graph-tip)"' svg)"
}

@test "shows a missing blocker" {
  task-create 'first'
  by_hand 1 '{"subject": "first", "blockedBy": [9]}'

  run --separate-stderr task-graph

  as_expected 0 $'? #9 missing\n└─ · #1 first  waits for #9' ''
}

@test "names a broken file on stderr and draws the rest" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  by_hand 1 '{"subject": '

  run --separate-stderr task-graph

  same 0 "$status"
  same $'? #1 broken\n└─ · #2 second  waits for #1' "$output"
  [[ $stderr == 'task-graph: corrupt: '*1.json* ]]
}

@test "exits 9 for a broken file that was asked for" {
  task-create 'first'
  by_hand 1 '{"subject": '

  run --separate-stderr task-graph 1

  same 9 "$status"
  same '' "$output"
}

@test "starts a new tree at the margin where a chain grows too long" {
  task-create 's1'
  for i in {2..19}; do task-create "s$i" --blocked-by $((i - 1)); done

  task-graph >tree

  same 1 "$(grep -c '#17 ↓$' tree)"
  same 1 "$(grep -c '^· #17 s17 ' tree)"
  same 20 "$(wc -l <tree)"
}

@test "cuts a subject to the width of a terminal and not in a pipe" {
  subject=$(printf 'word %.0s' {1..40})end
  task-create "$subject"
  task-create 'second' --blocked-by 1

  same "○ #1 $subject" "$(task-graph | head -1)"
  NO_COLOR=1 on_terminal task-graph >seen

  same 80 "$(head -1 seen | wc -m | xargs -I{} expr {} - 1)"
  grep -q '^○ #1 word .*…$' seen
}

@test "has colour on a terminal" {
  diamond

  on_terminal task-graph >seen

  grep -q $'\e\\[36m·\e\\[0m #2 left' seen
}

@test "prints boxes and arrows for dot" {
  diamond

  task-graph --dot >dot

  grep -q '^  t2 \[label="#2 left\\nbackend", ' dot
  same $'  t1 -> t2;\n  t1 -> t3;\n  t2 -> t4;\n  t3 -> t4;' "$(grep -e '->' dot)"
}

@test "keeps quotes, backslashes and line ends inside a label for dot" {
  task-create $'say "hi" \\N\nand &lt; go'

  task-graph --dot >dot

  grep -qF 't1 [label="#1 say \"hi\" \\N and &amp;lt; go", ' dot
}

@test "prints a flowchart for Mermaid" {
  diamond

  task-graph --mermaid >mermaid

  same 'flowchart TD' "$(head -1 mermaid)"
  grep -qFx '  t2["#35;2 left<br/>backend"]' mermaid
  grep -qFx '  t2 --> t4' mermaid
  grep -qFx '  class t2,t3,t4 waiting' mermaid
}

@test "keeps syntax of Mermaid inside a label" {
  task-create $'a "b" <i>\\n\n`c`; #quot; %%{init}%% [d]'

  task-graph --mermaid >mermaid

  label='a #34;b#34; #60;i#62;#92;n #96;c#96;#59; #35;quot#59; #37;#37;#123;init#125;#37;#37; #91;d#93;'
  grep -qFx "  t1[\"#35;1 $label\"]" mermaid
}

@test "prints a well-formed SVG with a box per task, an arrow per dependency and a legend" {
  diamond

  task-graph --svg >svg

  well_formed svg
  same 4 "$(grep -c '^<g><title>#' svg)"
  same 4 "$(grep -c 'marker-end="url(#task-graph-tip)"' svg)"
  for name in ready waiting in_progress completed failed; do grep -q ">$name</text>" svg; done
  grep -q 'fill="#ffffff"/>' svg
}

@test "keeps every subject inside its box of the SVG" {
  task-create $'<b> & "q" \x01\x1b end'
  task-create "$(printf '%0300d' 0)" --blocked-by 1
  task-create "$(printf '字%.0s' {1..100})" --blocked-by 2
  by_hand 4 '{"subject": "\ufffe\uffff"}'

  task-graph --svg >svg

  well_formed svg
  grep -qF '<text x="10.0" y="33.0">&lt;b&gt; &amp; &quot;q&quot;    end</text>' svg
  grep -qE ">字{13}</text><text [^>]*>字{12}…</text>" svg
  grep -qE ">0{26}</text><text [^>]*>0{25}…</text>" svg
  grep -q '>��</text>' svg
}

@test "draws 500 tasks" {
  for i in {1..500}; do
    echo "{\"key\":\"k$i\",\"subject\":\"task $i\",\"blockedBy\":[$( ((i == 1)) || echo "\"k$((i / 2))\"")]}"
  done | task-create - >/dev/null

  task-graph --svg >svg
  task-graph >tree

  well_formed svg
  same 500 "$(grep -c '^<g><title>#' svg)"
  same 499 "$(grep -c 'marker-end="url(#task-graph-tip)"' svg)"
  same 500 "$(wc -l <tree)"
}
