#!/usr/bin/env python3
"""history_checker - prove from what commands were asked and what they answered that no promise was broken

usage: history_checker LOGS ROOT

LOGS is a folder of *.log, ROOT the folder of the store as it was left. A log has two lines for each command:

    {"n": 7, "at": 1.20, "by": "w-3", "kind": "claim", "task": 12}          before it was started
    {"n": 7, "end": 1.25, "exit": 0, "out": "...", "err": "..."}            after it had ended

A command is *done* if it exited 0, *refused* if by 1 to 10, 74 or 75, else *open*: it was killed or does not know
itself, and may have had its effect or not. Times are of one clock. What each kind carries besides stands where it is
read. Prints what is broken, a line each, and exits 1 if anything is.
"""
import collections
import glob
import heapq
import json
import os
import re
import sys

REFUSALS = frozenset(list(range(1, 11)) + [74, 75])
NEVER = ('lost', 'doubled', 'claimed twice', 'out of order', 'wedged', 'false successes', 'refused but done',
         'wrong answers', 'unexpected')
CLAIMS = ('next', 'claim')
CHANGING = ('create', 'batch', 'next', 'claim', 'update', 'complete', 'fail', 'release', 'reclaim', 'reopen', 'ask')
LONGEST_TRUST = 6  # seconds until the index looks at everything, and some to spare
ENDINGS = {'complete': 'completed', 'fail': 'failed', 'release': 'pending'}
RECEIVED = re.compile(r'(\S+) (\d+)(?: .*)?', re.DOTALL)


class Op:
    """One command: what was asked, and what was answered."""

    def __init__(self, asked):
        self.__dict__.update(asked)
        self.asked = asked
        self.end = float('inf')
        self.exit = None
        self.out = self.err = ''

    def __getattr__(self, name):  # what the kind does not carry
        return None

    @property
    def done(self):
        return self.exit == 0

    @property
    def refused(self):
        return self.exit in REFUSALS

    @property
    def open(self):
        return not self.done and not self.refused

    def __str__(self):
        what = ' '.join(f'{key}={value}' for key, value in self.asked.items() if key not in ('n', 'at', 'kind', 'argv'))
        return f'#{self.n} {self.kind} {what} at {self.at:.3f} to {self.end:.3f}, exit {self.exit}'


def lines_of(text):
    """The whole lines that are JSON: a killed command leaves half a line."""
    found = []
    for line in text.split('\n')[:-1]:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def read_logs(folder):
    ops = {}
    for path in glob.glob(os.path.join(folder, '*.log')):
        with open(path, encoding='utf-8') as log:
            for line in log:
                entry = json.loads(line)
                if 'at' in entry:
                    ops[entry['n']] = Op(entry)
                else:
                    ops[entry['n']].__dict__.update(entry)
    return sorted(ops.values(), key=lambda op: op.at)


class Store:
    """What lies in the files at the end."""

    def __init__(self, root):
        self.broken = []
        self.tasks = {}
        for path in glob.glob(os.path.join(root, '.tasks', '*.json')):
            task = self.parse(path)
            if task is not None:
                self.tasks[task['id']] = task
        team = (glob.glob(os.path.join(root, '.teams', '*', 'config.json')) or [None])[0]
        self.config = self.parse(team) if team else {}
        folder = os.path.dirname(team) if team else root
        self.requests = {}
        for path in (glob.glob(os.path.join(folder, 'requests', '*.json')) +
                     glob.glob(os.path.join(folder, 'requests', 'answered', '*.json'))):
            request = self.parse(path)
            if request is not None:
                self.requests[request['id']] = request
        self.events = []
        for path in glob.glob(os.path.join(folder, 'events*.jsonl')):
            with open(path, encoding='utf-8') as log:
                for line in log:
                    try:
                        self.events.append(json.loads(line))
                    except ValueError:
                        self.broken.append(f'{path}: {line[:60]}')
        self.events.sort(key=lambda event: event['seq'])

    def parse(self, path):
        try:
            with open(path, encoding='utf-8') as file:
                return json.load(file)
        except ValueError as error:
            self.broken.append(f'{path}: {error}')
            return None


class Verdict:
    """What was found, by what it breaks."""

    def __init__(self):
        self.found = {kind: [] for kind in NEVER}

    def add(self, kind, text):
        self.found[kind].append(text)

    def counts(self):
        return ', '.join(f'{len(self.found[kind])} {kind}' for kind in NEVER)

    def clean(self):
        return not any(self.found.values())

    def show(self, most=12):
        for kind in NEVER:
            for text in self.found[kind][:most]:
                print(f'{kind}: {text}')
            if len(self.found[kind]) > most:
                print(f'{kind}: and {len(self.found[kind]) - most} more')


class Checker:
    """Holds the history against the promises."""

    def __init__(self, ops, store):
        self.ops = ops
        self.store = store
        self.lease = float(store.config.get('settings', {}).get('tasks.lease', 0))
        self.verdict = Verdict()
        self.created_at = {}  # when a task was certainly there
        self.hidden = 0       # changes of tasks by commands that do not say which task it was
        self.by_kind = collections.defaultdict(list)
        self.on_task = collections.defaultdict(list)  # every command that names a task, or was given one
        self.edits = collections.defaultdict(list)    # by hand
        for op in ops:
            self.by_kind[op.kind].append(op)
            if op.kind == 'edit' and op.task:
                self.edits[op.task].append(op)
                continue
            if op.kind == 'next' and op.done:
                op.task = self.printed(op).get('id')
            if op.task is not None:
                self.on_task[op.task].append(op)
        self.events_of = collections.defaultdict(list)
        for event in store.events:
            if 'task_id' in event['event']:
                self.events_of[event['event']['task_id']].append(event)

    @staticmethod
    def printed(op):
        lines = lines_of(op.out)
        return lines[0] if lines else {}

    def run(self):
        for text in self.store.broken:
            self.verdict.add('unexpected', f'cannot be parsed: {text}')
        self.check_created()
        for task in sorted(self.store.tasks.keys() | self.on_task.keys()):
            if task not in self.edits or all(edit.opens for edit in self.edits[task]):
                self.check_revisions(task)
            self.check_edits(task)
        self.check_unexplained()
        self.check_counters()
        self.check_owners()
        self.check_blockers()
        self.check_next()
        self.check_events()
        self.check_mail()
        self.check_requests()
        self.check_members()
        self.check_setting()
        return self.verdict

    # create: token, the subject; blocked_by. batch: tokens. Both print ids.
    def check_created(self):
        subjects = collections.defaultdict(list)
        for task in self.store.tasks.values():
            subjects[task['subject']].append(task['id'])
        given = {}
        for op in self.by_kind['create'] + self.by_kind['batch']:
            tokens = op.tokens or [op.token]
            there = [token for token in tokens if token in subjects]
            for token in there:
                if len(subjects[token]) > 1:
                    self.verdict.add('doubled', f'{token} is in tasks {subjects[token]}: {op}')
            if op.refused and there:
                self.verdict.add('refused but done', f'{there[0]} is on the board: {op}')
            if op.open and there and len(there) < len(tokens):
                self.verdict.add('lost', f'{len(there)} of a batch of {len(tokens)} are on the board: {op}')
            if not op.done:
                continue
            ids = [int(line) for line in op.out.split()]
            if len(ids) != len(tokens):
                self.verdict.add('false successes', f'{len(ids)} ids for {len(tokens)} tasks: {op}')
            for token, task in zip(tokens, ids):
                if task in given:
                    self.verdict.add('doubled', f'id {task} was given to {given[task]} and to {op}')
                given[task] = op
                self.created_at[task] = op.end
                if self.store.tasks.get(task, {}).get('subject') != token:
                    self.verdict.add('false successes', f'task {task} is not {token}: {op}')

    # Changes print the task with its rev; task-complete does not. update: key and value go into its metadata.
    def check_revisions(self, task):
        known, reads, silent = {}, [], 0
        for op in self.on_task[task]:
            state = self.printed(op) if op.done else {}
            if op.kind == 'get' and state:
                reads.append((state['rev'], op, state))
            elif op.kind != 'get' and op.done and (op.prints == 0 or state.get('id') != task):
                silent += 1
            elif op.kind != 'get' and op.done:
                rev = state['rev']
                if rev in known:
                    self.verdict.add('lost', f'rev {rev} of task {task} was given twice: {known[rev][0]} and {op}')
                known[rev] = (op, state)
        self.check_times(task, known, reads)
        final = self.store.tasks.get(task)
        highest = max(known, default=0)
        if final is None or final['rev'] < highest:
            self.verdict.add('lost', f'task {task} is at rev {final and final["rev"]}, it was at {highest}')
            return
        for rev, op, state in reads + [(final['rev'], 'the file', final)]:
            wrong = differs(known[rev][1], state) if rev in known else None
            if wrong:
                self.verdict.add('lost', f'rev {rev} of task {task}: {wrong} in {op}, after {known[rev][0]}')
        self.check_chain(task, known, final)
        self.check_gaps(task, final['rev'] - 1 - len(known), silent)

    def check_chain(self, task, known, final):
        """From rev to rev nothing goes but what was changed, and nothing comes that was refused."""
        barred = {(op.key, op.value) for op in self.on_task[task]
                  if op.kind == 'update' and op.refused and not op.counts}
        floor = {}
        before = None
        for rev in sorted(known.keys() | {final['rev']}):
            op, state = known.get(rev, (None, final))
            metadata = state.get('metadata', {})
            for key, value in metadata.items():
                if (key, value) in barred:
                    self.verdict.add('refused but done', f'task {task} has {key}={value}, which was refused')
            for key, value in floor.items():
                if metadata.get(key, -1) < value:
                    self.verdict.add('lost', f'task {task} at rev {rev} has not {key}={value} any more')
            floor.update({key: value for key, value in metadata.items() if isinstance(value, int)})
            if op is not None and before is not None and before['rev'] + 1 == rev:
                self.check_step(task, before, op, state)
            before = state

    def check_times(self, task, known, reads):
        """What ended before another began has the lower rev."""
        ended = []
        highest = 0
        moments = [(op.at, rev, op, 1) for rev, (op, _) in known.items()]
        moments += [(op.at, rev, op, 0) for rev, op, _ in reads]
        for at, rev, op, writes in sorted(moments, key=lambda moment: moment[0]):
            while ended and ended[0][0] < at:
                highest = max(highest, heapq.heappop(ended)[1])
            if rev < highest + writes:
                self.verdict.add('out of order', f'task {task} had rev {highest} before {op}, which saw or made {rev}')
            heapq.heappush(ended, (op.end, rev))

    def check_step(self, task, before, op, after):
        """Each change stands on the one before it."""
        wanted = {key: before.get(key) for key in ('status', 'owner', 'attempts')}
        wanted['metadata'] = dict(before.get('metadata', {}))
        if op.kind in CLAIMS:
            if before['status'] != 'pending':
                self.verdict.add('claimed twice', f'task {task} was {before["status"]} by {before["owner"]}: {op}')
            wanted.update(status='in_progress', owner=op.by, attempts=(before.get('attempts') or 0) + 1)
        elif op.kind in ENDINGS:
            wanted['status'] = ENDINGS[op.kind]
            if op.kind == 'release':
                wanted['owner'] = None
        elif op.kind == 'reopen':
            wanted.update(status='pending', owner=None)
        elif op.kind == 'update':
            wanted['metadata'][op.key] = op.value
            if op.if_rev is not None and op.if_rev != before['rev']:
                self.verdict.add('lost', f'task {task} was at rev {before["rev"]}: {op}')
        for key, value in wanted.items():
            if after.get(key) != value:
                self.verdict.add('lost', f'task {task} has {key} {after.get(key)} and not {value} after {op}')

    def check_gaps(self, task, missing, silent):
        """Each rev was made by somebody: by an answer without a rev, by a command that is open, or by the system."""
        if missing < silent:
            self.verdict.add('lost', f'task {task} has {missing} revs for {silent} changes that were acknowledged')
        unsure = sum(1 for op in self.on_task[task] if op.open and op.kind != 'get')
        released = sum(1 for event in self.events_of[task] if event['agent_id'] == 'system')
        self.hidden += max(0, missing - silent - unsure - released)

    def check_unexplained(self):
        # A claim by id also releases abandoned tasks.
        nameless = sum(1 for op in self.ops if op.open and op.kind in ('next', 'reclaim', 'claim'))
        if self.hidden > nameless:
            self.verdict.add('refused but done', f'{self.hidden} changes of tasks, {nameless} who may have made them')

    # edit: by hand, with one rename. `mark` goes into metadata.person; `opens`: from then on anybody may claim it.
    def check_edits(self, task):
        marks = [edit for edit in self.edits[task] if edit.done and edit.mark]
        if not marks:
            return
        for op in self.on_task[task]:
            before = [edit.mark for edit in marks if edit.end < op.at]
            state = self.printed(op) if op.done else {}
            if before and state.get('id') == task and state['metadata'].get('person', -1) < before[-1]:
                self.verdict.add('lost', f'edit {before[-1]} by hand of task {task} is gone: {op}')
        final = self.store.tasks.get(task, {}).get('metadata', {}).get('person', -1)
        if final < marks[-1].mark:
            self.verdict.add('lost', f'edit {marks[-1].mark} by hand of task {task} is gone, {final} is there')

    # update with `counts`: with --if-rev, the value that was read plus one.
    def check_counters(self):
        steps = collections.defaultdict(list)
        for op in self.by_kind['update']:
            if op.counts and not op.refused:
                steps[op.task].append(op)
        for task, ops in steps.items():
            done = collections.Counter(op.value for op in ops if op.done)
            for value, times in done.items():
                if times > 1:
                    self.verdict.add('lost', f'{times} were told that they made counter {task} {value}')
            final = self.store.tasks.get(task, {}).get('metadata', {}).get('n', 0)
            unsure = sum(1 for op in ops if op.open)
            if not len(done) <= final <= len(done) + unsure:
                self.verdict.add('lost', f'counter {task} is {final} after {len(done)} steps and {unsure} killed ones')

    # death of the process of a member: its tasks are free from then on.
    def holdings(self):
        """When a claim was certainly in force: from its answer until somebody may have ended it."""
        found = collections.defaultdict(list)
        deaths = collections.defaultdict(list)
        for op in self.by_kind['death']:
            deaths[op.by].append(op.at)
        for task, ops in self.on_task.items():
            endings = [op for op in ops if op.kind in ENDINGS and not op.refused] + self.edits[task]
            for op in ops:
                if op.kind not in CLAIMS or not op.done:
                    continue
                until = [ending.at for ending in endings if ending.end > op.at]
                until += [at for at in deaths[op.by] if at > op.at]
                if self.lease:
                    until.append(op.at + self.lease)
                found[task].append((op.end, min(until, default=float('inf')), op))
        return found

    def check_owners(self):
        by_member = collections.defaultdict(list)
        for task, holdings in self.holdings().items():
            for holding in holdings:
                by_member[holding[2].by].append(holding)
            self.check_apart(holdings, lambda one, other: f'task {task}: {one} and {other}')
        for holdings in by_member.values():
            self.check_apart([one for one in holdings if not self.edits[one[2].task]],
                             lambda one, other: f'by one member: {one} and {other}')
        dead = {op.by for op in self.by_kind['death']}  # and somebody has looked since, at the end
        for task in self.store.tasks.values():
            if task['status'] == 'in_progress' and task['owner'] in dead:
                self.verdict.add('lost', f'task {task["id"]} is still with {task["owner"]}, who is dead')

    def check_apart(self, holdings, describe):
        ordered = sorted(holdings, key=lambda holding: holding[2].at)
        for i, (_, until, op) in enumerate(ordered):
            for start, end, other in ordered[i + 1:]:
                if other.at >= until:
                    break
                within = op.end <= other.at and other.end <= until
                if within or max(op.end, start) < min(until, end):
                    self.verdict.add('claimed twice', describe(op, other))

    def check_blockers(self):
        blockers = {}
        for op in self.by_kind['create']:
            if op.done and op.blocked_by:
                blockers[int(op.out)] = op.blocked_by
        for task, blocker in blockers.items():
            completed = [op.at for op in self.on_task[blocker] if op.kind == 'complete' and not op.refused]
            for op in self.on_task[task]:
                if op.kind in CLAIMS and op.done and not any(at < op.end for at in completed):
                    self.verdict.add('wrong answers', f'{blocker} was not completed: {op}')

    def check_next(self):
        """Nobody is told that nothing is ready, or given a lesser task, while a better one is there for all to take."""
        waiting = [(self.created_at[task], task) for task, state in self.store.tasks.items()
                   if task in self.created_at and state['rev'] == 1 and state['status'] == 'pending'
                   and not state.get('role') and not state.get('blockedBy') and not self.edits[task]]
        first = min(waiting, default=None)
        for op in self.by_kind['next']:
            if op.exit == 1 and first and first[0] < op.at:
                self.verdict.add('wrong answers', f'task {first[1]} was ready: {op}')
        claims = collections.defaultdict(list)  # the numbers of the events
        for event in self.store.events:
            if event['event']['type'] == 'TASK_CLAIMED':
                claims[event['event']['task_id'], event['agent_id']].append(event['seq'])
        lesser = [(op, max(claims[op.task, op.by])) for op in self.by_kind['next']
                  if op.done and self.printed(op).get('priority', 2) < 2 and claims[op.task, op.by]]
        for task, edits in self.edits.items():
            opening = next((edit for edit in edits if edit.done and edit.opens), None)
            later = [event for event in self.events_of[task] if event['event']['type'] != 'TASK_CREATED']
            if opening is None or not later or later[0]['event']['type'] != 'TASK_CLAIMED':
                continue
            seen = opening.end + (LONGEST_TRUST if self.hides(opening) else 0)
            for op, seq in lesser:
                if op.at > seen and seq < later[0]['seq']:
                    self.verdict.add('wrong answers', f'{task} was opened by hand at {opening.end:.3f}, before {op}')

    def hides(self, edit):
        """An edit between the last look of a command and its rename is taken for a part of it, until the next sweep."""
        return any(op.at <= edit.end and op.end >= edit.at for kind in CHANGING for op in self.by_kind[kind])

    def check_events(self):
        for place, event in enumerate(self.store.events):
            if event['seq'] != place + 1:
                self.verdict.add('lost', f'event {place + 1} is missing or there twice, {event["seq"]} stands there')
                break
        if not self.store.events:
            return
        made = collections.Counter()
        sent = set()
        for event in self.store.events:
            body = event['event']
            if body['type'] in ('TASK_CREATED', 'TASK_CLAIMED', 'TASK_COMPLETED'):
                made[body['type'], body['task_id']] += 1
            elif body['type'] == 'MESSAGE_SENT':
                sent.add(body['message_id'])
        wanted = collections.Counter({('TASK_CREATED', task): 1 for task in self.created_at})
        for task, ops in self.on_task.items():
            wanted['TASK_CLAIMED', task] = sum(1 for op in ops if op.kind in CLAIMS and op.done)
            wanted['TASK_COMPLETED', task] = sum(1 for op in ops if op.kind == 'complete' and op.done)
        for (kind, task), times in wanted.items():
            if made[kind, task] < times:
                self.verdict.add('false successes', f'{times} {kind} of task {task}, {made[kind, task]} events')
        for op in self.by_kind['send']:
            for message in lines_of(op.out) if op.done else []:
                if message['id'] not in sent:
                    self.verdict.add('false successes', f'no event of message {message["id"]}: {op}')

    # send: number, which counts up for each sender; --json prints the messages. A text is "SENDER NUMBER ...".
    # recv: reader; life; mode: plain, hold, gone or full (nobody gets what it prints); all: whatever there is.
    # ack: reader, ids.
    def check_mail(self):
        barred = {(op.by, op.number) for op in self.by_kind['send'] + self.by_kind['plan'] if op.refused}
        unsure_answers = {}
        for op in self.by_kind['answer']:
            if op.open:
                unsure_answers[op.request] = min(op.at, unsure_answers.get(op.request, op.at))
        inboxes = collections.defaultdict(list)
        for op in self.by_kind['recv'] + self.by_kind['ack']:
            inboxes[op.reader].append(op)
        sent = collections.defaultdict(list)
        for op in self.by_kind['send']:
            for message in lines_of(op.out) if op.done else []:
                sent[message['recipient']].append((op.end, message['id'], op))
        delivered = collections.defaultdict(set)
        for reader, ops in inboxes.items():
            ops.sort(key=lambda op: op.at)
            self.check_inbox(reader, ops, delivered[reader], barred, unsure_answers)
            self.check_taken(ops, sorted(sent[reader], key=lambda entry: entry[0], reverse=True))
        for op in self.by_kind['send']:
            for message in lines_of(op.out) if op.done else []:
                if message['recipient'] in inboxes and message['id'] not in delivered[message['recipient']]:
                    self.verdict.add('lost', f'message {message["id"]} to {message["recipient"]}: {op}')

    def check_taken(self, ops, sent):
        """Who takes whatever there is gets all that was sent before."""
        seen, waiting = set(), {}
        for op in ops:
            if op.kind != 'recv':
                continue
            for message in lines_of(op.out):
                seen.add(message['id'])
                waiting.pop(message['id'], None)
            while sent and sent[-1][0] < op.at:
                _, number, send = sent.pop()
                if number not in seen:
                    waiting[number] = send
            if op.all and op.mode == 'plain' and op.exit in (0, 1) and waiting:
                number, send = waiting.popitem()
                self.verdict.add('wrong answers', f'{number} and {len(waiting)} more did not come: {send}, then {op}')
                waiting.clear()

    def check_inbox(self, reader, ops, delivered, barred, unsure_answers):
        settled, held, ids, last = {}, {}, {}, collections.defaultdict(lambda: -1)
        for op in ops:
            if op.kind == 'ack':
                for message in op.ids:
                    if not op.refused:
                        held.pop(message, None)
                    if op.done:
                        settled[message] = op
                continue
            messages = lines_of(op.out)
            if messages and op.refused:
                self.verdict.add('refused but done', f'{len(messages)} messages were shown: {op}')
            for message in messages:
                number = message['id']
                answers = unsure_answers.get(message.get('request_id'), float('inf'))
                again = answers < op.end and message['type'].endswith('_response')
                if number in settled and not again:
                    self.verdict.add('doubled', f'{number} to {reader}: {settled[number]} and {op}')
                if held.get(number) == op.life and not again:
                    self.verdict.add('doubled', f'{number} to {reader} is held by the same life: {op}')
                text = RECEIVED.fullmatch(message.get('content', ''))
                fresh = number not in delivered
                delivered.add(number)
                if op.done and op.mode == 'plain':
                    settled[number] = op
                elif op.done and op.mode == 'hold':
                    held[number] = op.life
                if not text or text[1] != message['sender'] or not fresh:
                    continue
                sender, count = text[1], int(text[2])
                if (sender, count) in barred:
                    self.verdict.add('refused but done', f'{sender} {count} came to {reader}: {op}')
                if ids.setdefault((sender, count), number) != number:
                    self.verdict.add('doubled', f'{sender} {count} came to {reader} by two ids: {op}')
                if count <= last[sender]:
                    self.verdict.add('out of order', f'{sender} {count} came to {reader} after {last[sender]}: {op}')
                last[sender] = max(last[sender], count)

    # plan and ask print the id of the request; answer: request, approve; prints the id of the message.
    def check_requests(self):
        answers = collections.defaultdict(list)
        for op in self.by_kind['answer']:
            if not op.refused:
                answers[op.request].append(op)
        for op in self.by_kind['answer']:
            if op.exit == 8 and not any(other.at < op.end for other in answers[op.request]):
                self.verdict.add('refused but done', f'nobody had answered: {op}')
        for op in self.by_kind['plan'] + self.by_kind['ask']:
            made = self.printed(op).get('request_id') or self.printed(op).get('id') if op.done else None
            if made and made not in self.store.requests:
                self.verdict.add('lost', f'request {made}: {op}')
        verdicts = collections.defaultdict(set)
        for op in self.by_kind['recv']:
            for message in lines_of(op.out):
                if message.get('type', '').endswith('_response'):
                    verdicts[message.get('request_id')].add((message['id'], message.get('approve')))
        for request, file in self.store.requests.items():
            done = [op for op in answers[request] if op.done]
            if len(done) > 1:
                self.verdict.add('doubled', f'request {request} was answered by {done[0]} and by {done[1]}')
            if len(verdicts[request]) > 1:
                self.verdict.add('doubled', f'request {request} has {len(verdicts[request])} answers in the mail')
            if done:
                wanted = 'approved' if done[0].approve else 'rejected'
                if file['status'] != wanted:
                    self.verdict.add('lost', f'request {request} is {file["status"]}: {done[0]}')
                if not verdicts[request]:
                    self.verdict.add('lost', f'the answer to {request} never came: {done[0]}')
            elif file['status'] != 'pending' and not answers[request]:
                self.verdict.add('refused but done', f'request {request} is {file["status"]}, and nobody answered it')

    # join, leave: member; only one client uses each name.
    def check_members(self):
        latest = collections.defaultdict(list)
        for op in self.by_kind['join'] + self.by_kind['leave']:
            if not op.refused:
                latest[op.member].append(op)
        there = {member['name'] for member in self.store.config.get('members', [])}
        for member, ops in latest.items():
            op = max(ops, key=lambda one: one.at)
            if op.done and (member in there) != (op.kind == 'join'):
                self.verdict.add('lost', f'{member} is {"" if member in there else "not "}in the team: {op}')

    # set: value, different each time. read: prints it.
    def check_setting(self):
        writes = {str(op.value): op for op in self.by_kind['set']}
        for op in self.by_kind['read']:
            value = op.out.strip()
            if not op.done or value not in writes:
                continue
            write = writes[value]
            if write.refused:
                self.verdict.add('refused but done', f'{write}, but {op}')
            elif write.at > op.end:
                self.verdict.add('out of order', f'{op} saw {write}')
            elif any(write.end < other.at and other.end < op.at for other in writes.values() if other.done):
                self.verdict.add('lost', f'{op} saw {write}, which was overwritten')


def differs(one, other):
    """Where two views of one rev do not agree."""
    for key in ('status', 'owner', 'attempts', 'metadata', 'subject', 'description', 'result'):
        if one.get(key) != other.get(key):
            return f'{key} is {other.get(key)}, not {one.get(key)}'
    return None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    verdict = Checker(read_logs(sys.argv[1]), Store(sys.argv[2])).run()
    verdict.show()
    print(f'history: {verdict.counts()}')
    sys.exit(0 if verdict.clean() else 1)


if __name__ == '__main__':
    main()
