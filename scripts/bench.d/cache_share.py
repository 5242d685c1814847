#!/usr/bin/env python3
"""cache_share - how much of the prompts a service can read from its cache, from the log of scripts/model-server

usage: cache_share LOG

Compares each request with the one before it in the same conversation. Prints for each conversation its name, the
number of requests after the first, the percentage of the request before that is cached, and the percentage of the
input that is cached; then a line `all`. The first percentage cannot be 100: the state of the team at the end of each
request is not a part of the next one.

The cached prefix follows the rules of the services. Anthropic stores a prefix at each block with cache_control, at most
4 of them. It looks for a stored one at the marks of the next request and up to 20 blocks before each. A changed setting
of thinking or tool_choice voids the stored messages. OpenAI stores the prefix by its bytes.
"""

import json
import sys

LOOK_BACK = 20  # blocks before a mark


def to_bytes(value):
    return json.dumps(value, ensure_ascii=False).encode()


def as_blocks(content):
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def anthropic_blocks(body):
    """The blocks in the order of the service, each with whether it is marked."""
    found = [("tool", tool) for tool in body.get("tools", [])]
    found += [("system", block) for block in as_blocks(body.get("system", ""))]
    found.append(("settings", {"thinking": body.get("thinking"), "tool_choice": body.get("tool_choice")}))
    for message in body["messages"]:
        found += [(message["role"], block) for block in as_blocks(message["content"])]
    blocks = []
    for where, block in found:
        plain = {key: value for key, value in block.items() if key != "cache_control"}
        blocks.append((to_bytes([where, plain]), "cache_control" in block))
    return blocks


class Anthropic:
    def __init__(self):
        self.stored = set()  # prefixes

    def take(self, body):
        blocks = anthropic_blocks(body)
        marks = [number for number, (_, is_marked) in enumerate(blocks) if is_marked]
        if len(marks) > 4:
            sys.exit(f"cache_share: a request has {len(marks)} cache marks")
        prefixes, prefix = [], b""
        for text, _ in blocks:
            prefix += text
            prefixes.append(prefix)
        cached = 0
        for mark in marks:
            for number in range(mark, max(-1, mark - LOOK_BACK - 1), -1):
                if prefixes[number] in self.stored:
                    cached = max(cached, len(prefixes[number]))
                    break
        self.stored.update(prefixes[mark] for mark in marks)
        return cached, len(prefix)


class OpenAi:
    def __init__(self):
        self.before = b""

    def take(self, body):
        now = to_bytes([body.get("tools"), body.get("instructions"), body.get("messages") or body.get("input")])
        cached = 0
        while cached < min(len(now), len(self.before)) and now[cached] == self.before[cached]:
            cached += 1
        self.before = now
        return cached, len(now)


def main(log):
    caches, sizes, sums = {}, {}, {}
    with open(log) as lines:
        for line in map(json.loads, lines):
            if line["status"] != 200:
                continue
            name = line["conversation"]
            cache = caches.setdefault(name, Anthropic() if line["format"] == "anthropic" else OpenAi())
            cached, size = cache.take(line["body"])
            if name in sizes:
                counts = (1, cached, sizes[name], size)
                sums[name] = [a + b for a, b in zip(sums.get(name, [0] * 4), counts)]
            sizes[name] = size
    every = [sum(column) for column in zip(*sums.values())]
    for name, (count, cached, before, size) in [*sums.items(), *([("all", every)] if every else [])]:
        print(f"{name}\t{count}\t{100 * cached / before:.1f}\t{100 * cached / size:.1f}")


if len(sys.argv) != 2:
    sys.exit(__doc__.split("\n\n")[1])
main(sys.argv[1])
