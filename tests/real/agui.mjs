// agui.mjs URL TOKEN [EDIT] - replay the events of a team by the client of AG-UI
//
// The client checks every event against its schemas and the order that the protocol demands. Prints how many events of
// the log it took; ends with 1 if it refuses one, or if it warns of one that it does not know.
import assert from 'node:assert/strict';
import { HttpAgent } from '@ag-ui/client';

const [url, token, edit] = process.argv.slice(2);
// A control case: a wrong edit of the stream, s/FROM/TO/.
const [, from, to] = edit?.split('/') ?? [];
const editing = async (...request) => {
  const response = await fetch(...request);
  return edit ? new Response((await response.text()).replaceAll(from, to), response) : response;
};
const warnings = [];
console.warn = (...words) => warnings.push(words.join(' '));
const agent = new HttpAgent({ url, headers: { Authorization: `Bearer ${token}` }, threadId: 'demo', fetch: editing });
const types = new Map();
await agent.runAgent({ runId: 'r1', forwardedProps: { after: 0 } }, {
  onEvent: ({ event }) => { types.set(event.type, (types.get(event.type) ?? 0) + 1); },
  onRunFailed: ({ error }) => { throw error; },
});
assert.equal(types.get('RUN_STARTED'), 1);
assert.equal(types.get('RUN_FINISHED'), 1);
assert.deepEqual(warnings, []);
console.log([...types.values()].reduce((sum, count) => sum + count, 0), agent.messages.length);
