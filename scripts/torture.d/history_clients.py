"""The clients of history: members, each in a process of its own, that run one command after the other and log what they
ask before and what they were told after; and a person who edits by hand."""
import collections
import fcntl
import json
import mmap
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time

import history_checker

LOCK_TIMEOUT = 1.0
LEASE = 4.0
WEDGED_AFTER = 30.0
TOLD_WIDTH = 64
BALLS, LEDGERS, COUNTERS, NOTES, MAYFLIES = 6, 6, 4, 2, 8
KINDS = ('next', 'claim', 'create', 'batch', 'update', 'complete', 'fail', 'release', 'reclaim', 'get', 'send', 'recv',
         'ack', 'plan', 'answer', 'ask', 'join', 'leave', 'set', 'read', 'death')


class Slots:
    """Shared by all our processes: which command each client runs at the moment, what has happened at least once, and
    whether it is time to end."""

    def __init__(self, count, wanted):
        self.count = count
        self.wanted = {what: count + 1 + i for i, what in enumerate(wanted)}
        self.memory = mmap.mmap(-1, 8 * (count + 1 + len(wanted)))

    def get(self, slot):
        return struct.unpack_from('q', self.memory, 8 * slot)[0]

    def put(self, slot, value):
        struct.pack_into('q', self.memory, 8 * slot, value)

    def end(self):
        self.put(self.count, 1)

    def ending(self):
        return self.get(self.count) == 1

    def happened(self, what):
        if what in self.wanted:
            self.put(self.wanted[what], 1)

    def missing(self):
        return [what for what, slot in self.wanted.items() if not self.get(slot)]

    def running(self):
        return [(slot, pid) for slot in range(self.count) if (pid := self.get(slot))]

    def signal(self, slot, pid, number):
        """To the command of that slot, or to nobody: a number that was given to another is not hit."""
        try:
            pidfd = os.pidfd_open(pid)
        except OSError:
            return False
        try:
            if self.get(slot) != pid:
                return False
            signal.pidfd_send_signal(pidfd, number)
            return True
        except ProcessLookupError:
            return False
        finally:
            os.close(pidfd)


class Log:
    """What one client asks and is told: written before the command starts, and after it has ended."""

    def __init__(self, scene, slot, name):
        path = os.path.join(scene.logs, f'{slot}-{name}.log')
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.number = slot * 10 ** 8

    def asked(self, entry):
        self.number += 1
        self.write({'n': self.number, 'at': time.monotonic(), **entry})

    def told(self, **entry):
        self.write({'n': self.number, 'end': time.monotonic(), **entry})

    def write(self, entry):
        os.write(self.fd, json.dumps(entry).encode() + b'\n')


def wanted_of(options):
    """What must have happened for a run to be worth something: each kind of command done, and each nemesis felt."""
    wanted = [(kind, 0) for kind in KINDS] + [('claim', 4)]
    felt = {'kill': -signal.SIGKILL, 'stop': 75, 'disk': 74, 'clock': 'jumped', 'edits': ('edit', 0)}
    return wanted + [felt[name] for name in options.nemesis]


class Scene:
    """The store, who is in it, and what they know in common."""

    def __init__(self, options, place, root):
        self.bin, self.dynamic, self.place, self.root = options.bin, options.dynamic, place, root
        self.logs = os.path.join(place, 'logs')
        os.mkdir(self.logs)
        self.slots = Slots(options.processes + 2, wanted_of(options))  # and the lead, and a person
        self.env = {key: value for key, value in os.environ.items() if not key.startswith('TEAM_')}
        self.env.update(TEAM_DURABILITY=os.environ.get('TEAM_DURABILITY', 'process'), LC_ALL='C.UTF-8',
                        XDG_STATE_HOME=os.path.join(place, 'state'))
        self.clock_env = None
        self.members = []
        self.balls, self.ledgers, self.counters, self.notes, self.baits = [], [], [], [], []

    def tell_all(self, what, line):
        """So that the others know of it; lines of one width, so that the last ones are found from the end."""
        with open(os.path.join(self.place, what), 'ab', 0) as file:
            file.write(line.ljust(TOLD_WIDTH - 1).encode() + b'\n')

    def heard_lately(self, what, most):
        try:
            with open(os.path.join(self.place, what), 'rb') as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - most * TOLD_WIDTH))
                return [line.decode().split() for line in file.read().split(b'\n') if line]
        except FileNotFoundError:
            return []

    def call(self, command, *words, stdin=None, fails=False):
        """A command of the setting or the end, which nobody disturbs."""
        done = subprocess.run([os.path.join(self.bin, command), *words], env=self.env, input=stdin, capture_output=True,
                              text=True, timeout=120, cwd=self.root, check=False)
        if done.returncode and not fails:
            sys.exit(f'history: {command} {" ".join(words)}: exit {done.returncode}: {done.stderr}')
        return done

    def create(self, subject, count, **fields):
        drafts = ''.join(json.dumps({'subject': f'{subject} {i}', **fields}) + '\n' for i in range(count))
        return [int(line) for line in self.call('task-create', '-', stdin=drafts).stdout.split()]

    def prepare(self, options):
        self.call('team-create', 'alpha', '--max-teammates', '0')
        self.call('team-config', 'tasks.lease', str(LEASE))
        self.members = [f'w-{i}' for i in range(options.processes)]
        for member in self.members:
            self.call('team-join', member)
        for i in range(min(MAYFLIES, options.processes)):
            self.call('team-join', f'm-{i}')
            with open(os.path.join(self.root, f'.teams/alpha/m-{i}.alive'), 'xb') as life:
                os.fchmod(life.fileno(), 0o600)
        # Nobody has these roles, so claim --next skips them.
        self.balls = self.create('ball', BALLS, role='ball')
        self.ledgers = self.create('ledger', LEDGERS, role='ledger')
        self.counters = self.create('counter', COUNTERS, role='counter')
        self.notes = self.create('note', NOTES, role='note')
        self.baits = self.create('bait', 250 + int(3 * options.seconds), role='hand')
        self.create('work', 250)


class Client:
    """A member, in a process of its own, that runs one command after the other."""

    def __init__(self, scene, slot, name, choose):
        self.scene, self.slot, self.name, self.choose = scene, slot, name, choose
        self.log = Log(scene, slot, name)
        self.out = os.memfd_create('out')
        self.err = os.memfd_create('err')
        self.task = None      # that I hold
        self.count = 0        # of messages, tasks and values
        self.life = 0
        self.guest = False    # whether my guest is in the team
        self.created = collections.deque(maxlen=20)
        self.failed = []

    def ending(self):
        return self.scene.slots.ending()

    def do(self, asked, command, *words, env=None, **files):
        scene = self.scene
        asked = {'by': self.name, **asked}
        argv = [command, *words]
        if asked['kind'] != 'get':
            argv += ['--lock-timeout', str(LOCK_TIMEOUT)]
        program = os.path.join(scene.bin, command)
        env = {**scene.env, **(env or {})}
        if scene.clock_env and self.choose.random() < 0.33:
            asked['jumped'] = 1
            env.update(scene.clock_env)
            program = os.path.join(scene.dynamic, command)
        return self.run({**asked, 'argv': argv}, program, argv, env, **files)

    def run(self, asked, program, argv, env, stdin=None, out=None):
        for fd in (self.out, self.err):
            os.lseek(fd, 0, os.SEEK_SET)
            os.ftruncate(fd, 0)
        actions = [(os.POSIX_SPAWN_DUP2, out or self.out, 1), (os.POSIX_SPAWN_DUP2, self.err, 2)]
        if stdin is None:
            actions.append((os.POSIX_SPAWN_OPEN, 0, '/dev/null', os.O_RDONLY, 0))
        else:
            actions.append((os.POSIX_SPAWN_DUP2, stdin, 0))
        self.log.asked(asked)
        pid = os.posix_spawn(program, argv, env, file_actions=actions)
        self.scene.slots.put(self.slot, pid)
        code, wedged = self.wait(pid)
        told = {'pid': pid, 'exit': code, 'out': whole(self.out), 'err': whole(self.err)[:300]}
        self.log.told(**told, **({'wedged': wedged} if wedged else {}))
        self.scene.slots.happened((asked['kind'], code))
        if asked.get('mode') != 'full':
            self.scene.slots.happened(code)
        if 'jumped' in asked:
            self.scene.slots.happened('jumped')
            forget_clock(pid)
        return told

    def wait(self, pid):
        pidfd = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        wedged = None
        if not poll.poll(WEDGED_AFTER * 1000):
            with open(f'/proc/{pid}/wchan', encoding='ascii') as where:
                wedged = where.read() or '?'
            os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT)
        self.scene.slots.put(self.slot, 0)  # while the number is still its own
        os.close(pidfd)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), wedged

    def number(self):
        self.count += 1
        return self.count

    def live(self):
        wishes = [(self.claim_next, 22), (self.claim_ball, 12), (self.create, 5), (self.batch, 1), (self.update, 12),
                  (self.step_counter, 8), (self.look, 3), (self.send, 14), (self.broadcast, 0.3), (self.receive, 18),
                  (self.plan, 2), (self.judge, 3), (self.ask, 1), (self.answer, 2), (self.visit, 2), (self.setting, 2),
                  (self.reclaim, 1), (self.reopen, 1), (self.be_a_mayfly, 6 if self.slot < MAYFLIES else 0)]
        verbs, weights = zip(*wishes)
        verbs[self.slot % len(verbs)]()  # so that each is tried, however slow the machine is
        while not self.ending():
            verb = self.choose.choices(verbs, weights)[0]
            if self.task is not None and self.choose.random() < 0.6:
                verb = self.end_task
            verb()
        if self.task is not None:
            self.end_task()

    # Operations on the board.

    def taken(self, told):
        if told['exit'] == 0:
            state = json.loads(told['out'])
            self.task = (state['id'], state['subject'].startswith('ball'))
        elif told['exit'] == 6:  # by a claim that was killed
            self.task = (int(re.search(r'holds task (\d+)', told['err'])[1]), False)

    def claim_next(self):
        told = self.do({'kind': 'next'}, 'task-claim', '--next', '--as', self.name, '--json')
        self.taken(told)

    def claim_ball(self):
        task = self.choose.choice(self.scene.balls)
        told = self.do({'kind': 'claim', 'task': task}, 'task-claim', str(task), '--as', self.name, '--json')
        self.taken(told)

    def end_task(self):
        task, is_ball = self.task
        kind = self.choose.choices(['complete', 'fail', 'release', 'forget'], [60, 8, 12, 2])[0]
        if is_ball:
            kind = 'release'
        self.task = None
        if kind == 'forget':
            return
        token = f'{self.name}-{self.number()}'
        asked = {'kind': kind, 'task': task, 'token': token, 'prints': 1}
        text = '--result' if kind == 'complete' else '--reason'
        by_name = self.choose.random() < 0.5
        if by_name and kind == 'complete':
            asked['prints'] = 0
            told = self.do(asked, 'task-complete', str(task), text, token, '--as', self.name)
        elif by_name:
            told = self.do(asked, f'task-{kind}', str(task), text, token, '--as', self.name, '--json')
        else:
            told = self.do(asked, 'task-update', str(task), '--status', history_checker.ENDINGS[kind], text, token,
                           '--as', self.name, '--json')
        if kind == 'fail' and told['exit'] == 0:
            self.failed.append(task)

    def reopen(self):
        if self.failed:
            task = self.failed.pop()
            self.do({'kind': 'reopen', 'by': 'lead', 'task': task}, 'task-update', str(task), '--status', 'pending',
                               '--as', 'lead', '--json')

    def create(self):
        token = f'{self.name}-{self.number()}'
        asked = {'kind': 'create', 'token': token}
        words = [token, '--as', self.name]
        if self.created and self.choose.random() < 0.3:
            asked['blocked_by'] = self.choose.choice(self.created)
            words += ['--blocked-by', str(asked['blocked_by'])]
        told = self.do(asked, 'task-create', *words)
        if told['exit'] == 0:
            self.created.append(int(told['out']))

    def batch(self):
        tokens = [f'{self.name}-{self.number()}' for _ in range(self.choose.randint(2, 20))]
        with open(os.memfd_create('batch'), 'w+b') as drafts:
            drafts.write(b''.join(json.dumps({'subject': token}).encode() + b'\n' for token in tokens))
            drafts.flush()
            os.lseek(drafts.fileno(), 0, os.SEEK_SET)
            self.do({'kind': 'batch', 'tokens': tokens}, 'task-create', '-', '--as', self.name, stdin=drafts.fileno())

    def update(self):
        scene = self.scene
        task = self.choose.choice(scene.ledgers + scene.ledgers + scene.notes + scene.balls[:2])
        value = self.number()
        self.do({'kind': 'update', 'task': task, 'key': self.name, 'value': value}, 'task-update', str(task),
                           '--metadata', f'{self.name}={value}', '--as', self.name, '--json')

    def step_counter(self):
        task = self.choose.choice(self.scene.counters)
        told = self.do({'kind': 'get', 'task': task}, 'task-get', str(task), '--json')
        if told['exit'] != 0:
            return
        state = json.loads(told['out'])
        value = state['metadata'].get('n', 0) + 1
        rev = state['rev']
        self.do({'kind': 'update', 'task': task, 'key': 'n', 'value': value, 'if_rev': rev, 'counts': 1}, 'task-update',
                str(task), '--metadata', f'n={value}', '--if-rev', str(rev), '--json', '--as', self.name)

    def look(self):
        scene = self.scene
        task = self.choose.choice(scene.ledgers + scene.balls + scene.notes)
        self.do({'kind': 'get', 'task': task}, 'task-get', str(task), '--json')

    def reclaim(self):
        self.do({'kind': 'reclaim'}, 'task-reclaim', '--json')

    def be_a_mayfly(self):
        """One whose life is a lock, as that of a teammate: takes a task and dies, and anybody may have it again."""
        if self.slot >= MAYFLIES:
            return
        name = f'm-{self.slot}'
        with open(f'.teams/alpha/{name}.alive', 'rb') as life:
            fcntl.flock(life, fcntl.LOCK_EX)
            self.do({'kind': 'next', 'by': name}, 'task-claim', '--next', '--as', name, '--json')
            self.log.asked({'kind': 'death', 'by': name})
        self.log.told(exit=0)
        self.scene.slots.happened(('death', 0))

    # Operations on mail.

    def send(self):
        to = self.choose.choice(self.scene.members + ['lead'])
        if self.choose.random() < 0.03:
            to = 'guest-' + self.choose.choice(self.scene.members)
        number = self.number()
        padding = ' .' * self.choose.choice([0, 0, 0, 50, 4000])
        self.do({'kind': 'send', 'to': to, 'number': number}, 'team-send', to, f'{self.name} {number}{padding}',
                           '--as', self.name, '--json')

    def broadcast(self):
        number = self.number()
        self.do({'kind': 'send', 'to': 'all', 'number': number}, 'team-send', '--broadcast',
                           f'{self.name} {number}', '--as', self.name, '--json')

    def receive(self):
        mode = self.choose.choices(['plain', 'hold', 'gone', 'full'], [70, 15, 10, 5])[0]
        words = ['--as', self.name, '--json']
        if self.choose.random() < 0.2:
            words += ['--from', self.choose.choice(self.scene.members)]
        if self.choose.random() < 0.2:
            words += ['--max', str(self.choose.randint(1, 3))]
        if self.choose.random() < 0.1:
            words += ['--wait=50ms']
        asked = {'kind': 'recv', 'reader': self.name, 'mode': mode, 'life': self.life}
        if '--from' not in words and '--max' not in words:
            asked['all'] = 1
        env = {'TEAM_RUN_ID': f'{self.name}-{self.life}'}
        if mode in ('gone', 'full'):
            out = os.open('/dev/full', os.O_WRONLY) if mode == 'full' else nobody_reads()
            told = self.do(asked, 'team-recv', *words, env=env, out=out)
            os.close(out)
            return
        if mode == 'hold':
            words.append('--hold')
        told = self.do(asked, 'team-recv', *words, env=env)
        if mode != 'hold':
            return
        if told['exit'] not in history_checker.REFUSALS | {0}:
            self.life += 1  # held messages are delivered again
            return
        ids = [message['id'] for message in history_checker.lines_of(told['out'])]
        if ids and self.choose.random() < 0.8:
            self.do({'kind': 'ack', 'reader': self.name, 'ids': ids}, 'team-ack', *ids, '--as', self.name, env=env)
        elif self.choose.random() < 0.5:
            self.life += 1

    # Operations on requests.

    def plan(self):
        number = self.number()
        told = self.do({'kind': 'plan', 'number': number}, 'plan-submit', f'{self.name} {number}', '--as', self.name,
                                  '--json')
        if told['exit'] == 0:
            self.scene.tell_all('plans', json.loads(told['out'])['id'])

    def judge(self):
        """Several judge the same plan: one of them counts."""
        plans = self.scene.heard_lately('plans', 3)
        if not plans:
            return
        plan, = self.choose.choice(plans)
        approve = self.choose.random() < 0.5
        judge = self.choose.choice(['lead', 'user'])
        self.do({'kind': 'answer', 'by': judge, 'request': plan, 'approve': approve},
                           'plan-approve' if approve else 'plan-reject', plan, '--as', judge, '--json')

    def ask(self):
        to = self.choose.choice(self.scene.members)
        told = self.do({'kind': 'ask', 'by': 'lead', 'to': to}, 'team-send', to, '--type', 'shutdown_request',
                                  '--as', 'lead', '--json')
        if told['exit'] == 0:
            self.scene.tell_all('asked', json.loads(told['out'])['request_id'] + ' ' + to)

    def answer(self):
        requests = self.scene.heard_lately('asked', 3)
        if not requests:
            return
        request, member = self.choose.choice(requests)
        approve = self.choose.random() < 0.5
        self.do({'kind': 'answer', 'by': member, 'request': request, 'approve': approve}, 'team-send', 'lead', '--type',
                'shutdown_response', '--request-id', request, '--approve' if approve else '--reject', '--as', member,
                '--json')

    # Operations on the team.

    def visit(self):
        """A guest of mine comes or goes."""
        guest = f'guest-{self.name}'
        kind = 'leave' if self.guest else 'join'
        told = self.do({'kind': kind, 'member': guest}, f'team-{kind}', guest, '--as', guest)
        if told['exit'] in (0, 3, 4):
            self.guest = kind == 'join'

    def setting(self):
        if self.choose.random() < 0.5:
            value = self.number() * 1000 + int(self.name[2:])
            self.do({'kind': 'set', 'value': value}, 'team-config', 'digest.width', str(value))
        else:
            self.do({'kind': 'read'}, 'team-config', 'digest.width')


class Lead(Client):
    """Reads what comes to the lead."""

    def live(self):
        while not self.ending():
            self.receive()


def nobody_reads():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def whole(fd):
    return os.pread(fd, os.fstat(fd).st_size, 0).decode('utf-8', 'replace')


def forget_clock(pid):
    """What faketime leaves of a process that was killed."""
    for path in (f'/dev/shm/faketime_shm_{pid}', f'/dev/shm/sem.faketime_sem_{pid}'):
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass


class Person(Client):
    """Edits tasks with sed and jq, without any lock, and deletes the index."""

    MARK = 'jq --argjson mark "$2" ".metadata.person = \\$mark" "$1.json" >edited && mv edited "$1.json"'
    OPEN = """sed -i 's/"role": "hand"/"role": null/; s/"priority": 0/"priority": 2/' "$1.json" """

    def live(self):
        marks = 0
        baits = list(self.scene.baits)
        while not self.ending():
            choice = self.choose.random()
            if choice < 0.1:
                self.by_hand({}, 'rm -f .index .edges' if choice < 0.05 else 'rm -f .index')
            elif choice < 0.5 or not baits:
                task = self.choose.choice(self.scene.notes)
                marks += 1
                self.by_hand({'task': task, 'mark': marks}, self.MARK, str(task), str(marks))
            else:
                task = baits.pop()
                self.by_hand({'task': task, 'opens': 1}, self.OPEN, str(task))
            time.sleep(self.choose.uniform(0.02, 0.15))

    def by_hand(self, asked, script, *words):
        argv = ['sh', '-c', 'umask 077; cd .tasks; ' + script, 'sh', *words]
        self.run({'by': 'person', 'kind': 'edit', **asked, 'argv': argv}, '/bin/sh', argv, self.scene.env)
