// mcp_sdk.mjs BIN ROOT URL TOKEN - the official SDKs of MCP as clients of team-mcp and of /mcp
//
// Both SDKs (v1: initialize, v2: 2026-07-28) over both transports: list the tools, call each, wait with progress, cancel
// a wait, answer a plan by a form, hear of a changed resource. Prints a line for each pair; ends with 1 if something is
// not as it must be. ROOT has a team alpha with the members lead and bob.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const [bin, root, url, token] = process.argv.slice(2);
const run = (name, ...words) => execFileSync(`${bin}/${name}`, ['-C', root, ...words], { encoding: 'utf8' }).trim();
const info = { name: 'check-real', version: '1' };
const capabilities = { elicitation: {} };
const textOf = (result) => result.content.map((block) => block.text).join('');
const form = async () => ({ action: 'accept', content: { approve: true, feedback: 'go on' } });

function makeClient(sdk) {
  if (sdk === 'v1') {
    const client = new Client1(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, form);
    return client;
  }
  const client = new Client2(info, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  client.setRequestHandler('elicitation/create', form);
  return client;
}

function makeTransport(sdk, transport, member) {
  const params = { command: `${bin}/team-mcp`, args: ['-C', root, '--as', member], env: { ...process.env } };
  if (transport === 'stdio') return sdk === 'v1' ? new Stdio1(params) : new Stdio2(params);
  const Http = sdk === 'v1' ? Http1 : Http2;
  return new Http(new URL(`${url}/mcp?team=alpha&as=${member}`),
    { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
}

async function connect(sdk, transport, member) {
  const client = makeClient(sdk);
  await client.connect(makeTransport(sdk, transport, member));
  const call = async (name, args = {}, options = {}) => {
    const result = await (sdk === 'v1' ? client.callTool({ name, arguments: args }, undefined, options)
      : client.callTool({ name, arguments: args }, options));
    assert(!result.isError, `${name}: ${textOf(result)}`);
    return textOf(result);
  };
  return { client, call };
}

const unread = (member) => JSON.parse(run('team-status', '--json')).members.find((one) => one.name === member).unread;

async function check(sdk, transport) {
  const { client, call } = await connect(sdk, transport, 'bob');
  const { tools } = await client.listTools();
  assert.equal(tools.length, 9);
  const id = /#(\d+)/.exec(await call('task_create', { subject: 'one', description: 'all about it' }))[1];
  assert.match(await call('task_list', { ready: true }), /one/);
  assert.match(await call('task_claim', { id: Number(id) }), /all about it/);
  assert.equal(JSON.parse(await call('task_get', { id: Number(id) })).owner, 'bob');
  assert.match(await call('task_update', { id: Number(id), status: 'completed', result: 'done' }), /is completed/);
  assert.match(await call('send', { to: 'lead', text: 'done' }), /Sent to lead/);
  assert.match(await call('status'), /alpha/);
  assert.match(await call('plan', { action: 'submit', text: 'in two steps' }), /was put to lead/);
  assert.match(await call('plan', { action: 'list' }), /in two steps/);

  // A message that comes while it waits, with progress before it.
  const reports = [];
  const waiting = call('wait', { seconds: 40 }, { onprogress: (report) => reports.push(report) });
  const until = Date.now() + 30_000;
  while (reports.length === 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(reports[0]?.progress, 10);
  run('team-send', 'bob', 'wake up');
  assert.match(await waiting, /wake up/);
  assert.equal(unread('bob'), 0);

  // A cancelled wait takes no message.
  const abort = new AbortController();
  const cancelled = call('wait', { seconds: 40 }, { signal: abort.signal });
  setTimeout(() => abort.abort(), 300);
  await assert.rejects(cancelled);
  await call('status');
  const gone = Date.now() + 10_000;
  run('team-send', 'bob', 'for the next');
  while (run('team-recv', '--peek', '--as', 'bob') === '' && Date.now() < gone);
  assert.match(await call('wait', { seconds: 0 }), /for the next/);
  await call('status');
  await client.close();

  // The lead puts its plan to the user, who answers in a form.
  const lead = await connect(sdk, transport, 'lead');
  assert.match(await lead.call('plan', { action: 'submit', text: 'a plan of the lead' }), /user approved the plan/);
  assert.equal((await lead.client.listResources()).resources.length, 4);
  assert.match((await lead.client.readResource({ uri: 'teamkit://board' })).contents[0].text, /one/);
  assert.equal((await lead.client.listPrompts()).prompts.length, 2);
  assert.match((await lead.client.getPrompt({ name: 'lead', arguments: { goal: 'GraphQL' } })).messages[0].content.text,
    /The goal: GraphQL/);
  if (sdk === 'v1') {
    const told = new Promise((resolve) => {
      lead.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
    });
    await lead.client.subscribeResource({ uri: 'teamkit://board' });
    run('task-create', 'another');
    assert.equal(await told, 'teamkit://board');
  }
  await lead.client.close();
  return tools;
}

let tools;
for (const sdk of ['v1', 'v2']) {
  for (const transport of ['stdio', 'http']) {
    tools = await check(sdk, transport);
    const name = sdk === 'v1' ? '@modelcontextprotocol/sdk' : '@modelcontextprotocol/client';
    const version = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;
    console.log(`ok ${name} ${version} over ${transport}: 9 tools, wait with progress, cancel, form, resources, prompts`);
  }
}
const tokens = encode(JSON.stringify(tools)).length;
assert(tokens <= 1500, `${tokens} tokens`);
console.log(`ok the tools with their schemas are ${tokens} tokens (gpt-tokenizer, o200k_base)`);
