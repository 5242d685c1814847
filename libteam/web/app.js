// The page of team-serve(1): receives the state of the team from worker.js, and hands it to the views.

import { $, ago, el, named, put, used, write } from './dom.js';
import { connect, go, model, touch } from './model.js';
import { drawMembers, drawSwitches, moveMember } from './members.js';
import { drawNeeds, focusNextNeed } from './needs.js';
import { drawColumns, moveCard, resizeColumns, showColumns } from './board.js';
import { drawPicture, showPicture } from './pictures.js';
import { closeTask, openTask, redrawTask } from './task.js';
import { addToStream, drawHead, interrupt, showStream, stop, toEnd } from './stream.js';

function receive({ state, seq, tasks, gone, events, link }) {
  const isOther = state && seq !== undefined && (state.name !== model.name || seq < model.seq);
  if (state) {
    Object.assign(model, state);
    document.body.classList.toggle('read-only', state.server.readOnly);
    touch(drawTeams, drawHeader, drawMembers, drawNeeds, drawSwitches, drawPicture, drawHead);
  }
  if (tasks) {
    if (!gone) model.tasks.clear();
    for (const task of tasks) model.tasks.set(task.id, task);
    for (const id of gone ?? []) model.tasks.delete(id);
    redrawTask([...tasks.map((task) => task.id), ...(gone ?? [])]);
    touch(drawColumns, drawPicture);
  }
  if (isOther) {
    model.seq = seq;
    showStream();
  }
  if (events) {
    // The first ones may have been in the state already.
    addToStream(events.filter((one) => one.seq > model.seq));
    model.seq = Math.max(model.seq, events.at(-1).seq);
  }
  if (link) drawLink(link);
}

const kOpen = 'Open the address that “team-serve --url” prints.';

function drawLink({ state, detail, teams }) {
  const text = {
    lost: `Connection lost, trying again. ${detail ?? ''}`, 'no team': detail, 'no token': `This address has no token. ${kOpen}`,
    refused: `The server was restarted and does not accept this page any more. ${kOpen}`,
  }[state];
  $('link').dataset.state = state;
  write($('link'), state);
  $('alert').hidden = !text;
  write($('alert'), text);
  if (teams) (model.teams = teams, drawTeams());
}

function drawTeams() {
  $('team').hidden = !($('teams').hidden = model.teams.length < 2);
  write($('team'), model.name || 'teamkit');
  const names = ['', ...model.teams.map((one) => one.name)];
  if ($('teams').length !== names.length) put($('teams'), names.map((name) => el('option', { value: name }, name || 'Choose a team')));
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
  if (name === 'stream') toEnd();
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
  n: () => (showPane('needs'), focusNextNeed()),
  b: () => (showView('columns'), moveCard()),
  g: () => showView('graph'),
  t: () => showView('timeline'),
  '/': () => (showView('columns'), $('filter').focus()),
  '[': () => moveMember(-1),
  ']': () => moveMember(1),
  m: () => (showPane('stream'), $('words').focus()),
  i: interrupt,
  x: stop,
  z: toggleWide,
  '?': () => $('keys').showModal(),
};

addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return;
  if (key === 'Escape') {
    if (target === $('filter')) ($('filter').value = '', drawColumns(true), target.blur());
    else closeTask();
    return;
  }
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
  const arrow = key.startsWith('Arrow');
  if (arrow && target.closest('.card')) moveCard(key);
  else if (arrow && target.closest('.member')) moveMember(/Down|Right/.test(key) ? 1 : -1);
  else if (kKeys[key]) kKeys[key]();
  else return;
  event.preventDefault();
});

$('panes').onclick = ({ target }) => target.closest('button') && showPane(target.closest('button').dataset.pane);
$('views').onclick = ({ target }) => target.dataset.view && showView(target.dataset.view);
$('filter').oninput = () => drawColumns(true);
$('task-close').onclick = closeTask;
$('wide').onclick = toggleWide;
$('help').onclick = kKeys['?'];
$('teams').onchange = () => {
  location.hash = new URLSearchParams({ team: $('teams').value });
  location.reload();
};
addEventListener('resize', resizeColumns);
setInterval(() => {
  for (const time of document.querySelectorAll('time[data-since]')) write(time, ago(Number(time.dataset.since)));
}, 5000);

showView('columns');
connect(new URLSearchParams(location.hash.slice(1)).get('team') ?? '', receive);
