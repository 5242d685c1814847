// The only connection of all tabs to the server: one event stream per team, its present state, and the calls.
//
// A browser opens at most six connections to a server, so this is a SharedWorker, or where there is none the Worker of
// each tab.
// A tab sends {hello, call, bye}; it gets {state, tasks, events, link} and answers to its calls.

const kFields = 'id,subject,status,owner,priority,role,blocked,openBlockers,updatedAt,completedAt,attempts';
const kMostFeeds = 4; // each needs one of the six connections
const tabs = new Map(); // port → team
const feeds = new Map(); // team → Feed
let token = '';

async function request(method, path, body, signal) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body) headers['Content-Type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal, cache: 'no-store' });
  if (response.ok) return response;
  const { status } = response;
  throw Object.assign(new Error((await response.json().catch(() => null))?.error ?? `status ${status}`), { status });
}
const read = async (path, query) => (await request('GET', `${path}?${new URLSearchParams(query)}`)).json();
const byId = (tasks) => new Map(tasks.map((task) => [task.id, task]));
const pause = (time) => new Promise((done) => setTimeout(done, time));

// Repeats a read on demand, never twice at once, and pauses longer after an expensive one.
function repeater(rest, run) {
  let isWanted = false;
  let isBusy = false;
  return async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      const start = Date.now();
      await run().catch(() => {}); // the stream notices a lost server
      await pause(Math.max(rest, 5 * (Date.now() - start)));
    }
    isBusy = false;
  };
}

class Feed {
  constructor(team) {
    this.team = team;
    this.changed = new Set(); // ids of tasks to read again
    this.events = []; // not yet sent to the tabs
    this.link = { state: 'connecting' };
    this.refresh = repeater(500, () => this.readState());
    this.refreshTasks = repeater(150, () => this.readTasks());
    // A killed member and a file that was edited by hand leave no event.
    this.timer = setInterval(() => this.state && this.refresh(), 10000);
    this.run();
  }

  post(message) {
    for (const [port, team] of tabs) if (team === this.team) port.postMessage(message);
  }
  greeting() {
    const { state, seq, tasks, link } = this;
    return tasks ? { state, seq, tasks: [...tasks.values()], link } : { link };
  }
  say(link) {
    this.link = link;
    this.post({ link });
  }
  close() {
    clearInterval(this.timer);
    this.isClosed = true;
    this.abort?.abort();
    this.wake?.();
  }
  sleep(time) {
    return new Promise((done) => {
      const timer = setTimeout(done, time);
      this.wake = () => (clearTimeout(timer), done());
    });
  }

  async run() {
    for (this.failures = 0; !this.isClosed; ) {
      try {
        await this.load();
        await this.follow();
        this.say({ state: 'lost' });
      } catch (error) {
        if (error.status === 401) {
          this.say({ state: 'refused' });
          await this.sleep(1e9); // until a tab brings another token
          continue;
        }
        const isNone = error.status === 404 || error.status === 400;
        this.say({ state: isNone ? 'no team' : 'lost', detail: error.status ? error.message : '', teams: error.teams });
      }
      await this.sleep(Math.min(5000, 250 * 2 ** this.failures++));
    }
  }

  // Reads everything. The status has the number of the last event before it, so that no later event is missed.
  async load() {
    const [teams, server] = await Promise.all([read('/api/teams'), read('/api/server')]);
    const name = this.team || server.team || (teams.length === 1 && teams[0].name);
    if (!name) throw Object.assign(new Error(teams.length ? 'Choose a team.' : 'There is no team yet.'), { status: 404, teams });
    this.query = { team: name };
    this.state = { ...this.state, name, teams, server };
    await this.readState();
    this.tasks = byId(await read('/api/tasks', { ...this.query, fields: kFields }));
    // A smaller number means another log: the team was made anew.
    const { seq } = this.state.status;
    if (!(seq >= this.seq)) this.seq = seq;
    this.post(this.greeting());
    this.refresh();
  }

  async follow() {
    this.abort = new AbortController();
    const path = `/api/events?${new URLSearchParams({ ...this.query, after: this.seq })}`;
    const response = await request('GET', path, undefined, this.abort.signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    this.say({ state: 'live' });
    for (let rest = ''; ; ) {
      // The server writes at least every 25 seconds.
      const stalled = setTimeout(() => this.abort.abort(), 60000);
      const { value, done } = await reader.read().finally(() => clearTimeout(stalled));
      if (done) return;
      this.failures = 0;
      const frames = (rest + value).split('\n\n');
      rest = frames.pop();
      for (const frame of frames) this.take(/^data: ?(.*)$/m.exec(frame)?.[1]);
    }
  }

  take(data) {
    const envelope = data && JSON.parse(data);
    if (!(envelope?.seq > this.seq)) return;
    this.seq = envelope.seq;
    this.note(envelope);
    if (!this.events.length) setTimeout(() => this.post({ events: this.events.splice(0) }), 60);
    this.events.push(envelope);
  }

  // Reads again what an event made stale.
  note({ event, agent_id: agent, timestamp }) {
    const { type, task_id: id, changes } = event;
    if (type.startsWith('TASK_')) {
      this.changed.add(id);
      this.refreshTasks();
      // At once: a busy server needs time for the rest.
      const task = this.tasks.get(id);
      if (task && changes?.status) this.post({ tasks: [Object.assign(task, { status: changes.status[1], owner: event.owner })], gone: [] });
    }
    const member = type === 'MEMBER_STATE' && this.state.status.members.find((one) => one.name === agent);
    if (member) {
      Object.assign(member, { state: event.to, reason: event.reason, since: timestamp, task: event.task });
      this.post({ state: this.state });
    }
    if (!/^(TEXT_MESSAGE_(START|CONTENT)|TOOL_CALL)/.test(type)) this.refresh();
  }

  async readState() {
    const [status, inbox, settings] = await Promise.all(['status', 'inbox', 'settings'].map((part) => read(`/api/${part}`, this.query)));
    Object.assign(this.state, { status, inbox, settings });
    if (!this.tasks) return;
    this.post({ state: this.state });
    // Files of tasks were added or removed by hand.
    if (status.tasks.total !== this.tasks.size && !this.changed.size && Date.now() > (this.nextLoad ?? 0)) {
      this.nextLoad = Date.now() + 10000;
      this.tasks = byId(await read('/api/tasks', { ...this.query, fields: kFields }));
      this.post(this.greeting());
    }
  }
  async readTasks() {
    const ids = [...this.changed].slice(0, 200);
    for (const id of ids) this.changed.delete(id);
    if (this.changed.size) this.refreshTasks();
    const found = byId(await read('/api/tasks', { ...this.query, ids, fields: kFields }));
    const gone = ids.filter((id) => !found.has(id));
    for (const id of gone) this.tasks.delete(id);
    for (const [id, task] of found) this.tasks.set(id, task);
    this.post({ tasks: [...found.values()], gone });
  }
}

function leave(port) {
  const team = tabs.get(port);
  tabs.delete(port);
  if ([...tabs.values()].includes(team)) return;
  feeds.get(team)?.close();
  feeds.delete(team);
}

function hello(port, { token: brought, team }) {
  if (tabs.get(port) !== team) leave(port);
  const isNew = brought && brought !== token;
  if (isNew) token = brought;
  if (!token) return port.postMessage({ link: { state: 'no token' } });
  if (!feeds.has(team) && feeds.size >= kMostFeeds) {
    return port.postMessage({ link: { state: 'no team', detail: 'Too many teams in one browser.' } });
  }
  tabs.set(port, team);
  if (isNew) for (const feed of feeds.values()) feed.wake?.();
  if (feeds.has(team)) port.postMessage(feeds.get(team).greeting());
  else feeds.set(team, new Feed(team));
}

async function call(port, { id, method, path, body, isText }) {
  try {
    const response = await request(method, path, body);
    const text = await response.text();
    port.postMessage({ id, answer: isText || !text ? text : JSON.parse(text) });
  } catch (error) {
    port.postMessage({ id, error: error.status ? error.message : 'The server cannot be reached.' });
  }
}

function accept(port) {
  port.onmessage = ({ data }) => {
    if (data.hello) hello(port, data.hello);
    if (data.call) call(port, data.call);
    if (data.bye) leave(port);
  };
}
if ('onconnect' in self) self.onconnect = (event) => accept(event.ports[0]);
else accept(self);
