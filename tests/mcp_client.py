"""A small MCP client for tests: starts team-mcp, sends lines, checks answers.

    with Client("--as", "bob") as client:
        client.initialize()
        client.call("status")

Revision 2026-07-28 needs no initialize: Client(..., stateless=True) puts `_meta` into every request.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time

PATIENCE = float(os.environ.get("TEAMKIT_PATIENCE", "20"))
META = "io.modelcontextprotocol/"


class Client:
    def __init__(self, *options, stateless=False, capabilities=None, prefix=()):
        self.stateless = stateless
        self.capabilities = capabilities or {}
        self.process = subprocess.Popen([*prefix, "team-mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.buffer = b""
        self.last_id = 0
        self.seen = []  # notifications and requests of the server
        self.answers = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # a line for the killed server

    def send(self, message):
        self.send_line(json.dumps(message))

    def send_line(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def read(self, patience=PATIENCE):
        """The next message; None at the end of the output. Fails if none comes in time."""
        end = time.monotonic() + patience
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise AssertionError(f"no message within {patience} s")
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                return None
            self.buffer += got
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def begin(self, method, params=None, request_id=None, token=None):
        """Sends a request and returns its id."""
        if request_id is None:
            self.last_id += 1
            request_id = self.last_id
        params = dict(params or {})
        meta = {}
        if self.stateless:
            meta = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": self.capabilities}
        if token is not None:
            meta["progressToken"] = token
        if meta:
            params["_meta"] = {**meta, **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    def answer(self, request_id, patience=PATIENCE):
        """The answer to this request; everything else is kept."""
        while request_id not in self.answers:
            message = self.read(patience)
            assert message is not None, "the server ended"
            if "method" in message:
                self.seen.append(message)
            else:
                self.answers[message.get("id")] = message
        return self.answers.pop(request_id)

    def request(self, method, params=None, **more):
        return self.answer(self.begin(method, params, **more))

    def initialize(self, version="2025-11-25"):
        result = self.request("initialize", {"protocolVersion": version, "capabilities": self.capabilities,
                                             "clientInfo": {"name": "test", "version": "1"}})["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def begin_call(self, tool, token=None, request_id=None, **arguments):
        return self.begin("tools/call", {"name": tool, "arguments": arguments}, token=token, request_id=request_id)

    def call(self, tool, **arguments):
        """The text of the result. A failure of the tool begins with "error: "."""
        answer = self.answer(self.begin_call(tool, **arguments))
        assert "result" in answer, answer
        return text_of(answer)

    def notice(self, method, patience=PATIENCE):
        """The next message of this method from the server."""
        end = time.monotonic() + patience
        while True:
            for index, message in enumerate(self.seen):
                if message["method"] == method:
                    return self.seen.pop(index)
            message = self.read(max(0.01, end - time.monotonic()))
            assert message is not None, "the server ended"
            if "method" in message:
                self.seen.append(message)
            else:
                self.answers[message.get("id")] = message

    def end(self):
        """Closes the input; the exit status."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.process.wait(PATIENCE)


def text_of(answer):
    result = answer["result"]
    text = "".join(block.get("text", "") for block in result.get("content", []))
    return ("error: " if result.get("isError") else "") + text


def same(expected, actual):
    if expected != actual:
        print(f"expected: {expected!r}\n  actual: {actual!r}", file=sys.stderr)
        raise AssertionError("not the same")


def has(part, text):
    if part not in text:
        print(f"expected: {part!r}\n      in: {text!r}", file=sys.stderr)
        raise AssertionError("not in it")


def run(*words, check=True):
    """Runs a command; its output."""
    done = subprocess.run(words, check=check, capture_output=True, text=True)
    return done.stdout.rstrip("\n")


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.01)
