// The page of team-serve(1): receives the state of the team from worker.js, and hands it to the views.

import { $, ago, el, named, put, used, write } from './dom.js';
import { connect } from './link.js';
import { go, model, touch } from './model.js';
import { drawMember, drawMembers, drawSwitches, moveMember } from './members.js';
import { drawNeeds, focusNextNeed } from './needs.js';
import { drawColumns, moveCard, resizeColumns, showColumns } from './board.js';
import { drawPicture, showPicture } from './pictures.js';
import { closeTask, openTask, redrawTask } from './task.js';
import { addToStream, drawHead, interrupt, showStream, stop } from './stream.js';

function receive({ state, patch, tasks, gone, member, events, link }) {
  if (state) {
    const isOther = state.name !== model.name || state.seq < model.seq;
    Object.assign(model, state, { tasks: new Map(state.tasks.map((task) => [task.id, task])), seq: isOther ? state.seq : model.seq });
    drawTeams();
    if (isOther) showStream();
    touch(drawHeader, drawMembers, drawNeeds, drawSwitches, drawColumns, drawPicture, drawHead);
  }
  if (patch) {
    Object.assign(model, patch);
    touch(...(patch.status ? [drawHeader, drawMembers, drawHead] : [drawNeeds, drawSwitches]));
  }
  if (tasks) {
    for (const task of tasks) model.tasks.set(task.id, task);
    for (const id of gone) model.tasks.delete(id);
    redrawTask([...tasks.map((task) => task.id), ...gone]);
    touch(drawColumns, drawPicture);
  }
  if (member) {
    model.status.members = model.status.members.map((one) => (one.name === member.name ? member : one));
    drawMember(member);
    touch(drawHead, drawPicture);
  }
  if (events) {
    model.seq = events.at(-1).seq;
    addToStream(events);
  }
  if (link) drawLink(link);
}

const kOpen = 'Open the address that “team-serve --url” prints.';

function drawLink({ state, detail, teams }) {
  const text = {
    lost: `Connection lost, trying again. ${detail ?? ''}`, none: detail, token: `This address has no token. ${kOpen}`,
    refused: `The server was restarted and does not accept this page any more. ${kOpen}`,
  }[state];
  $('link').dataset.state = state;
  write($('link'), { lost: 'offline', none: 'no team', token: 'no token' }[state] ?? state);
  $('alert').hidden = !text;
  write($('alert'), text);
  document.body.classList.toggle('offline', state !== 'live');
  if (teams) (model.teams = teams, drawTeams());
}

function drawTeams() {
  $('teams').hidden = model.teams.length < 2;
  $('team').hidden = !$('teams').hidden;
  write($('team'), model.name || 'teamkit');
  put($('teams'), ['', ...model.teams.map((one) => one.name)].map((name) => el('option', { value: name, hidden: name ? null : '' }, name || 'Choose a team')));
  $('teams').value = model.name;
}

function drawHeader() {
  const { tasks, usage } = model.status;
  const bar = $('progress');
  const shown = [...bar.children].map((piece) => {
    const count = tasks[piece.dataset.kind];
    piece.style.flexGrow = count;
    return count && `${count} ${named(piece.dataset.kind)}`;
  }).filter(Boolean).join(', ');
  bar.ariaLabel = bar.title = shown || 'No tasks';
  write($('totals'), [tasks.total ? `${tasks.completed} of ${tasks.total} done` : 'no tasks', used(usage, usage.cost, ' tokens')].filter(Boolean).join(' · '));
}

// On a narrow screen one pane is visible.
function showPane(name) {
  document.body.dataset.pane = name;
  for (const button of $('panes').children) button.ariaCurrent = button.dataset.pane === name;
  resizeColumns();
}

function showView(name) {
  closeTask();
  showPane('board');
  for (const button of $('views').children) button.ariaPressed = button.dataset.view === name;
  $('filter').hidden = name !== 'columns';
  showPicture(name === 'columns' ? '' : name);
  if (name === 'columns') showColumns();
}

go.task = (id) => (showPane('board'), openTask(id));
go.member = (name) => {
  model.member = name;
  touch(drawMembers);
  showPane('stream');
  showStream();
};

function toggleWide() {
  $('wide').ariaPressed = document.body.classList.toggle('wide');
  resizeColumns();
}

const kKeys = {
  n: ['the next thing that needs you; there a agrees and r rejects', () => (showPane('needs'), focusNextNeed())],
  b: ['the board; arrow keys move, Enter opens a task', () => (showView('columns'), moveCard())],
  g: ['the graph', () => showView('graph')],
  t: ['the timeline', () => showView('timeline')],
  '/': ['filter the tasks', () => (showView('columns'), $('filter').focus())],
  '[': ['the previous member', () => moveMember(-1)],
  ']': ['the next member', () => moveMember(1)],
  m: ['write to the chosen member; Enter sends, Shift+Enter begins a new line', () => (showPane('stream'), $('words').focus())],
  i: ['interrupt the chosen member', interrupt],
  x: ['stop the chosen member', stop],
  z: ['only the board', toggleWide],
  Escape: ['back'],
  '?': ['these keys', showHelp],
};

function showHelp() {
  const { version, root } = model.server;
  put($('dialog'), el('h2', 'Keys'), el('dl', Object.entries(kKeys).flatMap(([key, [text]]) => [el('dt', el('kbd', key)), el('dd', text)])),
    el('footer', el('span.note', version && `teamkit ${version} · ${root}`), el('button', { onclick: () => $('dialog').close() }, 'Close')));
  $('dialog').showModal();
}

addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || $('dialog').open) return;
  if (key === 'Escape') {
    if (target === $('filter')) ($('filter').value = '', drawColumns(true), target.blur());
    else closeTask();
    return;
  }
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
  const arrow = key.startsWith('Arrow');
  if (arrow && target.closest('.card')) moveCard(key);
  else if (arrow && target.closest('.member')) moveMember(/Down|Right/.test(key) ? 1 : -1);
  else if (kKeys[key]) kKeys[key][1]();
  else return;
  event.preventDefault();
});

$('panes').onclick = ({ target }) => target.closest('button') && showPane(target.closest('button').dataset.pane);
$('views').onclick = ({ target }) => target.dataset.view && showView(target.dataset.view);
$('filter').oninput = () => drawColumns(true);
$('task-close').onclick = closeTask;
$('wide').onclick = toggleWide;
$('help').onclick = showHelp;
$('teams').onchange = () => {
  location.hash = new URLSearchParams({ team: $('teams').value });
  location.reload();
};
addEventListener('resize', resizeColumns);
// Times like "3 min" grow older.
setInterval(() => {
  for (const time of document.querySelectorAll('time[data-since]')) write(time, ago(Number(time.dataset.since)));
}, 5000);

showView('columns');
connect(new URLSearchParams(location.hash.slice(1)).get('team') ?? '', receive);
