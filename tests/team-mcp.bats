load helper

# script: runs the Python script on stdin with the client of mcp_client.py.
script() {
  PYTHONPATH=$PROJECT/tests PYTHONDONTWRITEBYTECODE=1 python3 -c "from mcp_client import *
$(cat)"
}

a_team() {
  team-create alpha
  team-join bob
  team-join ann
} >/dev/null

@test "settles the revision with a client that initializes" {
  script <<'E'
for wanted, got in (("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-01-01", "2025-11-25"),
                    ("2026-07-28", "2025-11-25")):
    with Client() as client:
        result = client.initialize(wanted)
        same(got, result["protocolVersion"])
        same("teamkit", result["serverInfo"]["name"])
        same({"tools": {}, "resources": {"subscribe": True}, "prompts": {}}, result["capabilities"])
        assert 0 < len(result["instructions"].encode()) <= 2048
        same({}, client.request("ping")["result"])
E
}

@test "answers server/discover and requests without initialize" {
  a_team
  script <<'E'
with Client("--as", "bob", stateless=True) as client:
    answer = client.request("server/discover", request_id="probe")
    same("probe", answer["id"])
    result = answer["result"]
    same(["2026-07-28", "2025-11-25", "2025-06-18"], result["supportedVersions"])
    same("complete", result["resultType"])
    same("teamkit", result["_meta"][META + "serverInfo"]["name"])
    listed = client.request("tools/list")["result"]
    same(("complete", 0, "private"), (listed["resultType"], listed["ttlMs"], listed["cacheScope"]))
    same("complete", client.request("tools/call", {"name": "status"})["result"]["resultType"])
    same(-32601, client.request("ping")["error"]["code"])
    same(-32601, client.request("initialize", {"protocolVersion": "2025-11-25"})["error"]["code"])
E
}

@test "refuses a request that carries no revision, and names those that it knows" {
  script <<'E'
with Client() as client:
    same(-32602, client.request("tools/list")["error"]["code"])
    meta = {META + "protocolVersion": "v999", META + "clientCapabilities": {}}
    error = client.request("server/discover", {"_meta": meta})["error"]
    same((-32022, "v999"), (error["code"], error["data"]["requested"]))
    has("2026-07-28", error["data"]["supported"])
    meta = {META + "protocolVersion": "2026-07-28"}
    same(-32602, client.request("server/discover", {"_meta": meta})["error"]["code"])
E
}

@test "answers what is no message with an error, and goes on" {
  script <<'E'
with Client() as client:
    for line, code in (("{", -32700), ("[]", -32600), ('{"jsonrpc":"2.0","id":7,"method":5}', -32600),
                       ('{"jsonrpc":"2.0","method":"x"}', None), ("", None), ('{"jsonrpc":"2.0","id":9,"result":{}}', None)):
        client.send_line(line)
        if code:
            same(code, client.read()["error"]["code"])
    client.initialize()
    for params in (None, {}, {"_meta": {"progressToken": 1}}):
        message = {"jsonrpc": "2.0", "id": 50, "method": "tools/list"}
        if params is not None:
            message["params"] = params
        client.send(message)
        assert client.read()["result"]["tools"]
    same(-32601, client.request("no/such")["error"]["code"])
    same(-32602, client.request("tools/call", {"name": "no_such"})["error"]["code"])
    same(-32602, client.request("tools/call", {})["error"]["code"])
E
}

@test "refuses a line of more than 4 MiB, and takes one of almost 4 MiB" {
  a_team
  script <<'E'
with Client() as client:
    client.initialize()
    same(-32602, client.request("tools/call", {"name": "x" * ((4 << 20) - 1000)})["error"]["code"])
    client.send_line("x" * ((4 << 20) + 1))
    has("more than 4194304 bytes", client.read()["error"]["message"])
    same({}, client.request("ping")["result"])
E
}

@test "lists its tools within 1,500 tokens" {
  script <<'E'
with Client() as client:
    client.initialize()
    tools = client.request("tools/list")["result"]["tools"]
    same(["task_list", "task_get", "task_create", "task_claim", "task_update", "send", "wait", "status", "plan"],
         [tool["name"] for tool in tools])
    # A token of such JSON is about four bytes; check-real counts with a real tokenizer.
    size = len(json.dumps(tools, separators=(",", ":")))
    assert size <= 4 * 1500, size
    hints = {tool["name"]: tool.get("annotations", {}) for tool in tools}
    same({"readOnlyHint": True}, hints["task_list"])
    same({"idempotentHint": True}, hints["task_update"])
    same({}, hints["send"])
E
}

@test "--tools and --read-only limit the tools" {
  a_team
  script <<'E'
def names(*options):
    with Client(*options) as client:
        client.initialize()
        return [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
same(["task_list", "send"], names("--tools", "send,task_list"))
same(["task_list", "task_get", "status"], names("--read-only"))
same(["status"], names("--read-only", "--tools", "status,send"))
with Client("--read-only") as client:
    client.initialize()
    same(-32602, client.request("tools/call", {"name": "task_create", "arguments": {"subject": "x"}})["error"]["code"])
E
  run -2 --separate-stderr team-mcp --tools task_lists
  [[ $stderr == "team-mcp: usage: no tool 'task_lists'; did you mean task_list?"* ]]
}

@test "acts as --as or TEAM_MEMBER, and as nobody else" {
  a_team
  task-create one >/dev/null
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    has("Task #1 is yours", client.call("task_claim", id=1))
same("bob", json.loads(run("task-get", "1", "--json"))["owner"])
E
  TEAM_MEMBER=ann run -7 --separate-stderr team-mcp --as bob
  [[ $stderr == 'team-mcp: permission_denied: '* ]]
  run -2 team-mcp --as 'no name'
}

@test "a task goes from creation to completion" {
  a_team
  script <<'E'
with Client("--as", "lead") as lead, Client("--as", "bob") as bob:
    lead.initialize()
    bob.initialize("2025-06-18")
    same("Task #1 is on the board.", lead.call("task_create", subject="Schema", description="all <tables>"))
    same("Task #2 is on the board.", lead.call("task_create", subject="Resolvers", blocked_by=[1], priority=2))
    has("waits for #1", lead.call("task_list"))
    text = bob.call("task_claim")
    has("Task #1 is yours: Schema", text)
    has('<description created_by="lead">\nall &lt;tables&gt;\n</description>', text)
    same("error: blocked: task 2 waits for 1", bob.call("task_claim", id=2))
    text = bob.call("task_update", id=1, status="completed", result="three tables")
    has("Task #1 is completed (rev ", text)
    has("Task #2 can start now: Resolvers", text)
    has('<result task="1" by="bob">\nthree tables\n</result>', bob.call("task_claim"))
    has("is pending", bob.call("task_update", id=2, status="released", result="later"))
    same("later", json.loads(bob.call("task_get", id=2))["error"])
E
}

@test "task_list and task_get give structured content" {
  a_team
  task-create one --description long >/dev/null
  task-create two --blocked-by 1 --owner bob >/dev/null
  script <<'E'
with Client() as client:
    client.initialize()
    result = client.request("tools/call", {"name": "task_list", "arguments": {"owner": "bob"}})["result"]
    same({"tasks": [{"id": 2, "subject": "two", "status": "pending", "owner": "bob", "role": None, "priority": 0,
                     "openBlockers": [1]}], "total": 1}, result["structuredContent"])
    result = client.request("tools/call", {"name": "task_list", "arguments": {"ready": True}})["result"]
    same([1], [task["id"] for task in result["structuredContent"]["tasks"]])
    result = client.request("tools/call", {"name": "task_list", "arguments": {"status": "failed"}})["result"]
    same("No task.", text_of({"result": result}))
    result = client.request("tools/call", {"name": "task_get", "arguments": {"id": "#1"}})["result"]
    same(("long", [2]), (result["structuredContent"]["description"], result["structuredContent"]["blocks"]))
E
}

@test "task_update changes fields, and refuses a stale rev" {
  a_team
  task-create one >/dev/null
  script <<'E'
with Client() as client:
    client.initialize()
    client.call("task_update", id=1, fields={"subject": "uno", "owner": "ann", "priority": 1, "metadata": {"k": [1]}})
    task = json.loads(client.call("task_get", id=1))
    same(("uno", "ann", 1, {"k": [1]}), (task["subject"], task["owner"], task["priority"], task["metadata"]))
    has("error: conflict: ", client.call("task_update", id=1, fields={"subject": "x"}, if_rev=1))
    has("error: task_update: there is no 'fields.subjct'", client.call("task_update", id=1, fields={"subjct": "x"}))
    has("error: usage: ", client.call("task_update", id=1, result="of what?"))
    has("error: not_found: ", client.call("task_update", id=9, status="completed"))
E
}

@test "a refusal is a result that names the reason, with the arguments checked first" {
  a_team
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    has("error: task_claim: 'id' must be an integer", client.call("task_claim", id="one"))
    has("error: not_found: no task 7", client.call("task_get", id=7))
    has("error: send: 'text' is missing", client.call("send", to="ann"))
    has("error: not_found: ", client.call("send", to="anne", text="x"))
    has("error: not_found: ", client.call("plan", action="approve", id="x" * 26))
E
}

@test "works before there is a store, and with a board alone" {
  script <<'E'
with Client() as client:
    client.initialize()
    has("error: not_found: ", client.call("task_list"))
    run("task-create", "one")
    has('#1 [pending] "one"', client.call("task_list"))
    has("error: not_found: no team", client.call("send", to="bob", text="x"))
    has("error: not_found: no team", client.call("wait"))
    has("Task #1 is yours", client.call("wait", claim=True))
    run("team-create", "alpha")
    run("team-join", "bob")
    has("Sent to bob", client.call("send", to="bob", text="x"))
E
}

@test "sends messages, also to all, and answers" {
  a_team
  script <<'E'
with Client("--as", "bob") as client:
    client.initialize()
    has("Sent to ann: ", client.call("send", to="ann", text="hello"))
    has("Sent to ", client.call("send", to="all", text="everybody"))
    first = json.loads(run("team-recv", "--as", "ann", "--json").splitlines()[0])
    same(("bob", "hello"), (first["sender"], first["content"]))
    run("team-send", "bob", "why?", "--as", "ann")
    text = client.call("wait")
    identity = text.split('id="')[1].split('"')[0]
    client.call("send", to="ann", text="because", reply_to=identity)
    same(identity, json.loads(run("team-recv", "--as", "ann", "--json"))["reply_to"])
E
}

@test "status shows the team in a few lines" {
  a_team
  task-create one >/dev/null
  script <<'E'
with Client() as client:
    client.initialize()
    same(run("team-status", "--brief"), client.call("status"))
E
}

@test "ends with the input, on INT and on TERM" {
  a_team
  script <<'E'
for stop in (lambda client: client.process.stdin.close(), lambda client: client.process.send_signal(signal.SIGINT),
             lambda client: client.process.send_signal(signal.SIGTERM)):
    for waits in (False, True):
        with Client("--as", "bob") as client:
            client.initialize()
            if waits:
                client.begin_call("wait")
                client.call("status")
            stop(client)
            same(0, client.process.wait(PATIENCE))
E
  same '' "$(team-mcp </dev/null)"
}
