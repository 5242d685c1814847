// One task: description, result, attempts, messages.

import { $, clock, el, link, named, put, when } from './dom.js';
import { get, go, model } from './model.js';
import { kindOf, resizeColumns } from './board.js';

let open = null; // the id
let opener = null; // the element that had the focus before

// The claims of a task, each with its end.
function attemptsOf(events) {
  const found = [];
  for (const { timestamp, event } of events) {
    const last = found.at(-1);
    if (event.type === 'TASK_CLAIMED') found.push({ owner: event.owner, start: timestamp, outcome: 'in_progress' });
    else if (last && !last.end && /COMPLETED|FAILED|RELEASED/.test(event.type)) {
      Object.assign(last, { end: timestamp, outcome: event.type.slice(5).toLowerCase(), why: event.result ?? event.reason });
    }
  }
  return found;
}

const taskLinks = (ids) => ids.map((id) => link(`#${id} ${model.tasks.get(id)?.subject ?? ''}`, () => go.task(id)));
const person = (name) => name && link(name, () => go.member(name));
const part = (name, ...content) => content[0] && el('section', el('h3', name), ...content);
const prose = (text) => text && el('p.prose', text);
const state = (kind) => el('span.state', { 'data-state': kind }, named(kind));

function draw(task, why, output, messages) {
  const attempts = attemptsOf(output.events ?? []);
  const meanwhile = messages.filter(({ timestamp, sender, recipient }) => attempts.some(({ start, end, owner }) =>
    timestamp >= start && !(timestamp > end + 1) && (sender === owner || recipient === owner)));
  const rows = {
    Owner: person(task.owner), Role: task.role, Priority: ['', 'high', 'critical'][task.priority], 'Blocked by': taskLinks(task.blockedBy),
    Blocks: taskLinks(task.blocks), Deliverable: task.deliverable, Created: `${when(task.createdAt)} by ${task.createdBy}`,
  };
  put($('task-state'), state(kindOf(task)));
  put($('task-body'), el('h2', { id: 'task-title' }, el('span.id', `#${task.id} `), task.subject),
    task.status !== 'completed' && why.length > 0 && el('ul.why', why.map((one) => el('li', one.reason))),
    part('Description', prose(task.description)), part('Result', prose(task.result)), part('Error', prose(task.error)),
    el('dl', Object.entries(rows).flatMap(([name, value]) => value?.length === 0 || !value ? [] : [el('dt', name), el('dd', ...[value].flat())])),
    part('Attempts', attempts.length > 0 && el('ol', attempts.map((one) => el('li', person(one.owner), ' ', state(one.outcome),
      el('span.note', ` ${clock(one.start)}${one.end ? ` to ${clock(one.end)}` : ''}`), prose(one.why))))),
    part('Output', output.text && el('pre', output.text)),
    part('Messages meanwhile', meanwhile.length > 0 && el('ul', meanwhile.map((one) => el('li',
      el('span.note', `${clock(one.timestamp)} ${one.sender} → ${one.recipient}`), prose(one.content ?? one.summary))))));
}

async function load() {
  const id = open;
  try {
    const [task, why, output] = await Promise.all(['', '/why', '/output'].map((part) => get(`/api/tasks/${id}${part}`)));
    const messages = task.owner ? await get('/api/messages', { with: task.owner, limit: 200 }) : [];
    if (open === id) draw(task, why, output, messages);
  } catch (error) {
    if (open === id) put($('task-body'), el('h2.error', { id: 'task-title' }, error.message));
  }
}

export async function openTask(id) {
  if (open === null) opener = document.activeElement;
  open = id;
  $('board').hidden = !($('task').hidden = false);
  await load();
  $('task-close').focus();
}

export function closeTask() {
  if (open === null) return false;
  open = null;
  $('task').hidden = !($('board').hidden = false);
  resizeColumns();
  if (opener.isConnected) opener.focus();
  return true;
}

export const redrawTask = (ids) => ids.includes(open) && load();
