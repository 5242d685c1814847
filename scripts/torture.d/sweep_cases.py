"""The cases of sweep: every command that changes something, and the commands that only read.

A case is a command line that is run in a copy of a fixture. `setup` is shell code that changes the common fixture. A
word @NAME of the command line stands for the contents of ../NAME, which the setup wrote.
"""

import json
import pathlib
import shlex
from dataclasses import dataclass, field

# One team of three; a task for each state; mail of two senders; nobody runs.
TEAM = """
team-create alpha
team-join bob --role coder
team-join ann
task-create first
task-create second --blocked-by 1 --owner ann
task-create third
task-create fourth --blocked-by 3 --owner ann
task-create fifth
task-create sixth
task-claim 3 --as bob
task-claim 5 --as lead
task-fail 5 --as lead --reason 'too hard'
team-send bob m1 --as ann
team-send bob m2
team-send bob m3 --as ann
"""
BOARD = """
task-create first
task-create second --blocked-by 1
task-create third
task-claim 3 --as bob
"""
NOTHING = ":"

# Ann ran, claimed a task and died.
ANN_DIED = """
task-claim 6 --as ann
(umask 077 && : >.teams/alpha/ann.alive)
"""
# Without waiting: the second claim would release the first one.
LEASES_OVER = "sed -i 's/\"until\": [0-9.]*/\"until\": 1/' .tasks/[16].json\n"
# The leftovers of a writer that was killed inside one write.
TORN_MAIL = "printf '{\"id\":\"01M7J4GCR03N083X' >>.teams/alpha/bob_inbox.jsonl\n"
TORN_LOG = "printf '{\"seq\":99,\"timest' >>.teams/alpha/events.jsonl\n"
# Bob's reader died between taking and acknowledging.
TAKEN = "mv .teams/alpha/bob_inbox.jsonl .teams/alpha/bob_taken.jsonl\nteam-send bob m4\n"
# Held for longer than a whole sweep takes.
LONG = "sed -i 's/\"until\": *[0-9.]*/\"until\": 1000000000/' .teams/alpha/bob_taken*.hold\n"
HELD = "team-recv --hold --as bob --max 2 --json >../held.json\n" + LONG + \
       "sed -n '1s/.*\"id\":\"\\([^\"]*\\)\".*/\\1/p' ../held.json >../held\n" \
       "sed -n '2s/.*\"id\":\"\\([^\"]*\\)\".*/\\1/p' ../held.json >../held2\n"
HELD_TWICE = HELD + "team-recv --hold --as bob --json >../held.json\n" + LONG + \
             "sed 's/.*\"id\":\"\\([^\"]*\\)\".*/\\1/' ../held.json >../held3\nteam-send bob m4\n"
PLAN = "plan-submit 'in two steps' --as bob --task 3 >../plan\n"
# So many answered plans that most of them move to the archive.
ANSWERED = PLAN + """plan-approve "$(cat ../plan)"
for i in $(seq 10 75); do
  id=000000000000000000000000$i
  sed "s/$(cat ../plan)/$id/" ".teams/alpha/requests/$(cat ../plan).json" >".teams/alpha/requests/$id.json"
done
chmod 600 .teams/alpha/requests/*.json
""" + PLAN
LARGE = "yes 'a long line of a large message' | head -c 100000 >../large\n"
BLUEPRINT = """cat >../team.json <<'EOT'
{"team": "beta", "roles": {"coder": {"command": "true", "limits": {"idle": 0.05}}}, "teammates": {"coder": COUNT},
 "tasks": [{"key": "a", "subject": "A"}, {"subject": "B", "blockedBy": ["a"]}]}
EOT
"""
# A recorded conversation of a lead.
RECORDED = """
cat >../rules <<'EOT'
[{"when": {"tool": "FinishTeam"}, "steps": [[{"tool": "TaskCreate", "input": {"subject": "A"}}],
  [{"tool": "TaskUpdate", "input": {"taskId": 1, "status": "in_progress"}}],
  [{"tool": "TaskUpdate", "input": {"taskId": 1, "status": "completed"}}],
  [{"tool": "FinishTeam", "input": {"summary": "That is all."}}]]}]
EOT
"$SWEEP_SCRIPTS/model-server" ../rules --port-file ../port >/dev/null 2>&1 &
trap 'kill $!' EXIT
until [ -s ../port ]; do sleep 0.01; done
ANTHROPIC_API_KEY=test-key team-run go --record ../answers --model claude-x --base-url "$(cat ../port)" -t alpha
rm -rf .teams .tasks
"""
REQUESTS = '{"op":"task-create","subject":"seventh"}\n'
BATCH = '{"subject":"one","key":"a"}\n{"subject":"two","blockedBy":["a"]}\n{"subject":"three"}\n'


def mcp(*calls):
    """The lines of an MCP client that calls these tools, and closes its output."""
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {}}}]
    for number, (name, arguments) in enumerate(calls, 1):
        lines.append({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                      "params": {"name": name, "arguments": arguments}})
    return "".join(json.dumps(line) + "\n" for line in lines)


@dataclass
class Case:
    name: str
    line: str
    setup: str = TEAM
    stdin: str = ""
    env: dict = field(default_factory=dict)
    exits: int = 0           # when nothing is in the way
    then: tuple = ()         # what the same command may answer when it was done already; 0 always
    loose: tuple = ()        # units that pass through steps between the old and the new one
    answers: bool = True     # something on stdout means that it is done
    reads: tuple = ()        # whose mail is taken and looked at afterwards
    cold: bool = False       # with the caches of another folder, which count for nothing
    breeds: bool = False     # starts processes that outlive it
    runs: tuple = ()         # teammates that run meanwhile
    narrates: bool = False   # tells on stderr what it does
    slow: bool = False       # has much to do: its own time is no measure of what it finds
    repeats: bool = True     # makes sense to run again
    streams: bool = False    # answers requests: an error is an answer, and the exit status is 0
    talks: bool = False      # a session of several requests, which has no outcome of its own: it is only killed

    @property
    def varies(self):
        """It waits for others: the number of its calls is not always the same."""
        return bool(self.breeds or self.runs or self.loose == ("*",))

    @property
    def waits(self):
        """It has work that must not be lost: while the system refuses it tries again."""
        return self.command in ("teammate-run", "team-run")

    @property
    def command(self):
        return self.words[0]

    @property
    def words(self):
        return shlex.split(self.line)


def team(extra):
    return TEAM + extra


# Speaks the Agent Client Protocol.
AGENT = pathlib.Path(__file__).resolve().parents[2] / "tests/acp-agent"

CASES = [
    Case("task-create", "task-create seventh"),
    Case("task-create assigned", "task-create seventh --blocked-by 1,3 --owner ann --priority 2", reads=("ann",)),
    Case("task-create batch", "task-create -", stdin=BATCH),
    Case("task-create batch cold", "task-create -", setup=BOARD, stdin=BATCH, cold=True),
    Case("task-create first", "task-create first", setup=NOTHING),
    Case("task-create torn log", "task-create seventh", setup=team(TORN_LOG)),
    Case("task-claim", "task-claim 1 --as ann", then=(4, 6)),
    Case("task-claim board", "task-claim 1 --as ann", setup=BOARD, then=(4, 6)),
    Case("task-claim next", "task-claim --next --as ann", then=(6,)),
    Case("task-claim next cold", "task-claim --next --as ann", then=(6,), cold=True),
    Case("task-claim wait", "task-claim --next --wait=5 --as ann", then=(6,)),
    Case("task-claim lease", "task-claim 1 --as ann", setup=team("team-config tasks.lease 60\n"), then=(4, 6)),
    Case("task-claim after death", "task-claim 6 --as lead", setup=team(ANN_DIED), then=(4, 6),
         loose=("task .tasks/6",)),
    Case("task-complete", "task-complete 3 --as bob --result done", then=(8,), reads=("ann",)),
    Case("task-complete cold", "task-complete 3 --as bob", setup=BOARD, then=(8,), cold=True),
    Case("task-complete stdin", "task-complete 3 --as bob --result - --deliverable out",
         setup=team("echo made >out\n"), stdin="a summary\n", then=(8,)),
    Case("task-fail", "task-fail 3 --as bob --reason 'no way'", then=(8,)),
    Case("task-release", "task-release 3 --as bob --reason later", then=(8,)),
    Case("task-delete", "task-delete 5", then=(3,)),
    Case("task-delete highest", "task-delete 6", then=(3,)),
    Case("task-update", "task-update 6 --subject new --priority 1 --metadata a=1 --if-rev 1", then=(4,)),
    Case("task-update blockers", "task-update 6 --add-blocked-by 1,3"),
    Case("task-update unblocks", "task-update 4 --remove-blocked-by 3", then=(3,), reads=("ann",)),
    Case("task-update owner", "task-update 6 --owner ann", reads=("ann",)),
    Case("task-update reopen", "task-update 5 --status pending", then=(8,)),
    Case("task-reclaim", "task-reclaim", setup=team(ANN_DIED)),
    Case("task-reclaim leases", "task-reclaim",
         setup=team("team-config tasks.lease 10m\ntask-claim 6 --as ann\ntask-claim 1 --as lead\n" + LEASES_OVER)),
    Case("team-create", "team-create beta", then=(4,)),
    Case("team-trust", "team-trust"),
    Case("team-trust prune", "team-trust --prune",
         setup=team("mkdir ../other && team-create -C ../other gone && rm -r ../other/.teams\n")),
    Case("team-create first", "team-create beta --board work --lead chief", setup=NOTHING, then=(4,)),
    Case("team-delete", "team-delete alpha", then=(3,)),
    Case("team-config", "team-config tasks.max 20"),
    Case("team-config unset", "team-config tasks.max --unset", setup=team("team-config tasks.max 20\n")),
    Case("team-quota pause", "team-quota --pause claude --for 1h --reason full", loose=("quotas *",)),
    Case("team-quota clear", "team-quota --clear claude", then=(3,), setup=team("team-quota --pause claude --for 1h\n")),
    Case("team-join", "team-join eve --role coder", then=(4,)),
    Case("team-leave", "team-leave ann", then=(3,)),
    Case("team-send", "team-send bob 'good morning' --as lead", reads=("bob",)),
    Case("team-send first", "team-send lead 'good morning' --as ann", reads=("lead",)),
    Case("team-send broadcast", "team-send --broadcast 'to all of you'", reads=("lead", "bob", "ann")),
    Case("team-send large", "team-send bob", setup=team(LARGE), stdin="@large", reads=("bob",)),
    Case("team-send large to all", "team-send --broadcast", setup=team(LARGE), stdin="@large", reads=("bob", "ann")),
    Case("team-send torn", "team-send bob again", setup=team(TORN_MAIL + TORN_LOG), reads=("bob",)),
    Case("team-send counted", "team-send bob hello", reads=("bob",), loose=("exchanges *",),
         env={"TEAM_MEMBER": "ann", "TEAM_RUN_ID": "01M7J4GCR03N083XDSYM8DWW07"}),
    Case("team-send limited", "team-send bob hello", exits=10, then=(10,), loose=("exchanges *",),
         setup=team("team-config exchange.limit 1\nTEAM_MEMBER=ann TEAM_RUN_ID=01M7J4GCR03N083XDSYM8DWW07 "
                    "team-send bob one\nTEAM_MEMBER=bob TEAM_RUN_ID=01M7J4GCR03N083XDSYM8DWW08 team-send ann two\n"),
         env={"TEAM_MEMBER": "ann", "TEAM_RUN_ID": "01M7J4GCR03N083XDSYM8DWW07"}),
    Case("team-send request", "team-send bob 'please end' --type shutdown_request --as lead", reads=("bob",)),
    # The tools are doors to the operations of the commands above; mcp-killed has wait and its acknowledgement.
    Case("team-mcp wait", "team-mcp --as bob", stdin=mcp(("wait", {"seconds": 5})), answers=False, reads=("bob",),
         talks=True),
    Case("team-mcp complete", "team-mcp --as bob", answers=False, reads=("ann",), talks=True,
         stdin=mcp(("task_update", {"id": 3, "status": "completed", "result": "done"}))),
    Case("team-recv", "team-recv --as bob", then=(1,), answers=False, reads=("bob",)),
    Case("team-recv json", "team-recv --as bob --json", then=(1,), answers=False, reads=("bob",)),
    Case("team-recv hold", "team-recv --as bob --hold", then=(1,), answers=False, loose=("mail *", "held *")),
    Case("team-recv hold more", "team-recv --as bob --hold", setup=team(HELD_TWICE), then=(1,), answers=False,
         loose=("mail *", "held *")),
    Case("team-recv from", "team-recv --as bob --from user", then=(1,), answers=False, reads=("bob",)),
    Case("team-recv from backlog", "team-recv --as bob --from ann", then=(1,), answers=False, reads=("bob",),
         setup=team("team-recv --as bob --max 1\nteam-send bob m4\nteam-send bob m5 --as ann\n")),
    Case("team-recv max", "team-recv --as bob --max 1", then=(1,), answers=False, reads=("bob",)),
    Case("team-recv backlog", "team-recv --as bob --max 1", then=(1,), answers=False, reads=("bob",),
         setup=team("team-recv --as bob --max 1\nteam-send bob m4\n")),
    Case("team-recv taken", "team-recv --as bob", setup=team(TAKEN), then=(1,), answers=False, reads=("bob",)),
    Case("team-recv torn", "team-recv --as bob", setup=team(TORN_MAIL), then=(1,), answers=False, reads=("bob",),
         loose=("rejected *",)),
    Case("team-recv large", "team-recv --as bob --json", setup=team(LARGE + "team-send bob <../large\n"), then=(1,),
         answers=False, reads=("bob",)),
    Case("team-ack", "team-ack @held --as bob", setup=team(HELD), then=(3,)),
    Case("team-ack all", "team-ack @held @held2 --as bob", setup=team(HELD), then=(3,)),
    Case("team-ack of both", "team-ack @held @held3 --as bob", setup=team(HELD_TWICE), then=(3,), loose=("held *",)),
    Case("team-batch", "team-batch", stdin=REQUESTS, streams=True),
    Case("team-batch recv", "team-batch --as bob", stdin='{"op": "team-recv"}\n', answers=False, reads=("bob",),
         streams=True),
    Case("team-hook", "team-hook claude SessionStart --as eve --client 1", stdin='{"session_id":"s"}'),
    Case("team-hook in turn", "team-hook claude PostToolUse --as bob --client 1", stdin='{"session_id":"s"}',
         answers=False, loose=("mail *", "held *")),
    Case("plan-submit", "plan-submit 'in two steps' --as bob --task 3", reads=("lead",)),
    Case("plan-approve", "plan-approve @plan --feedback 'go on'", setup=team(PLAN), then=(8,), reads=("bob",),
         loose=("request *",)),
    Case("plan-approve archive", "plan-approve @plan", setup=team(ANSWERED), then=(8,), reads=("bob",),
         loose=("request *",)),
    Case("plan-reject", "plan-reject @plan --feedback 'think again'", setup=team(PLAN), then=(8,), reads=("bob",),
         loose=("request *",)),
    Case("team-save", "team-save alpha.tar", setup=team(PLAN)),
    Case("team-export", "team-export --otlp alpha.jsonl", setup=team(PLAN)),
    Case("team-load", "team-load ../alpha.tar --name beta --board work --trust", then=(4,), slow=True,
         setup=team(PLAN + "team-save ../alpha.tar\n")),
    Case("team-load first", "team-load ../alpha.tar", then=(4,), slow=True,
         setup=team(PLAN + "team-save ../alpha.tar\nteam-delete alpha\nrm -rf .tasks .teams\n")),
    Case("team-fsck", "team-fsck --repair", answers=False,
         setup=team("chmod 644 .tasks/1.json\nmkdir -p .tasks/.tmp\n: >.tasks/.tmp/.tmp-7fffffff-1\n"
                    "chmod 700 .tasks/.tmp; chmod 600 .tasks/.tmp/.tmp-*\n")),
    Case("team-finish", "team-finish --force --summary 'all done'", then=(8,), loose=("config *",)),
    Case("team-up", "team-up ../team.json", setup=BLUEPRINT.replace("COUNT", "0"), then=(4,), slow=True),
    Case("team-up starts", "team-up ../team.json", setup=BLUEPRINT.replace("COUNT", "1"), then=(4,), loose=("*",),
         breeds=True, slow=True, answers=False),
    Case("teammate-run task", "teammate-run carl --once --quiet --exec 'cat >>got; echo done'", loose=("*",),
         answers=False, narrates=True, slow=True),
    Case("teammate-run mail", "teammate-run bob --once --quiet --exec 'cat >>got; echo done'", loose=("*",),
         answers=False, narrates=True, slow=True),
    Case("teammate-run fails", "teammate-run carl --once --quiet --exec false", loose=("*",), answers=False, exits=1,
         then=(1,), narrates=True, slow=True),
    Case("teammate-run agent", f"teammate-run carl --once --quiet --acp 'exec {AGENT}'", loose=("*",), answers=False,
         narrates=True, slow=True),
    Case("teammate-spawn", "teammate-spawn coder --once --exec true --mode background", loose=("*",), breeds=True,
         narrates=True, slow=True),
    Case("team-resume", "team-resume", loose=("*",), breeds=True, narrates=True, slow=True, answers=False,
         then=(1,), setup=team("teammate-run eve --exec true --idle-timeout 0.01 --quiet\n"
                    "sed -i 's/\"resumable\": false/\"resumable\": true/' .teams/alpha/eve.json\n")),
    Case("teammate-stop", "teammate-stop carl --timeout 5", runs=("carl",), loose=("*",), narrates=True, slow=True,
         answers=False, then=(1, 3, 8)),
    Case("team-delete force", "team-delete alpha --force", runs=("carl",), loose=("*",), narrates=True, slow=True,
         answers=False, then=(3, 4)),
    Case("team-run", "team-run go --replay ../answers -t alpha", loose=("*",), narrates=True, slow=True,
         answers=False, then=(1, 69), repeats=False, setup=RECORDED),
]

# The command line that shows that a command changes nothing; the fixture is TEAM with a plan.
READERS = {
    "plan-list": "plan-list --all",
    "task-get": "task-get 1 --json",
    "task-graph": "task-graph",
    "task-list": "task-list",
    "task-wait": "task-wait 5 --timeout 0.01",
    "task-why": "task-why 2",
    "team-digest": "team-digest --as bob",
    "team-list": "team-list",
    "team-log": "team-log",
    "team-report": "team-report",
    # It changes nothing but its own mark; its endpoints use the same operations as the commands.
    "team-serve": "team-serve --url",
    "team-status": "team-status",
    # On a terminal it uses the same call as team-send; here it finds no terminal.
    "team-top": "team-top",
    "team-wait": "team-wait message --as bob --timeout 0.01",
    "team-where": "team-where",
    "teammate-list": "teammate-list",
    # The two executables: under their own names they list the commands.
    "teamkit": "teamkit",
    "teamkit-net": "teamkit-net",
}
# Forms of changing commands that only read.
READING_FORMS = ["team-recv --peek --as bob", "team-config --list", "team-config tasks.max", "team-fsck",
                 "team-send --status @plan", "team-trust --list", "team-trust --show"]
