"""serve_client.py MODE URL TOKEN … - clients of team-serve that curl cannot play, for the tests

follow AFTER COUNT      prints the numbers of events until COUNT is reached, and reconnects as an EventSource does
stuck COUNT             opens COUNT streams, prints "ready" and never reads; ends when stdin ends
slow COUNT              opens COUNT connections, sends a part of a header, prints "ready"; ends when stdin ends; then
                        prints how many of them the server closed or answered with 408
"""

import socket
import sys
import time

mode, url, token = sys.argv[1:4]
host, port = url.removeprefix("http://").split(":")
PATIENCE = 30


def connect():
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def request(path, *headers):
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{port}", f"Authorization: Bearer {token}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def frames(stream):
    """The blocks of an event stream, from a chunked body."""
    assert b" 200 " in stream.readline()
    while stream.readline().strip():
        pass
    text = b""
    while True:
        size = int(stream.readline(), 16)
        if size == 0:
            return
        text += stream.read(size)
        stream.readline()
        while b"\n\n" in text:
            frame, text = text.split(b"\n\n", 1)
            yield frame.decode()


def follow(last, count):
    deadline = time.monotonic() + PATIENCE
    while last < count and time.monotonic() < deadline:
        try:
            with connect() as connection:
                connection.sendall(request("/api/events", f"Last-Event-ID: {last}"))
                for frame in frames(connection.makefile("rb")):
                    ids = [line[4:] for line in frame.split("\n") if line.startswith("id: ")]
                    if ids:
                        last = int(ids[0])
                        print(last, flush=True)
                    if last >= count:
                        return
        except (OSError, ValueError, AssertionError):
            time.sleep(0.05)


def stuck(count):
    connections = []
    for _ in range(count):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE)
        connection.connect((host, int(port)))
        connection.sendall(request("/api/events?after=0"))
        connections.append(connection)
    print("ready", flush=True)
    sys.stdin.read()


def slow(count):
    connections = []
    for _ in range(count):
        connection = connect()
        connection.sendall(b"GET /api/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        connections.append(connection)
    print("ready", flush=True)
    sys.stdin.read()
    closed = 0
    for connection in connections:
        try:
            answer = connection.recv(100)
        except OSError:
            answer = b""
        closed += answer == b"" or b" 408 " in answer
    print(closed)


if mode == "follow":
    follow(int(sys.argv[4]), int(sys.argv[5]))
else:
    {"stuck": stuck, "slow": slow}[mode](int(sys.argv[4]))
