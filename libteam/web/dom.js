// Elements and texts. Everything that a team wrote reaches the page as text, never as markup.

// Characters that are invisible or change the direction of text. The commands escape the same ones on a terminal.
const kControls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g;
export const clean = (text) =>
  String(text ?? '').replace(kControls, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const $ = (id) => document.getElementById(id);

// el('button.link', { onclick }, 'text', child, …); null, false and '' are left out.
export function el(spec, ...parts) {
  const [tag, ...classes] = spec.split('.');
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  if (parts[0]?.constructor === Object) {
    for (const [key, value] of Object.entries(parts.shift())) {
      if (typeof value === 'function') element[key] = value;
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, clean(value));
    }
  }
  return put(element, ...parts);
}

export function put(element, ...children) {
  const wanted = children.flat().filter((child) => child || child === 0);
  element.replaceChildren(...wanted.map((child) => (child instanceof Node ? child : clean(child))));
  return element;
}

export function write(element, text) {
  const cleaned = clean(text);
  if (element.textContent !== cleaned) element.textContent = cleaned;
}

const kNames = { spawn: 'starting', shutdown: 'shut down', '-': 'external' };
export const named = (word) => kNames[word] ?? word.toLowerCase().replaceAll('_', ' ');
export const titled = (word) => named(word).replace(/^./, (c) => c.toUpperCase());

export function ago(time) {
  const seconds = Math.max(0, Date.now() / 1000 - time);
  const [unit, size] = seconds < 60 ? ['s', 1] : seconds < 3600 ? ['min', 60] : seconds < 86400 ? ['h', 3600] : ['d', 86400];
  return `${Math.floor(seconds / size)} ${unit}`;
}
export const when = (time) => (time ? new Date(time * 1000).toLocaleString() : '');
export const clock = (time) => new Date(time * 1000).toLocaleTimeString([], { hour12: false });
// A text that app.js keeps up to date.
export const since = (time) => time && el('time', { 'data-since': time, title: when(time) }, ago(time));

const amount = (count) =>
  count < 1000 ? `${count}` : count < 1e6 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(2)}M`;
// Tokens and dollars, as far as they are known.
export function used(usage, cost, unit = '') {
  const total = usage ? usage.input + usage.output + usage.cache_read + usage.cache_written : 0;
  return [total && amount(total) + unit, cost && `$${cost.toFixed(cost < 1 ? 3 : 2)}`].filter(Boolean).join(' · ');
}

// A button that opens a task or chooses a member.
export const link = (text, onclick) => el('button.link', { onclick }, text);
