// The tasks as columns. Only visible cards exist: 10,000 tasks cost no more than 50.

import { $, clean, el, put, titled, write } from './dom.js';
import { go, model } from './model.js';

const kRow = 70; // the height of a card and its gap, as in style.css
const kPriorities = ['', 'high', 'critical'];
const byUrgency = (a, b) => b.priority - a.priority || a.id - b.id;
const byEnd = (a, b) => (b.completedAt ?? b.updatedAt) - (a.completedAt ?? a.updatedAt) || b.id - a.id;

export const kindOf = (task) => (task.status === 'pending' ? (task.blocked ? 'blocked' : 'ready') : task.status);

class Column {
  tasks = [];
  cards = new Map();
  count = el('b');

  constructor(kind) {
    this.kind = kind;
    this.order = /completed|failed/.test(kind) ? byEnd : byUrgency;
    this.list = el('div', { role: 'list', 'aria-label': titled(kind) });
    this.scroller = el('div.scroller', { onscroll: () => this.draw() }, this.list);
    this.section = el('section.column', { 'data-kind': kind }, el('h2', titled(kind), ' ', this.count), this.scroller);
  }

  set(tasks) {
    this.tasks = tasks.sort(this.order);
    write(this.count, tasks.length || '');
    this.section.classList.toggle('none', !tasks.length);
    this.list.style.height = `${tasks.length * kRow}px`;
    this.draw();
  }

  draw() {
    const { scrollTop, clientHeight } = this.scroller;
    const start = Math.max(0, Math.floor(scrollTop / kRow) - 3);
    const end = Math.min(this.tasks.length, Math.ceil((scrollTop + clientHeight) / kRow) + 3);
    const seen = new Set();
    for (let at = start; at < end; ++at) {
      const task = this.tasks[at];
      seen.add(task.id);
      if (!this.cards.has(task.id)) this.cards.set(task.id, makeCard(task.id, this.list));
      const card = this.cards.get(task.id);
      if (card.task !== task) fillCard(card, task);
      card.row.style.transform = `translateY(${at * kRow}px)`;
      card.row.ariaPosInSet = at + 1;
      card.row.ariaSetSize = this.tasks.length;
    }
    for (const [id, card] of this.cards) if (!seen.has(id)) (card.row.remove(), this.cards.delete(id));
  }

  // Scrolls to a task and gives it the focus.
  focus(at) {
    const { scrollTop, clientHeight } = this.scroller;
    this.scroller.scrollTop = Math.min(at * kRow, Math.max(scrollTop, (at + 1) * kRow - clientHeight));
    this.draw();
    this.cards.get(this.tasks[at]?.id)?.button.focus();
  }
}

function makeCard(id, list) {
  const card = { note: el('span.note'), owner: el('span.owner'), subject: el('span.subject') };
  const line = el('span.line', el('span.id', `#${id}`), card.note, card.owner);
  card.button = el('button.card', { 'data-task': id, onclick: () => go.task(id) }, line, card.subject);
  card.row = el('div.row', { role: 'listitem' }, card.button);
  list.append(card.row);
  return card;
}

function fillCard(card, task) {
  card.task = task;
  const open = (task.openBlockers ?? []).map((id) => `#${id}`);
  write(card.owner, task.owner ?? (task.role && `role ${task.role}`));
  write(card.subject, task.subject);
  write(card.note, [kPriorities[task.priority], open.length && `after ${open.slice(0, 3).join(' ')}${open.length > 3 ? ' …' : ''}`,
    task.attempts > 1 && `attempt ${task.attempts}`].filter(Boolean).join(' · '));
  card.button.dataset.priority = task.priority;
  card.button.title = clean(task.subject);
}

const columns = ['blocked', 'ready', 'in_progress', 'completed', 'failed'].map((kind) => new Column(kind));
let drawnAt = 0;
let timer = 0;

export function showColumns() {
  put($('view'), el('div.columns', columns.map((column) => column.section)));
  drawColumns(true);
}

export function drawColumns(isNow) {
  if (!columns[0].section.isConnected) return;
  // Thousands of tasks are not sorted at each event.
  const pause = drawnAt + (model.tasks.size > 1000 ? 400 : 0) - performance.now();
  clearTimeout(timer);
  if (isNow !== true && pause > 0) return void (timer = setTimeout(drawColumns, pause, true));
  drawnAt = performance.now();
  const wanted = $('filter').value.trim().toLowerCase();
  const found = Object.fromEntries(columns.map((column) => [column.kind, []]));
  for (const task of model.tasks.values()) {
    if (!wanted || `#${task.id} ${task.subject} ${task.owner ?? ''}`.toLowerCase().includes(wanted)) found[kindOf(task)]?.push(task);
  }
  for (const column of columns) column.set(found[column.kind]);
}

export function resizeColumns() {
  for (const column of columns) if (column.section.isConnected) column.draw();
}

// Moves the focus by an arrow key, or to the first card.
export function moveCard(key) {
  const card = document.activeElement.closest('.card');
  let x = columns.findIndex((column) => column.section.contains(card));
  if (x < 0) return (columns[2].tasks.length ? columns[2] : columns.find((column) => column.tasks.length))?.focus(0);
  let y = columns[x].tasks.findIndex((task) => task.id === Number(card.dataset.task));
  const across = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
  if (across) {
    let next = x + across;
    while (columns[next] && !columns[next].tasks.length) next += across;
    if (columns[next]) x = next;
  } else y += key === 'ArrowDown' ? 1 : -1;
  columns[x].focus(Math.max(0, Math.min(y, columns[x].tasks.length - 1)));
}
