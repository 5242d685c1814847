// The only connection of all tabs to the server: one event stream per team, its present state, and the calls.
//
// This is a SharedWorker, because a browser opens six connections to a server at most: a seventh tab with a stream of
// its own would not even load. Browsers without SharedWorker run it as the Worker of each tab.
// A tab sends {hello, call, look, bye}; it gets {state, patch, tasks, member, events, link} and answers to its calls.

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

// Repeats a read on demand, never twice at once. A pause follows, the longer the more the read costs the server.
function repeater(pause, run) {
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
      await new Promise((done) => setTimeout(done, Math.max(pause, 5 * (Date.now() - start))));
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
    this.refresh = {
      status: repeater(700, () => this.readStatus()),
      tasks: repeater(150, () => this.readTasks()),
      inbox: repeater(300, () => this.readPart('inbox')),
      settings: repeater(300, () => this.readPart('settings')),
    };
    // A killed member and a file that was edited by hand leave no event.
    this.timer = setInterval(() => this.state && (this.refresh.status(), this.refresh.inbox()), 10000);
    this.run();
  }

  post(message) {
    for (const [port, team] of tabs) if (team === this.team) port.postMessage(message);
  }
  greet(port) {
    if (this.state) port.postMessage({ state: { ...this.state, seq: this.seq, tasks: [...this.tasks.values()] } });
    port.postMessage({ link: this.link });
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
        this.say({ state: isNone ? 'none' : 'lost', detail: error.status ? error.message : '', teams: error.teams });
      }
      await this.sleep(Math.min(5000, 250 * 2 ** this.failures++));
    }
  }

  // Reads the whole state. The status has the number of the last event before it, so that no later event is missed.
  async load() {
    const [teams, server] = await Promise.all([read('/api/teams'), read('/api/server')]);
    const name = this.team || server.team || (teams.length === 1 && teams[0].name);
    if (!name) throw Object.assign(new Error(teams.length ? 'Choose a team.' : 'There is no team yet.'), { status: 404, teams });
    this.query = { team: name };
    const status = await read('/api/status', this.query);
    const [tasks, inbox, settings] = await Promise.all([
      read('/api/tasks', { ...this.query, fields: kFields }), read('/api/inbox', this.query), read('/api/settings', this.query)]);
    // A smaller number means another log: the team was made anew.
    if (!(status.seq >= this.seq)) this.seq = status.seq;
    this.tasks = byId(tasks);
    this.state = { name, teams, server, status, inbox, settings };
    for (const [port, team] of tabs) if (team === this.team) this.greet(port);
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
    // Tabs get events in batches.
    if (!this.events.length) setTimeout(() => this.post({ events: this.events.splice(0) }), 60);
    this.events.push(envelope);
  }

  // Reads again what an event made stale.
  note({ event, agent_id: agent, timestamp }) {
    const { type } = event;
    if (type.startsWith('TASK_')) {
      this.changed.add(event.task_id);
      this.refresh.tasks();
    }
    const member = type === 'MEMBER_STATE' && this.state.status.members.find((one) => one.name === agent);
    if (member) {
      Object.assign(member, { state: event.to, reason: event.reason, since: timestamp, task: event.task });
      this.post({ member });
    }
    if (/^(PLAN|SHUTDOWN|EXCHANGE|MESSAGE|MEMBER)_|FAILED|REOPENED/.test(type)) this.refresh.inbox();
    if (type === 'SETTING_CHANGED') this.refresh.settings();
    if (!/^(TEXT_MESSAGE_(START|CONTENT)|TOOL_CALL)/.test(type)) this.refresh.status();
  }

  async readPart(name) {
    this.state[name] = await read(`/api/${name}`, this.query);
    this.post({ patch: { [name]: this.state[name] } });
  }
  async readStatus() {
    await this.readPart('status');
    // Files of tasks were added or removed by hand.
    if (this.state.status.tasks.total !== this.tasks.size && !this.changed.size && Date.now() > (this.nextLoad ?? 0)) {
      this.nextLoad = Date.now() + 10000;
      await this.load();
    }
  }
  async readTasks() {
    const ids = [...this.changed].slice(0, 200);
    for (const id of ids) this.changed.delete(id);
    if (this.changed.size) this.refresh.tasks();
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
  if (!token) return port.postMessage({ link: { state: 'token' } });
  if (!feeds.has(team) && feeds.size >= kMostFeeds) {
    return port.postMessage({ link: { state: 'none', detail: `This browser shows ${kMostFeeds} teams already.` } });
  }
  tabs.set(port, team);
  if (isNew) for (const feed of feeds.values()) feed.wake?.();
  if (feeds.has(team)) feeds.get(team).greet(port);
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
    if (data.look) feeds.get(tabs.get(port))?.wake?.();
    if (data.bye) leave(port);
  };
}
if ('onconnect' in self) self.onconnect = (event) => accept(event.ports[0]);
else accept(self);
