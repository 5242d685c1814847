// The members: state, task, tokens, cost, last words. And the switches.

import { $, el, named, used, write } from './dom.js';
import { change, go, isRunning, model } from './model.js';

const rows = new Map(); // name → its elements; '' is everyone

function rowOf(name) {
  if (rows.has(name)) return rows.get(name);
  const row = { name: el('b.name'), role: el('span.role'), unread: el('span.unread'), state: el('span.state'), task: el('span.task'), used: el('span.used'), words: el('span.words') };
  row.button = el('button.member', { 'data-member': name, onclick: () => go.member(name) },
    el('span.line', row.name, row.role, row.unread, row.state), el('span.line', row.task, row.used), row.words);
  row.item = el('li', row.button);
  rows.set(name, row);
  $('members-list').append(row.item);
  return row;
}

function drawMember(member) {
  const row = rowOf(member.name);
  const said = (/paused|error/.test(member.state) ? '' : member.lastWords) || member.reason || '';
  write(row.name, member.name || 'Everyone');
  write(row.role, member.role === member.name ? '' : member.role);
  write(row.unread, member.unread ? `${member.unread} new` : '');
  row.state.dataset.state = member.state;
  write(row.state, named(member.state));
  row.task.classList.toggle('faint', !member.task);
  write(row.task, member.task ? `#${member.task} ${member.subject ?? model.tasks.get(member.task)?.subject ?? ''}` : said);
  write(row.used, used(member.usage, member.cost));
  write(row.words, member.task ? said : '');
  row.button.ariaCurrent = model.member === member.name;
}

export function drawMembers() {
  const { members, usage } = model.status;
  const running = members.filter(isRunning).length;
  drawMember({ name: '', state: '', lastWords: running ? `${running} running` : 'nobody runs', usage, cost: usage.cost });
  for (const member of members) drawMember(member);
  write($('members-count'), members.length);
  const there = new Set(['', ...members.map((member) => member.name)]);
  for (const [name, row] of rows) if (!there.has(name)) (row.item.remove(), rows.delete(name));
}

// Chooses the next (1) or previous (-1) member; from a focused row, only the focus moves.
export function moveMember(step) {
  const focused = document.activeElement.closest('.member');
  const names = [...rows.keys()];
  const name = names[names.indexOf(focused ? focused.dataset.member : model.member) + step];
  if (name === undefined) return;
  if (focused) rows.get(name).button.focus();
  else go.member(name);
  rows.get(name).item.scrollIntoView({ block: 'nearest' });
}

export function drawSwitches() {
  for (const button of $('switches').children) {
    const { key } = button.dataset;
    const isOn = model.settings.some((one) => one.key === key && String(one.value) === 'true');
    button.ariaChecked = isOn;
    button.disabled = model.server.readOnly;
    button.onclick = () => change('/api/settings', { key, value: !isOn }, `${button.textContent} is ${isOn ? 'off' : 'on'}`);
  }
}
