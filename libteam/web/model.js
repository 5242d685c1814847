// What this tab knows of the team, and what draws it.

import { call } from './link.js';
import { $, write } from './dom.js';

export const model = {
  name: '', teams: [], server: {}, status: null, tasks: new Map(), inbox: [], settings: [], seq: 0,
  member: null, // the chosen member; null: everyone
};
export const isReadOnly = () => Boolean(model.server.readOnly);
export const isRunning = (member) => Boolean(member) && !['shutdown', 'dead', '-', 'lead'].includes(member.state);

// Opens a task and chooses a member; set by app.js, so that the views need not know each other.
export const go = {};

// Views draw at most once per frame, whatever number of changes come.
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

// Makes a change and says `done`, or says why the server refused it; returns whether it was made.
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
