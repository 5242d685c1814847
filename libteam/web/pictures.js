// The pictures that the server draws: the graph of the tasks, and the timeline.
//
// A picture is copied element by element, with the elements and attributes of a drawing only: nothing in it can run,
// and its tasks can be opened.

import { $, clean, el, put } from './dom.js';
import { go, model, picture } from './model.js';

const kElements = new Set('svg g rect path text tspan title line circle ellipse polygon polyline defs marker'.split(' '));
const kRefused = /^on|href$|^style$|^class$|^xmlns/i;
const kSvg = 'http://www.w3.org/2000/svg';
const kMostTasks = 400; // of a larger graph only a part is drawn

let shown = ''; // graph, timeline, or nothing
let isBusy = false;
let isStale = false;

function copy(source, dark) {
  const target = document.createElementNS(kSvg, source.localName);
  for (const { name, value } of source.attributes) {
    if (kRefused.test(name) || (value.includes('url(') && !/^url\(#[\w-]+\)$/.test(value))) continue;
    target.setAttribute(name, dark.has(value) ? `light-dark(${value}, ${dark.get(value)})` : value);
  }
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) target.append(clean(child.data));
    else if (child.namespaceURI === kSvg && kElements.has(child.localName)) target.append(copy(child, dark));
  }
  const id = source.localName === 'g' && Number(/^#(\d+) /.exec(target.querySelector(':scope > title')?.textContent)?.[1]);
  if (id) {
    target.tabIndex = 0;
    target.dataset.task = id;
    target.role = 'button';
    target.onclick = () => go.task(id);
    target.onkeydown = (event) => event.key === 'Enter' && go.task(id);
  }
  return target;
}

function draw(kind, text, isPart) {
  // The style has the colours for a dark screen. The policy of the page does not allow the style itself.
  const [style] = /<style>[^]*<\/style>/.exec(text) ?? [''];
  const source = new DOMParser().parseFromString(text.replace(style, ''), 'image/svg+xml').documentElement;
  if (source.localName !== 'svg') throw new Error('it is not a picture');
  const dark = [...style.matchAll(/\[fill="(#\w+)"\]\{fill:(#\w+)\}/g)].map((rule) => rule.slice(1));
  const drawing = copy(source, new Map(dark));
  drawing.style.minWidth = `${0.8 * source.getAttribute('width')}px`; // smaller texts cannot be read
  const old = $('view').querySelector('.picture');
  const focused = old?.contains(document.activeElement) && document.activeElement.dataset.task;
  const frame = el('div.picture', { tabindex: 0, role: 'region', 'aria-label': kind }, drawing);
  put($('view'), isPart && el('p.note', `The open work of ${model.tasks.size} tasks. task-graph(1) draws all.`), frame);
  frame.scrollTo(old?.scrollLeft ?? 0, old?.scrollTop ?? 0);
  if (focused) frame.querySelector(`[data-task="${focused}"]`)?.focus();
}

async function refresh() {
  const kind = shown;
  const start = performance.now();
  isBusy = true;
  isStale = false;
  try {
    const isPart = kind === 'graph' && model.tasks.size > kMostTasks;
    // The work in progress, and the next tasks.
    const rank = ({ status, blocked }) => (status === 'in_progress' ? 0 : status === 'completed' ? 3 : blocked ? 2 : 1);
    const ids = isPart && [...model.tasks.values()].sort((a, b) => rank(a) - rank(b)).slice(0, 40).map((task) => task.id);
    const text = await picture(`/api/${kind}.svg`, ids ? { ids } : {});
    if (shown === kind) draw(kind, text, isPart);
  } catch (error) {
    if (shown === kind) put($('view'), el('p.empty.error', `The picture cannot be drawn: ${error.message}`));
  }
  // The more a picture costs, the longer the next one waits.
  await new Promise((done) => setTimeout(done, Math.max(1000, 4 * (performance.now() - start))));
  isBusy = false;
  if (shown && (isStale || shown !== kind)) refresh();
}

export function showPicture(kind) {
  shown = kind;
  if (kind) put($('view'), el('p.empty', 'Drawing …'));
  drawPicture();
}

export function drawPicture() {
  isStale = true;
  if (shown && !isBusy) refresh();
}
