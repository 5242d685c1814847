"""Reads a store by the rules of teamkit-files(5), without our C++ code.

A Store is read once. It lists the files that do not parse (`broken`), the logs with a torn last line (`torn`), the
files of dead writers (`litter`), and the state itself as `units`. A command changes a unit as a whole: a task, the mail
of a member, a request, the configuration, the log. Times, process ids and the like are replaced by
words, so that two runs of the same command give the same units.
"""

import json
import os
import re

ULID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
CLOCK = re.compile(r"\b[0-9]{2}:[0-9]{2}(:[0-9]{2})?\b")
TASK = re.compile(r"\b([Tt]ask) ([0-9]+)\b")
MAIL = re.compile(r"(.+)_(?:inbox|backlog|taken(?:-\d)?)\.jsonl$")
CACHES = {".lock", ".index", ".edges", ".highwatermark"}
OF_THE_MOMENT = {"pid", "host", "since", "run", "run_id", "boot", "until", "tmux", "pane"}
TASK_NUMBERS = {"task_id", "task"}


def refuse_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key is there twice")
    return dict(pairs)


def parse(text):
    return json.loads(text, object_pairs_hook=refuse_duplicates)


def plain(value, numbers, key=""):
    """The value without what differs from run to run. `numbers` renames tasks."""
    if isinstance(value, dict):
        return {name: plain(inner, numbers, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner, numbers, key) for inner in value]
    if value is not None and key in OF_THE_MOMENT:
        return "now"
    if isinstance(value, str):
        value = CLOCK.sub("time", ULID.sub("ID", value))
        return TASK.sub(lambda match: f"{match[1]} {numbers.get(int(match[2]), match[2])}", value)
    if isinstance(value, float) and value > 1e9:
        return "time"
    if isinstance(value, int) and (key in TASK_NUMBERS or key == "blockedBy"):
        return numbers.get(value, value)
    return value


class Store:
    """`known` are the tasks that were there before: later ones are numbered from there on, whatever gaps there are."""

    def __init__(self, root, known=()):
        self.root = root
        self.broken, self.torn, self.litter = [], [], []
        self.units = {}
        self.pending, self.held, self.bodies = {}, {}, {}
        self.task_files, self.teams = {}, []
        self.messages = []
        boards = {".tasks"}
        if os.path.isdir(os.path.join(root, ".teams")):
            boards |= self._read_teams()
        for board in sorted(boards):
            if os.path.isdir(os.path.join(root, board)):
                self._read_board(board)
        self._name_units(known)
        self.user_files = sorted(name for name in os.listdir(root) if name not in boards and name != ".teams")

    def tasks(self):
        return {number for _, number in self.task_files}

    def _path(self, *parts):
        return os.path.join(self.root, *parts)

    def _read(self, path):
        with open(self._path(path), "rb") as file:
            return file.read()

    def _parse(self, path):
        try:
            return parse(self._read(path))
        except ValueError as error:
            self.broken.append(f"{path}: {error}")
            return None

    def _lines(self, path, start=0, mail=False):
        text = self._read(path)[start:]
        if text and not text.endswith(b"\n"):
            self.torn.append(path)
            text = text[: text.rfind(b"\n") + 1]
        found = []
        for line in text.splitlines():
            if not line.strip():
                continue
            try:
                found.append(parse(line))
            except ValueError as error:
                if mail:  # what a killed writer left; whoever takes the mail sets it aside
                    self.torn.append(path)
                else:
                    self.broken.append(f"{path}: {error}: {line[:60]!r}")
        return found

    def _read_board(self, board):
        for name in sorted(os.listdir(self._path(board))):
            path = os.path.join(board, name)
            if re.fullmatch(r"[1-9][0-9]*\.json", name):
                self._read_task(board, path, name)
            elif name == ".tmp":
                self.litter += [os.path.join(path, left) for left in os.listdir(self._path(path))]
            elif name == ".batch":
                # Committed, and moved in by the next process: these are tasks.
                self.litter.append(path)
                for inner in os.listdir(self._path(path)):
                    self._read_task(board, os.path.join(path, inner), inner)
            elif name == ".highwatermark":
                if not re.fullmatch(rb"([0-9]+ *\n)?", self._read(path)):
                    self.broken.append(f"{path}: not a number")
            elif name not in CACHES:
                self.litter.append(path)

    def _read_task(self, board, path, name):
        task = self._parse(path)
        number = int(name.removesuffix(".json"))
        if task is None:
            return
        if task.get("id") != number or task.get("status") not in ("pending", "in_progress", "completed", "failed"):
            self.broken.append(f"{path}: not task {number}")
        self.task_files[board, number] = task

    def _read_teams(self):
        boards = set()
        for name in sorted(os.listdir(self._path(".teams"))):
            path = os.path.join(".teams", name)
            if name == ".lock":
                continue
            if name.startswith((".tmp-", ".deleted-")):
                self.litter.append(path)
            elif not os.path.exists(self._path(path, "config.json")):
                self.broken.append(f"{path}: a team without configuration")
            else:
                self.teams.append(name)
                boards.add(self._read_team(path, name))
        return boards

    def _read_team(self, path, team):
        config = self._parse(os.path.join(path, "config.json")) or {}
        self.units[f"config {team}"] = config
        names = sorted(os.listdir(self._path(path)))
        for name in names:
            file = os.path.join(path, name)
            if name.startswith(".tmp-"):
                self.litter.append(file)
            elif name in ("requests", "bodies"):
                self._read_folder(file, team, name)
            elif re.fullmatch(r"[A-Za-z0-9][\w-]*\.json", name) and name not in ("config.json", "exchanges.json"):
                self.units[f"member {team}/{name.removesuffix('.json')}"] = self._parse(file)
            elif name == "quotas.jsonl":
                self.units[f"quotas {team}"] = [entry["quota"] for entry in self._lines(file)]
            elif name == "exchanges.json":
                self.units[f"exchanges {team}"] = self._parse(file)
            elif name.endswith("_rejected.jsonl"):
                self.units[f"rejected {team}/{name}"] = [entry.get("line") for entry in self._lines(file)]
            elif name.endswith("_transcript.jsonl"):
                self._lines(file)
            elif name.endswith(".hold"):
                self._parse(file)
        self._read_events(path, team, names)
        for owner in sorted({match[1] for match in map(MAIL.match, names) if match}):
            self._read_mail(path, team, owner, names)
        return config.get("board", ".tasks")

    def _read_folder(self, path, team, kind):
        for name in sorted(os.listdir(self._path(path))):
            file = os.path.join(path, name)
            if name.startswith(".tmp-"):
                self.litter.append(file)
            elif kind == "requests" and name == "answered":
                self._read_folder(file, team, kind)
            elif kind == "requests":
                self.units[f"request {team}/{name.removesuffix('.json')}"] = self._parse(file)
            else:
                self.bodies[name] = os.path.getsize(self._path(file))

    def _read_events(self, path, team, names):
        aside = sorted((name for name in names if re.fullmatch(r"events-\d+\.jsonl", name)),
                       key=lambda name: int(name[7:-6]))
        events = []
        for name in aside + [name for name in names if name == "events.jsonl"]:
            events += self._lines(os.path.join(path, name))
        if [event.get("seq") for event in events] != list(range(1, len(events) + 1)):
            self.broken.append(f"{path}/events.jsonl: the numbers have a gap")
        self.units[f"events {team}"] = [event["event"] | {"agent": event["agent_id"]} for event in events]

    def _read_mail(self, path, team, owner, names):
        def lines(name, start=0):
            return self._lines(os.path.join(path, name), start, mail=True) if name in names else []

        start = self._backlog_start(path, owner, names)
        waiting = lines(f"{owner}_backlog.jsonl", start) + lines(f"{owner}_inbox.jsonl")
        known = {message.get("id") for message in waiting}
        held = []
        for number in range(1, 9):
            slot = f"{owner}_taken.jsonl" if number == 1 else f"{owner}_taken-{number}.jsonl"
            taken = lines(slot)
            if f"{slot}.hold" in names:
                held += [message for message in taken if message.get("id") not in known]
            else:
                waiting = [message for message in taken if message.get("id") not in known] + waiting
        for message in waiting + held:
            size = message.get("body_size")
            if size and self._body_size(path, message["id"]) != size:
                self.broken.append(f"{path}/bodies/{message['id']}: not the {size} bytes of its message")
        self.messages += waiting + held
        self.pending[team, owner] = [message.get("id") for message in waiting]
        self.held[team, owner] = [message.get("id") for message in held]
        # Messages that are delivered again come before the others. Only the order of each sender counts.
        for sender in {message.get("sender") for message in waiting}:
            self.units[f"mail {team}/{owner} from {sender}"] = [
                message for message in waiting if message.get("sender") == sender]
        self.units[f"held {team}/{owner}"] = held

    def _body_size(self, path, name):
        file = self._path(path, "bodies", name)
        return os.path.getsize(file) if os.path.exists(file) else -1

    def _backlog_start(self, path, owner, names):
        if f"{owner}_backlog.pos" not in names or f"{owner}_backlog.jsonl" not in names:
            return 0
        inode, position = map(int, self._read(os.path.join(path, f"{owner}_backlog.pos")).split()[:2])
        return position if inode == os.stat(self._path(path, f"{owner}_backlog.jsonl")).st_ino else 0

    def _name_units(self, known):
        numbers = {}
        for number in sorted(self.tasks() - set(known)):
            numbers[number] = max(known, default=0) + len(numbers) + 1
        units = {name: plain(unit, numbers) for name, unit in self.units.items()}
        for (board, number), task in self.task_files.items():
            number = numbers.get(number, number)
            units[f"task {board}/{number}"] = plain(task, numbers) | {"id": number}
        requests = sorted(name for name in units if name.startswith("request "))
        for place, name in enumerate(requests):
            units[f"request {place + 1}"] = units.pop(name)
        for name in [name for name, unit in units.items() if unit == []]:
            del units[name]
        self.units = units


def fingerprint(root):
    """Every file of the tree, byte for byte, by its path. Caches and locks do not count."""
    found = {}
    for folder, _, files in os.walk(root):
        for name in files:
            if name in CACHES or name.endswith((".lock", ".alive")):
                continue
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = file.read()
    return found
