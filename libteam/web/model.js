// What this tab knows of the team, and its connection to worker.js.

import { $, write } from './dom.js';

export const model = {
  name: '', teams: [], server: {}, status: null, tasks: new Map(), inbox: [], settings: [], seq: 0,
  member: '', // the chosen member; empty: everyone
};
export const isRunning = (member) => Boolean(member) && !['shutdown', 'dead', '-', 'lead'].includes(member.state);

// Opens a task or chooses a member: set by app.js.
export const go = {};

// Views draw at most once per frame.
const stale = new Set();
export function touch(...draws) {
  if (!stale.size) {
    requestAnimationFrame(() => {
      const todo = [...stale];
      stale.clear();
      for (const draw of todo) draw();
    });
  }
  for (const draw of draws) stale.add(draw);
}

const address = (path, query) => (path.includes('?') ? path : `${path}?${new URLSearchParams({ team: model.name, ...query })}`);
export const get = (path, query) => call('GET', address(path, query));
export const picture = (path, query) => call('GET', address(path, query), undefined, true);

// Makes a change and says `done`, or why it was refused; returns whether it was made.
export async function change(path, body, done, method = 'POST') {
  try {
    await call(method, address(path), body);
    announce(done);
    return true;
  } catch (error) {
    announce(error.message, true);
    return false;
  }
}

// Says something to the user and to screen readers, for some seconds.
let timer = 0;
export function announce(text, isError = false) {
  const line = $('announcer');
  write(line, text);
  line.className = isError ? 'error' : '';
  clearTimeout(timer);
  timer = setTimeout(() => (line.className = 'hidden'), isError ? 8000 : 3500);
}

let port;
const calls = new Map();
let lastCall = 0;

// The token comes with the address that team-serve prints, and leaves the address bar at once.
function takeToken() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const brought = fragment.get('token');
  if (brought) {
    sessionStorage.setItem('teamkit-token', brought);
    fragment.delete('token');
    history.replaceState(null, '', `${location.pathname}${fragment.size ? `#${fragment}` : ''}`);
  }
  return sessionStorage.getItem('teamkit-token') ?? '';
}

export function connect(team, onMessage) {
  const token = takeToken();
  if (!port) {
    const options = { type: 'module', name: 'teamkit' };
    port = window.SharedWorker ? new SharedWorker('worker.js', options).port : new Worker('worker.js', options);
    port.onmessage = ({ data }) => {
      const waiting = calls.get(data.id);
      if (!waiting) return onMessage(data);
      calls.delete(data.id);
      if (data.error === undefined) waiting.done(data.answer);
      else waiting.failed(new Error(data.error));
    };
    addEventListener('pagehide', () => port.postMessage({ bye: true }));
    addEventListener('pageshow', (event) => event.persisted && location.reload());
    addEventListener('hashchange', () => location.hash.includes('token=') && location.reload());
  }
  port.postMessage({ hello: { token, team } });
}

// Throws an Error with the text of the server.
function call(method, path, body, isText = false) {
  const id = ++lastCall;
  return new Promise((done, failed) => {
    calls.set(id, { done, failed });
    port.postMessage({ call: { id, method, path, body, isText } });
  });
}
