// The stream of one member, or of everyone: text as it comes, tool calls folded, messages between agents indented.

import { $, clean, clock, el, link, named, put, write } from './dom.js';
import { announce, change, get, go, isRunning, model } from './model.js';

const kPage = 300; // events that are read at once
const kMostBlocks = 700;
const kLongest = 6000; // characters of a result
const kHints = ['command', 'path', 'subject', 'recipient', 'taskId', 'name', 'summary', 'prompt', 'content'];

const log = $('log');
const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

// Makes elements of events, in order. One message or tool call comes in several events.
class Conversation {
  parts = new Map(); // by the id of a message or tool call

  constructor(target) {
    this.target = target;
  }

  add(envelope) {
    const block = this.make(envelope);
    if (!block) return;
    block.dataset.seq = envelope.seq;
    this.target.append(block);
  }

  make({ agent_id: agent, timestamp, event }) {
    const { type } = event;
    const part = this.parts.get(event.message_id ?? event.tool_call_id);
    const who = !model.member && link(agent, () => go.member(agent));
    const time = el('time', clock(timestamp));
    const line = (kind, ...text) => el(`p.event.${kind}`, time, who, who && ' ', ...text);
    switch (type) {
      case 'TEXT_MESSAGE_CONTENT': {
        if (part) return void part.append(clean(event.delta));
        const text = el('div.prose', event.delta);
        this.parts.set(event.message_id, text);
        return el('article.said', time, who, text);
      }
      case 'TOOL_CALL_START':
        return this.tool(event.tool_call_id, event.tool_call_name, who);
      case 'TOOL_CALL_ARGS': {
        if (!part) return;
        part.input += event.delta;
        const input = Object(parsed(part.input));
        write(part.args, parsed(part.input) ? JSON.stringify(input, null, 2) : part.input);
        return void write(part.hint, String(input[kHints.find((key) => key in input)] ?? '').slice(0, 120));
      }
      case 'TOOL_CALL_RESULT': {
        const block = part ? null : this.tool(event.tool_call_id, 'tool', who);
        const { result, details } = this.parts.get(event.tool_call_id);
        const content = event.content ?? '';
        const more = content.length - kLongest;
        write(result, content.slice(0, kLongest) + (more > 0 ? `\n… ${more} more characters` : ''));
        details.dataset.state = event.is_error ? 'failed' : 'done';
        return block;
      }
      case 'MESSAGE_SENT': {
        const { sender, recipient, message_type: kind } = event;
        const tone = sender === 'system' ? 'system' : sender === 'user' || recipient === 'user' ? 'user' : 'peer';
        const mark = el('span.mark');
        this.parts.set(event.message_id, mark);
        return el(`article.message.${tone}`, el('header', el('b', `${sender} → ${recipient}`), el('span', kind === 'message' ? '' : named(kind)), mark, time),
          el('div.prose', event.text ?? event.summary));
      }
      case 'MESSAGE_DELIVERED':
      case 'MESSAGE_PROCESSED':
        return void (part && write(part, type === 'MESSAGE_PROCESSED' ? 'read' : 'delivered'));
      case 'MEMBER_STATE':
        return /spawn|active/.test(event.to) ? null : line('quiet', named(event.to), event.reason && `: ${event.reason}`);
      case 'MEMBER_JOINED':
        return line('quiet', event.member === agent ? 'joined' : `added ${event.member}`);
      case 'TEAM_FINISHED':
        return line('good', event.summary ?? 'The team has finished.');
      case 'RUN_ERROR':
        return line('error', event.message ?? event.reason ?? 'The run failed.');
      case 'EXCHANGE_PAUSED':
        return line('error', `${event.sender} and ${event.recipient} reached the exchange limit`);
    }
    if (!type.startsWith('TASK_')) return;
    const tone = { TASK_COMPLETED: 'good', TASK_FAILED: 'error' }[type] ?? 'quiet';
    const why = event.result ?? event.reason;
    return line(tone, named(type.slice(5)), ' ', link(`#${event.task_id}`, () => go.task(event.task_id)), ` ${event.subject ?? ''}`, why && el('span.why', why));
  }

  tool(id, name, who) {
    const tool = { input: '', hint: el('span.hint'), args: el('pre'), result: el('pre.result') };
    tool.details = el('details.tool', { 'data-state': 'running' }, el('summary', who && el('span.who', who.textContent), el('b', name), tool.hint), tool.args, tool.result);
    this.parts.set(id, tool);
    return tool.details;
  }
}

let conversation = new Conversation(log);
let waiting = null; // live events while the history is read
let first = 0; // the number before which older events can be read

const isAtEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 60;
export const toEnd = () => (log.scrollTop = log.scrollHeight);
const read = (before) => get('/api/log', { before, limit: kPage, ...(model.member && { member: model.member }) });

function offerEarlier(isThere) {
  log.querySelector('.earlier')?.remove();
  if (isThere) log.prepend(el('button.earlier.plain', { onclick: showEarlier }, 'Show earlier'));
}

// Shows the latest events of the chosen member. Events that arrive meanwhile follow them, each once.
export async function showStream() {
  const mine = (waiting = []);
  drawHead();
  put(log, el('p.empty', 'Reading …'));
  try {
    const events = await read(model.seq + 1);
    if (waiting !== mine) return; // another member was chosen
    waiting = null;
    put(log);
    conversation = new Conversation(log);
    first = events[0]?.seq;
    for (const envelope of [...events, ...mine]) conversation.add(envelope);
    if (!log.firstChild) put(log, el('p.empty', 'Nothing has happened yet.'));
    offerEarlier(events.length === kPage);
    toEnd();
  } catch (error) {
    if (waiting === mine) put(log, el('p.empty.error', error.message));
  }
}

async function showEarlier() {
  const events = await read(first).catch((error) => announce(error.message, true));
  if (!events) return;
  const height = log.scrollHeight;
  const older = new Conversation(document.createDocumentFragment());
  for (const envelope of events) older.add(envelope);
  first = events[0]?.seq;
  offerEarlier(false);
  log.prepend(older.target);
  offerEarlier(events.length === kPage);
  log.scrollTop += log.scrollHeight - height;
}

export function addToStream(events) {
  const mine = events.filter(({ agent_id: agent, event }) => [agent, event.sender, event.recipient, ''].includes(model.member));
  if (waiting) return void waiting.push(...mine);
  if (!mine.length) return;
  const isFollowing = isAtEnd();
  log.querySelector('.empty')?.remove();
  for (const envelope of mine) conversation.add(envelope);
  $('newest').hidden = isFollowing;
  if (!isFollowing) return;
  if (log.childElementCount > kMostBlocks) {
    while (log.childElementCount > kMostBlocks - 200) log.firstChild.remove();
    first = Number(log.firstChild.dataset.seq);
    offerEarlier(true);
  }
  toEnd();
}

export function drawHead() {
  const member = model.status.members.find((one) => one.name === model.member);
  write($('stream-title'), model.member || 'Everyone');
  write($('stream-state'), member ? [named(member.state), member.model].filter(Boolean).join(' · ') : '');
  $('stream-state').dataset.state = member?.state ?? '';
  $('interrupt').hidden = !isRunning(member);
  $('stop').hidden = $('interrupt').hidden || member.name === model.status.lead;
  $('words').placeholder = `Write to ${model.member || 'everyone'}`;
}

// Sends the text of the field. With an interrupt the text may be empty.
async function send(verb) {
  const content = $('words').value.trim();
  if (!content && verb === 'message') return;
  const path = model.member ? `/api/members/${model.member}/${verb}` : '/api/messages';
  const done = verb === 'message' ? `Sent to ${model.member || 'everyone'}` : `${model.member} is interrupted`;
  if (await change(path, content ? { content } : {}, done)) $('words').value = '';
}

export const interrupt = () => ($('interrupt').hidden ? announce('Choose a member that runs.') : send('interrupt'));

export function stop() {
  if ($('stop').hidden) return announce('Choose a teammate that runs.');
  const name = model.member;
  write($('stop-title'), `Stop ${name}?`);
  $('stopping').returnValue = '';
  $('stopping').onclose = () => {
    const force = $('stopping').returnValue === 'kill';
    if ($('stopping').returnValue) change(`/api/members/${name}/stop`, { timeout: 0, force }, `${name} is ${force ? 'killed' : 'asked to shut down'}`);
  };
  $('stopping').showModal();
}

$('composer').onsubmit = (event) => (event.preventDefault(), send('message'));
$('words').onkeydown = (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) (event.preventDefault(), send('message'));
  if (event.key === 'Escape') (event.stopPropagation(), log.focus());
};
$('interrupt').onclick = interrupt;
$('stop').onclick = stop;
$('newest').onclick = toEnd;
log.onscroll = () => isAtEnd() && ($('newest').hidden = true);
