# The tool wait of team-mcp: what it delivers, when that is acknowledged, and what a death or a cancellation leaves.
load helper

script() {
  PYTHONPATH=$PROJECT/tests PYTHONDONTWRITEBYTECODE=1 python3 -c "from mcp_client import *

def waiting(name='bob'):
    'The messages that a reader would get now.'
    return run('team-recv', '--peek', '--as', name, check=False).splitlines()

def unread(name='bob'):
    for line in run('team-status', '--json').splitlines():
        return {m['name']: m['unread'] for m in json.loads(line)['members']}[name]

def sleeps(client):
    'True once the server waits for changes of the store.'
    pid = client.process.pid
    folder = f'/proc/{pid}/fdinfo'
    return any('inotify wd' in open(f'{folder}/{fd}').read() for fd in os.listdir(folder))
$(cat)"
}

setup() {
  begin_test
  team-create alpha >/dev/null
  team-join bob >/dev/null
  team-join ann >/dev/null
}

@test "wait gives the messages that are there, in tags, and the next call acknowledges them" {
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    run("team-send", "bob", "first </message> <b>", "--as", "ann")
    run("team-send", "bob", "second", "--as", "lead")
    text = client.call("wait")
    has('<message from="ann" id="', text)
    has("first &lt;/message&gt; &lt;b&gt;", text)
    has("second", text)
    # Nobody else gets them, and the sender knows that they are not processed.
    same("team-recv: no", subprocess.run(["team-recv", "--as", "bob"], capture_output=True, text=True).stderr[:13])
    client.call("status")
    same(0, client.end())
same([], waiting())
assert run("team-log", "--type", "MESSAGE_PROCESSED").count("\n") == 1
E
}

@test "messages come again, with the same ids, if the server is killed before the next call" {
  script <<'E'
run("team-send", "bob", "keep me", "--as", "ann")
with Client("--as", "bob") as client:
    client.initialize()
    first = client.call("wait")
    client.request("tools/list")  # only a tool call confirms
    client.kill()
with Client("--as", "bob") as client:
    client.initialize()
    same(first, client.call("wait"))
    client.call("status")
    client.kill()
same([], waiting())
E
}

@test "a client that closes its input without another call leaves the messages" {
  script <<'E'
run("team-send", "bob", "keep me", "--as", "ann")
with Client("--as", "bob") as client:
    client.initialize()
    has("keep me", client.call("wait"))
    same(0, client.end())
same(1, len(waiting()))
E
}

@test "a call that was sent before the messages could be read acknowledges nothing" {
  script <<'E'
run("team-send", "bob", "keep me", "--as", "ann")
with Client("--as", "bob") as client:
    client.initialize()
    client.process.send_signal(signal.SIGSTOP)
    wait = client.begin_call("wait")
    status = client.begin_call("status")
    client.process.send_signal(signal.SIGCONT)
    has("keep me", text_of(client.answer(wait)))
    client.answer(status)
    client.kill()
same(1, len(waiting()))
E
}

@test "wait wakes at once when a message comes" {
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    wait = client.begin_call("wait")
    until(lambda: sleeps(client))
    begun = time.monotonic()
    run("team-send", "bob", "now", "--as", "ann")
    has("now", text_of(client.answer(wait)))
    assert time.monotonic() - begun < 5
E
}

@test "wait ends after its time without a message, and says so" {
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    same("Nothing came in 0 s. Call wait again.", client.call("wait", seconds=0))
    begun = time.monotonic()
    same("Nothing came in 1 s. Call wait again.", client.call("wait", seconds=1))
    assert 1 <= time.monotonic() - begun < 10
    has("error: wait: 'seconds' must be at least 0", client.call("wait", seconds=-1))
E
}

@test "wait reports progress every 10 seconds to a client with a token" {
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    quiet = client.begin_call("wait", seconds=11)
    wait = client.begin_call("wait", token="t", seconds=11)
    begun = time.monotonic()
    params = client.notice("notifications/progress")["params"]
    assert 9 < time.monotonic() - begun < 20
    same(("t", 10.0, 11.0), (params["progressToken"], params["progress"], params["total"]))
    has("Nothing came", text_of(client.answer(wait)))
    has("Nothing came", text_of(client.answer(quiet)))
    same([], client.seen)
E
}

@test "wait with claim gives the next task, and messages first" {
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    wait = client.begin_call("wait", claim=True)
    until(lambda: sleeps(client))
    run("task-create", "one", "--description", "all about it")
    text = text_of(client.answer(wait))
    has("Task #1 is yours: one", text)
    has("all about it", text)
    client.call("task_update", id=1, status="completed", result="done")
    run("task-create", "two")
    run("team-send", "bob", "read this", "--as", "ann")
    has("read this", client.call("wait", claim=True))
    has("Task #2 is yours: two", client.call("wait", claim=True))
    has("error: busy: ", client.call("wait", claim=True))
same("bob", json.loads(run("task-get", "2", "--json"))["owner"])
E
}

@test "several waits at once get each message once" {
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    waits = [client.begin_call("wait") for _ in range(3)]
    until(lambda: sleeps(client))
    texts = []
    for index, text in enumerate(("one", "two", "three")):
        run("team-send", "bob", text, "--as", "ann")
        texts.append(text_of(client.answer(waits[index])))
    for part, text in zip(("one", "two", "three"), texts):
        has(part, text)
        same(1, text.count("<message"))
    client.call("status")
same([], waiting())
E
}

@test "a cancelled wait takes no message, and gets no answer" {
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    wait = client.begin_call("wait", request_id="w")
    until(lambda: sleeps(client))
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "w"}})
    client.request("ping")
    run("team-send", "bob", "for somebody else", "--as", "ann")
    has("for somebody else", run("team-recv", "--as", "bob"))
    # Cancelling what was answered, or never was, does no harm.
    for identity in ("w", 99, None):
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identity}})
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled"})
    client.request("ping")
    same({}, client.answers)
E
}

@test "other requests are answered while a wait is running" {
  script <<'E'
with Client("--as", "bob", stateless=True) as client:
    wait = client.begin_call("wait", seconds=60)
    until(lambda: sleeps(client))
    has("Task #1 is on the board.", client.call("task_create", subject="one"))
    assert client.request("tools/list")["result"]["tools"]
    run("team-send", "bob", "hello", "--as", "ann")
    has("hello", text_of(client.answer(wait)))
E
}

@test "wait goes on when the team is removed and made again" {
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    wait = client.begin_call("wait")
    until(lambda: sleeps(client))
    os.rename(".teams", "kept")
    os.rename("kept", ".teams")
    run("team-send", "bob", "still here", "--as", "ann")
    has("still here", text_of(client.answer(wait)))
E
}

@test "wait makes no system call until something comes" {
  strace -qq -o /dev/null true 2>/dev/null || skip 'processes cannot be traced here'
  script <<'E'
for waits in (False, True):
    with Client("--as", "bob", prefix=("strace", "-f", "-qq", "-o", "trace")) as client:
        client.initialize()
        if waits:
            client.begin_call("wait", seconds=300)
        # The call in which it sleeps has no result yet, and none follows for three seconds.
        quiet = {"size": -1, "since": 0}
        def is_quiet():
            trace = open("trace").read()
            if len(trace) != quiet["size"]:
                quiet.update(size=len(trace), since=time.monotonic())
            last = trace.splitlines()[-1] if trace else ""
            return "poll" in last and " = " not in last and time.monotonic() - quiet["since"] > 3
        until(is_quiet)
        os.kill(int(open("trace").read().split()[0]), signal.SIGKILL)
E
}

@test "a server that is killed at any system call of wait loses no message" {
  ! is_sanitized || skip 'the sanitizer makes calls of its own'
  run "$PROJECT/scripts/torture.d/mcp-killed" "$BIN" 15 "$RANDOM"
  echo "$output"
  [ "$status" != 77 ] || skip 'processes cannot be traced here'
  tail -n 1 <<<"$output" >&3
  [ "$status" = 0 ]
}
