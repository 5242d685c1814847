// What waits for a person. The server names the actions of each thing, so that a new kind needs no change here.

import { $, el, link, since, titled, write } from './dom.js';
import { announce, change, go, model } from './model.js';

const kKinds = { exchange: 'Exchange limit', limit: 'Paused', quota: 'Usage limit', dead: 'Dead owner', failed: 'Failed task' };
const kActions = { continue: 'Go on', kill: 'Kill now', reopen: 'Try again', message: 'Send' };
const kGood = new Set(['approve', 'continue', 'reply', 'answer', 'allow']);
const kNeedText = /reject|reply|answer|message/; // these mean nothing without a text

const cards = new Map();
const settled = new Set(); // answered; a list that was read before may still have them
let known = null; // the ids that were announced

const nameOf = (item) => `${kKinds[item.kind] ?? titled(item.kind)} of ${item.from ?? 'the team'}`;

async function act(card, item, action) {
  const field = card.querySelector('textarea');
  const text = action.field && field?.value.trim();
  if (kNeedText.test(action.name) && !text) {
    field.focus();
    return announce('Write a text first.', true);
  }
  card.setAttribute('aria-busy', true);
  const body = { ...action.body, ...(text ? { [action.field]: text } : {}) };
  if (await change(action.path, body, `${nameOf(item)}: ${named(action)}`, action.method)) {
    const next = card.nextElementSibling ?? card.previousElementSibling;
    const hadFocus = card.contains(document.activeElement);
    settled.add(item.id);
    drawNeeds();
    if (hadFocus) next?.focus();
  }
  card.removeAttribute('aria-busy');
}
const named = (action) => kActions[action.name] ?? titled(action.name);

function make(item) {
  const isTask = /^\d+$/.test(item.about);
  const card = el('article.need', { tabindex: 0, 'data-kind': item.kind, 'aria-label': nameOf(item) },
    el('header', el('b.kind', kKinds[item.kind] ?? titled(item.kind)), item.from && link(item.from, () => go.member(item.from)),
      isTask && link(`#${item.about}`, () => go.task(Number(item.about))), !isTask && item.about !== item.from && item.about, since(item.since)),
    el('div.words', { tabindex: item.text?.length > 300 ? 0 : null }, item.text));
  const { field, body } = item.actions.find((action) => action.field) ?? {};
  const words = field && el('textarea', { rows: 1, placeholder: body?.[field] ?? titled(field === 'content' ? 'message' : field), 'aria-label': `${titled(field)}, ${nameOf(item)}` });
  card.append(words || '', el('footer', item.actions.map((action) => el(`button.${kGood.has(action.name) ? 'good' : 'other'}`,
    { 'data-action': action.name, onclick: () => act(card, item, action) }, named(action)))));
  // a and r on a card: the first action that agrees, and the first that does not.
  card.onkeydown = (event) => {
    if (event.target === words && event.key === 'Escape') card.focus();
    else if (event.target === card && (event.key === 'a' || event.key === 'r')) {
      const action = item.actions.find((one) => kGood.has(one.name) === (event.key === 'a'));
      if (action) act(card, item, action);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return card;
}

export function drawNeeds() {
  for (const id of settled) if (!model.inbox.some((item) => item.id === id)) settled.delete(id);
  const items = model.inbox.filter((item) => !settled.has(item.id));
  const there = new Set(items.map((item) => item.id));
  for (const [id, card] of cards) {
    if (there.has(id)) continue;
    cards.delete(id);
    card.remove();
  }
  for (const item of items) {
    if (cards.has(item.id)) continue;
    cards.set(item.id, make(item));
    $('needs-list').append(cards.get(item.id));
  }
  const fresh = known && items.find((item) => !known.has(item.id));
  if (fresh) announce(`${nameOf(fresh)} waits for you`);
  known = there;
  for (const badge of [$('needs-count'), $('needs-badge')]) write(badge, there.size || '');
  $('needs-none').hidden = there.size > 0;
  document.title = `${there.size ? `(${there.size}) ` : ''}${model.name || 'teamkit'}`;
}

export function focusNextNeed() {
  const all = [...$('needs-list').querySelectorAll('.need')];
  if (!all.length) return announce('Nothing waits for you.');
  all[(all.findIndex((card) => card.contains(document.activeElement)) + 1) % all.length].focus();
}
