// page_test.mjs BUILD [WORD…] - the page of team-serve in a real browser
//
// Each test has a private root and a server of its own. Screenshots go to BUILD/real/shots.

import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, check, equal, freePort, load, project, runAll, shoot, test, text, until } from './browser.mjs';

const kPlan = '1. Read the routes and group them by resource.\n2. Write one type for each resource.\n\nRisk: pagination differs between posts and comments.';

// A team with tasks in every state, two members that only have a name, and a plan that waits.
function makeTeam(stage) {
  stage.run('team-create', 'shop');
  const tasks = [{ subject: 'Analyze REST endpoints' }, { subject: 'Design GraphQL schema' }, { subject: 'Implement resolvers', blockedBy: [2] },
    { subject: 'Update frontend', blockedBy: [3], priority: 1 }, { subject: 'Measure the latency' }, { subject: 'Remove dead endpoints' }];
  stage.feed(tasks.map((task) => JSON.stringify({ description: 'Keep the old interface.', ...task })).join('\n'), 'task-create', '-');
  stage.run('team-join', 'backend', '--role', 'coder');
  stage.run('team-join', 'frontend', '--role', 'coder');
  stage.run('task-claim', '1', '--as', 'backend');
  stage.run('task-complete', '1', '--as', 'backend', '--result', '14 endpoints');
  stage.run('task-claim', '5', '--as', 'frontend');
  stage.run('task-fail', '5', '--as', 'frontend', '--reason', 'no database');
  stage.run('task-claim', '2', '--as', 'backend');
}
const submitPlan = (stage, plan = kPlan) => stage.feed(plan, 'plan-submit', '-', '--as', 'backend', '--task', '2').trim();
const plans = (stage) => Object.fromEntries(stage.json('plan-list', '--all').map((plan) => [plan.id, plan]));
// The texts in a mailbox; team-recv exits with 1 if there are none.
const mail = (stage, name) => stage.run('sh', '-c', `team-recv --peek --json --as ${name} || [ $? -eq 1 ]`).split('\n').filter(Boolean).map((line) => JSON.parse(line).content);
const noTroubles = (page) => equal(page.troubles, [], 'troubles of the page');

test('shows the demo live, in light, dark and 390 pixels', async (stage) => {
  const place = join(stage.root, 'demo');
  const demo = stage.start(join(project, 'scripts/demo'), [join(build, 'bin'), place]);
  stage.root = join(place, 'graphql');
  await until('the demo makes its team', () => {
    try {
      return stage.json('team-list').length === 1;
    } catch {
      return false;
    }
  });
  const url = await stage.serve();
  const page = await stage.openLive();
  await page.waitForSelector('.member[data-member=analyst] .state[data-state=active]');
  await shoot(page, 'demo-live');
  await until('the demo ends', () => demo.exitCode !== null, 60000);
  await page.getByText('4 of 4 done').waitFor();
  await until('all are shut down', async () => (await page.locator('.member .state[data-state=shutdown]').count()) === 4);
  // Every word of every model is on the page, once and in order.
  for (const name of ['lead', 'analyst', 'backend', 'frontend']) {
    await page.click(`.member[data-member=${name}]`);
    await until('the stream is that of the member', async () => (await text(page, '#stream-title')) === name);
    const events = stage.json('team-log', '--agent', name).map((envelope) => envelope.event);
    const words = {};
    for (const event of events) if (event.type === 'TEXT_MESSAGE_CONTENT') words[event.message_id] = (words[event.message_id] ?? '') + event.delta;
    await until(`the words of ${name} are shown`, async () => (await page.locator('.said').count()) === Object.keys(words).length);
    const shown = await page.locator('.said .prose').evaluateAll((all) => all.map((one) => one.textContent));
    equal(shown, Object.values(words), `words of ${name}`);
    equal(await page.locator('.tool').count(), events.filter((event) => event.type === 'TOOL_CALL_START').length, `tool calls of ${name}`);
  }
  await page.click('.member[data-member=backend]');
  await shoot(page, 'demo-light');
  await page.keyboard.press('g');
  await page.waitForSelector('.picture [data-task="4"]');
  await shoot(page, 'demo-graph');
  await page.keyboard.press('t');
  await page.waitForSelector('.picture [data-task="4"]');
  await shoot(page, 'demo-timeline');
  const dark = await stage.openLive({ scheme: 'dark' });
  await dark.click('.member[data-member=lead]');
  await dark.click('.card[data-task="2"]');
  await dark.getByText('Attempts').waitFor();
  await shoot(dark, 'demo-dark-task');
  const phone = await stage.openLive({ width: 390, height: 844 });
  await phone.waitForSelector('.card');
  const rows = await phone.locator('#views button').evaluateAll((all) => new Set(all.map((one) => one.offsetTop)).size);
  equal(rows, 1, 'rows of the buttons for views');
  await shoot(phone, 'demo-390-board');
  for (const pane of ['needs', 'members', 'stream']) {
    await phone.click(`nav [data-pane=${pane}]`);
    await shoot(phone, `demo-390-${pane}`);
    const width = await phone.evaluate(() => document.documentElement.scrollWidth);
    check(width <= 390, `the pane ${pane} is ${width} pixels wide`);
  }
  check(!url.includes('?') && !(await page.evaluate(() => location.href + document.cookie)).includes('aaaa'), 'the token is in an address or a cookie');
  for (const one of [page, dark, phone]) noTroubles(one);
});

test('serves twelve tabs by one stream', async (stage) => {
  makeTeam(stage);
  await stage.serve();
  const first = await stage.openLive();
  const pages = [first];
  while (pages.length < 12) pages.push(await stage.open(stage.url, { context: stage.context }));
  for (const page of pages) await page.waitForSelector('#link[data-state=live]');
  stage.run('task-create', 'A task for twelve tabs');
  for (const page of pages) {
    await page.bringToFront();
    await page.getByText('A task for twelve tabs').first().waitFor();
    noTroubles(page);
  }
  const connections = stage.run('ss', '-Htn', 'state', 'established', 'sport', '=', `:${stage.port}`).trim().split('\n').length;
  check(connections <= 6, `${connections} connections for 12 tabs`);
});

test('approves and rejects plans by buttons', async (stage) => {
  makeTeam(stage);
  const approved = submitPlan(stage);
  await stage.serve();
  const page = await stage.openLive();
  const card = page.locator('.need[data-kind=plan]');
  await card.waitFor();
  equal(await card.locator('.words').innerText(), kPlan, 'the plan on the page');
  await shoot(page, 'plan');
  await card.getByRole('button', { name: 'Approve' }).click();
  await until('the plan is approved', () => plans(stage)[approved].status === 'approved');
  await until('the card is gone', async () => (await card.count()) === 0);
  const rejected = submitPlan(stage, 'Another plan');
  await card.waitFor();
  await card.getByRole('button', { name: 'Reject' }).click();
  equal(plans(stage)[rejected].status, 'pending', 'a rejection without feedback');
  await card.locator('textarea').fill('Keep the cursors <b>opaque</b>');
  await card.getByRole('button', { name: 'Reject' }).click();
  await until('the plan is rejected', () => plans(stage)[rejected].status === 'rejected');
  equal(plans(stage)[rejected].feedback, 'Keep the cursors <b>opaque</b>', 'feedback');
  noTroubles(page);
});

test('approves and rejects plans by keys', async (stage) => {
  makeTeam(stage);
  stage.run('task-update', '5', '--status', 'pending');
  const approved = submitPlan(stage);
  await stage.serve();
  const page = await stage.openLive();
  await page.waitForSelector('.need[data-kind=plan]');
  await page.keyboard.press('n');
  await page.keyboard.press('a');
  await until('the plan is approved', () => plans(stage)[approved].status === 'approved');
  const rejected = submitPlan(stage, 'Another plan');
  await page.waitForSelector('.need[data-kind=plan]:not([aria-busy])');
  await page.keyboard.press('n');
  await page.keyboard.press('r');
  await page.keyboard.type('a better reason');
  await page.keyboard.press('Escape');
  await page.keyboard.press('r');
  await until('the plan is rejected', () => plans(stage)[rejected].status === 'rejected');
  equal(plans(stage)[rejected].feedback, 'a better reason', 'feedback');
  noTroubles(page);
});

test('writes to a member and to everyone, by button and by keys', async (stage) => {
  makeTeam(stage);
  await stage.serve();
  const page = await stage.openLive();
  await page.click('.member[data-member=backend]');
  await page.fill('#words', 'Use cursors.');
  await page.getByRole('button', { name: 'Send' }).click();
  await until('the message arrives', () => mail(stage, 'backend').includes('Use cursors.'));
  await page.locator('.message.user').getByText('Use cursors.').waitFor();
  await page.locator('#stream-title').click();
  await page.keyboard.press(']');
  await until('the next member is chosen', async () => (await text(page, '#stream-title')) === 'frontend');
  await page.keyboard.press('m');
  await page.keyboard.type('one');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('two');
  await page.keyboard.press('Enter');
  await until('the message arrives', () => mail(stage, 'frontend').includes('one\ntwo'));
  await page.click('.member[data-member=""]');
  await page.fill('#words', 'To all of you');
  await page.keyboard.press('Enter');
  await until('all have it', () => ['lead', 'backend', 'frontend'].every((name) => mail(stage, name).includes('To all of you')));
  noTroubles(page);
});

// A teammate whose first call to its model hangs until it is interrupted.
async function startModel(stage) {
  const script = join(stage.root, 'model.json');
  writeFileSync(script, JSON.stringify([
    { name: 'told', when: { 'user~': 'Stop what you do|Look here' }, answer: [{ text: 'I was interrupted.' }] },
    { name: 'stuck', answer: [{ text: 'never' }], fault: { hang: true } },
  ]));
  const urlFile = join(stage.root, 'model-url');
  stage.start(join(project, 'scripts/model-server'), [script, '--port-file', urlFile]);
  const url = await until('the model listens', () => {
    try {
      return readFileSync(urlFile, 'utf8').trim();
    } catch {
      return '';
    }
  });
  Object.assign(stage.environment, { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'test-key' });
}
const runModel = (stage, name) => stage.start('teammate-run', [name, '--model', 'scripted', '--provider', 'openai', '--prompt', 'Begin.']);

test('interrupts and stops a member, by buttons and by keys', async (stage) => {
  stage.run('team-create', 'shop');
  await startModel(stage);
  const first = runModel(stage, 'first');
  await until('the first joined', () => stage.json('teammate-list').length > 0);
  const second = runModel(stage, 'second');
  await stage.serve();
  const page = await stage.openLive();
  for (const name of ['first', 'second']) await page.waitForSelector(`.member[data-member=${name}] .state[data-state=active]`);
  await page.click('.member[data-member=first]');
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await page.locator('.said').getByText('I was interrupted.').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await shoot(page, 'stop');
  await page.getByRole('button', { name: 'Ask to stop' }).click();
  await page.waitForSelector('.member[data-member=first] .state[data-state=shutdown]');
  equal(await first.ended, 0, 'exit status');
  await page.locator('#stream-title').click();
  await page.keyboard.press(']');
  await until('the next member is chosen', async () => (await text(page, '#stream-title')) === 'second');
  await page.waitForSelector('#interrupt:not([hidden])');
  await page.keyboard.press('m');
  await page.keyboard.type('Look here');
  await page.keyboard.press('Escape');
  await page.keyboard.press('i');
  await page.locator('.said').getByText('I was interrupted.').waitFor();
  await page.keyboard.press('x');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.member[data-member=second] .state[data-state=shutdown]');
  equal(await second.ended, 0, 'exit status');
  const third = runModel(stage, 'third');
  await page.waitForSelector('.member[data-member=third] .state[data-state=active]');
  await page.click('.member[data-member=third]');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('button', { name: 'Kill now' }).click();
  await third.ended;
  noTroubles(page);
});

test('continues a paused exchange', async (stage) => {
  makeTeam(stage);
  const say = (from, to) => stage.run('env', 'TEAM_RUN_ID=1', 'team-send', to, 'and you?', '--as', from);
  await until('the exchange is paused', () => {
    try {
      say('backend', 'frontend');
      say('frontend', 'backend');
    } catch (error) {
      return /paused/.test(error.stderr);
    }
  });
  await stage.serve();
  const page = await stage.openLive();
  const card = page.locator('.need[data-kind=exchange]');
  await card.waitFor();
  await shoot(page, 'exchange');
  await card.getByRole('button', { name: 'Go on' }).click();
  await until('they can write again', () => {
    try {
      return say('backend', 'frontend');
    } catch {
      return false;
    }
  });
  noTroubles(page);
});

test('ends the pause of a usage limit', async (stage) => {
  makeTeam(stage);
  stage.run('team-quota', '--pause', 'claude', '--for', '600', '--reason', 'resets at 15:00');
  stage.run('team-config', 'budget.tokens', '1000');
  await stage.serve();
  const page = await stage.openLive();
  const card = page.locator('.need[data-kind=quota]');
  await card.getByText('usage limit of claude until').waitFor();
  await shoot(page, 'quota');
  await card.getByRole('button', { name: 'Go on' }).click();
  await until('no quota is paused', () => stage.run('sh', '-c', 'team-quota --json || [ $? -eq 1 ]') === '');
  await until('the card is gone', async () => (await card.count()) === 0);
  noTroubles(page);
});

test('changes settings and reopens tasks', async (stage) => {
  makeTeam(stage);
  await stage.serve();
  const page = await stage.openLive();
  for (const [name, key] of [['Digest', 'digest.enabled'], ['Rotation', 'rotation.enabled']]) {
    const button = page.getByRole('switch', { name });
    await until('the switch is on', async () => (await button.getAttribute('aria-checked')) === 'true');
    await button.click();
    await until('the switch is off', async () => (await button.getAttribute('aria-checked')) === 'false');
    equal(stage.run('team-config', key).trim(), 'false', key);
  }
  await page.locator('.need[data-kind=failed]').getByRole('button', { name: 'Try again' }).click();
  await until('the task is pending', () => stage.json('task-get', '5')[0].status === 'pending');
  await page.waitForSelector('.column[data-kind=ready] .card[data-task="5"]');
  stage.run('team-send', 'user', 'May I drop it?', '--as', 'frontend');
  await page.locator('.need[data-kind=message]').getByRole('button', { name: 'Dismiss' }).click();
  await until('the message is read', () => mail(stage, 'user').length === 0);
  noTroubles(page);
});

test('shows hostile texts as texts', async (stage) => {
  const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>';
  stage.run('team-create', 'shop');
  stage.run('team-join', 'backend');
  stage.run('task-create', hostile, '--description', hostile, '--priority', '2');
  stage.run('task-create', 'safe \u202etxt.exe\u202c');
  stage.run('task-create', 'W'.repeat(1000), '--blocked-by', '2');
  stage.run('task-claim', '1', '--as', 'backend');
  stage.feed(`${hostile}\n${'long '.repeat(2000)}${'x'.repeat(5000)}`, 'plan-submit', '-', '--as', 'backend', '--task', '1');
  stage.run('team-send', 'user', hostile, '--as', 'backend');
  stage.run('task-fail', '1', '--reason', hostile);
  await stage.serve();
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    const page = await stage.openLive({ width, height });
    await page.waitForSelector('.card');
    const content = () => page.evaluate(() => document.body.innerText + [...document.querySelectorAll('svg title')].map((one) => one.textContent).join());
    const steps = [async () => {}, () => page.keyboard.press('g'), () => page.keyboard.press('t'), () => page.keyboard.press('b'),
      () => page.click('.card[data-task="1"]'), () => page.keyboard.press('n'), () => page.evaluate(() => document.querySelector('nav [data-pane=stream]').click())];
    for (const step of steps) {
      await step();
      await page.waitForTimeout(400);
      check(await page.evaluate(() => window.hacked === undefined && document.querySelectorAll('img, script').length === 2), 'markup became elements');
      check(!/[\u202a-\u202e]/.test(await content()), 'an override of direction is on the page');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(wide <= width, `the page is ${wide} pixels wide instead of ${width}`);
    }
    await shoot(page, `hostile-${width}`);
    await page.evaluate(() => document.querySelector('nav [data-pane=needs]').click());
    check((await content()).includes(hostile), 'the text is not shown as it is');
    await shoot(page, `hostile-${width}-needs`);
    noTroubles(page);
  }
});

test('refuses a page of another port', async (stage) => {
  makeTeam(stage);
  const plan = submitPlan(stage);
  await stage.serve();
  const before = [stage.run('task-list'), stage.run('team-config', '--list'), stage.run('plan-list')];
  const foreign = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!DOCTYPE html><title>foreign</title><body>');
  });
  const port = await freePort();
  await new Promise((done) => foreign.listen(port, '127.0.0.1', done));
  try {
    const page = await stage.open(`http://127.0.0.1:${port}/`);
    const read = await page.evaluate(async ({ target, plan: id }) => {
      const got = [];
      const token = 'a'.repeat(64);
      const attempts = [
        ['/api/tasks', { method: 'POST', body: '{"subject":"evil"}', headers: { 'Content-Type': 'text/plain' } }],
        ['/api/tasks', { method: 'POST', mode: 'no-cors', body: '{"subject":"evil"}', headers: { 'Content-Type': 'text/plain' } }],
        // Even with the token.
        ['/api/tasks', { method: 'POST', body: '{"subject":"evil"}', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` } }],
        [`/api/requests/${id}`, { method: 'POST', body: '{"approve":true}', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` } }],
        ['/api/status', { headers: { Authorization: `Bearer ${token}` } }],
        ['/api/status', {}],
      ];
      for (const [path, options] of attempts) {
        const answer = await fetch(target + path, options).then((response) => response.text(), () => '');
        if (answer) got.push(path);
      }
      for (const path of ['/api/tasks/1/reopen', '/api/settings?key=digest.enabled&value=false', '/api/members/backend/stop']) {
        const image = new Image();
        image.src = target + path;
        document.body.append(image);
        const form = document.createElement('form');
        Object.assign(form, { action: target + path, method: 'POST', enctype: 'text/plain', target: 'sink' });
        form.append(Object.assign(document.createElement('input'), { name: '{"key":"digest.enabled","value":false,"x":"', value: '"}' }));
        document.body.append(Object.assign(document.createElement('iframe'), { name: 'sink' }), form);
        form.submit();
      }
      const frame = Object.assign(document.createElement('iframe'), { src: `${target}/#token=${token}` });
      document.body.append(frame);
      await new Promise((done) => setTimeout(done, 1500));
      if (frame.contentDocument) got.push('frame');
      return got;
    }, { target: stage.url.split('/#')[0], plan });
    equal(read, [], 'answers that the foreign page could read');
    // The frame shows an error of the browser instead of the page.
    const frames = await Promise.all(page.frames().map((frame) => frame.evaluate(() => document.querySelectorAll('#needs').length).catch(() => 0)));
    equal(frames.filter(Boolean), [], 'frames that show the page');
  } finally {
    foreign.close();
  }
  equal([stage.run('task-list'), stage.run('team-config', '--list'), stage.run('plan-list')], before, 'the team afterwards');
});

test('refuses a name that was rebound to this machine', async (stage) => {
  makeTeam(stage);
  await stage.serve();
  await stage.openBrowser('--host-resolver-rules=MAP evil.test 127.0.0.1');
  const page = await (await stage.browser.newContext()).newPage();
  const address = `http://evil.test:${stage.port}`;
  // Even with the token.
  await page.setExtraHTTPHeaders({ Authorization: `Bearer ${'a'.repeat(64)}` });
  for (const path of ['/', '/worker.js', '/api/status']) {
    equal((await page.goto(address + path)).status(), 403, `status of ${path} by another name`);
    equal((await page.goto(`http://127.0.0.1:${stage.port}${path}`)).status(), 200, `status of ${path} by its own name`);
  }
  const control = await stage.openLive();
  await control.getByText('Analyze REST endpoints').first().waitFor();
});

test('misses and repeats nothing when the server is killed and restarted', async (stage) => {
  makeTeam(stage);
  await stage.serve();
  const page = await stage.openLive();
  await page.click('.member[data-member=backend]');
  const wanted = Array.from({ length: 120 }, (_, at) => `message ${at + 1}.`);
  for (const [at, content] of wanted.entries()) {
    stage.run('team-send', 'backend', content, '--as', 'frontend');
    if (at === 30 || at === 70) {
      stage.server.kill('SIGKILL');
      await stage.server.ended;
      if (at === 30) {
        await page.getByText('Connection lost, trying again').waitFor();
        await shoot(page, 'lost');
      }
    }
    if (at === 50 || at === 71) await stage.serve();
  }
  await page.waitForSelector('#link[data-state=live]');
  await page.locator('.message').getByText('message 120.').waitFor();
  const shown = (await page.locator('.message .prose').allInnerTexts()).filter((line) => line.startsWith('message '));
  equal(shown, wanted, 'messages on the page');
  noTroubles(page);
});

test('asks for a new address when the token has changed, and goes on with it', async (stage) => {
  makeTeam(stage);
  await stage.serve();
  const page = await stage.openLive();
  stage.server.kill('SIGKILL');
  await stage.server.ended;
  const file = join(stage.root, 'other-token');
  writeFileSync(file, 'b'.repeat(64), { mode: 0o600 });
  await stage.serve('--token-file', file);
  await page.getByText('does not accept this page any more').waitFor();
  const other = await stage.open(stage.url, { context: stage.context });
  for (const one of [other, page]) await one.waitForSelector('#link[data-state=live]');
  stage.run('task-create', 'After the restart');
  await page.bringToFront();
  await page.getByText('After the restart').first().waitFor();
  const bare = await (await stage.browser.newContext()).newPage();
  await bare.goto(stage.url.split('#')[0]);
  await bare.getByText('This address has no token').waitFor();
});

test('shows empty teams, no team, and several teams', async (stage) => {
  stage.run('team-create', 'first');
  await stage.serve();
  const page = await stage.openLive();
  await page.getByText('Nothing waits for you.').waitFor();
  await page.getByText('no tasks', { exact: false }).first().waitFor();
  await shoot(page, 'empty');
  stage.run('team-create', 'second');
  stage.run('task-create', 'Only one board', '-t', 'second');
  const chooser = await stage.open();
  await chooser.getByText('Choose a team.').waitFor();
  await chooser.selectOption('#teams', 'second');
  await chooser.waitForSelector('#link[data-state=live]');
  equal(await chooser.inputValue('#teams'), 'second', 'the chosen team');
  noTroubles(page);
});

test('offers no changes with --read-only', async (stage) => {
  makeTeam(stage);
  submitPlan(stage);
  await stage.serve('--read-only');
  const page = await stage.openLive();
  await page.waitForSelector('.need[data-kind=plan]');
  await page.click('.member[data-member=backend]');
  equal(await page.locator('.need button:not(.link):visible, #composer:visible, #stop:visible, [role=switch]:enabled').count(), 0, 'controls');
  noTroubles(page);
});

test('moves on the board by arrow keys and opens a task', async (stage) => {
  makeTeam(stage);
  await stage.serve();
  const page = await stage.openLive();
  await page.waitForSelector('.card');
  const focused = () => page.evaluate(() => document.activeElement.dataset.task);
  await page.keyboard.press('b');
  equal(await focused(), '2', 'the first card');
  await page.keyboard.press('ArrowLeft');
  equal(await focused(), '6', 'to the left');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  equal(await focused(), '3', 'down');
  await page.keyboard.press('Enter');
  await page.getByText('Keep the old interface.').waitFor();
  check((await text(page, '#task-body')).includes('#2'), 'the blocker is named');
  const timeless = (reason) => reason.replace(/ for \d+ s/, '');
  const [why] = stage.json('task-why', '3').map((one) => timeless(one.reason));
  equal(timeless((await page.locator('#task-body .why li').allInnerTexts())[0]), why, 'the reason why the task waits');
  await page.keyboard.press('Escape');
  equal(await focused(), '3', 'back');
  await page.keyboard.press('/');
  await page.keyboard.type('latency');
  await until('one task is left', async () => (await page.locator('.card').count()) === 1);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByText('the next thing that needs you').waitFor();
  await shoot(page, 'keys');
  await page.keyboard.press('Escape');
  noTroubles(page);
});

test('stays fluid with 200 members, 10,000 tasks and 50 events a second', async (stage) => {
  stage.run('team-create', 'large');
  stage.run('team-config', 'teammates.max', '0');
  stage.run('team-config', 'tasks.perMember', '0');
  const tasks = Array.from({ length: 10000 }, (_, at) => JSON.stringify({ subject: `Task ${at + 1}: refactor module ${at % 37}`, ...(at % 4 === 3 ? { blockedBy: [at] } : {}) }));
  stage.feed(tasks.join('\n'), 'task-create', '-');
  stage.run('sh', '-c', 'for i in $(seq 200); do team-join member-$i --role coder || exit; done >/dev/null');
  await stage.serve();
  const page = await stage.open();
  await page.waitForSelector('#link[data-state=live]', { timeout: 90000 });
  await page.waitForSelector('.card');
  await until('200 members are shown', async () => (await page.locator('.member').count()) === 202);
  const load = stage.start('sh', ['-c', 'i=0; while i=$((i+1)); do task-claim $((i*4+1)) --as member-$((i%200+1)); team-send member-$((i%200+1)) "words $i" --as member-1; task-complete $((i*4+1)) --as member-$((i%200+1)); done']);
  const count = () => stage.run('sh', '-c', 'tail -n 1 .teams/large/events.jsonl | grep -o "[0-9]*" | head -n 1') * 1;
  await page.waitForTimeout(1500);
  const start = [Date.now(), count()];
  await stage.browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  for (let at = 0; at < 30; ++at) {
    await page.mouse.move(500 + (at % 3) * 150, 500);
    await page.mouse.wheel(0, 2000);
    await page.waitForTimeout(100);
  }
  await page.fill('#filter', 'module 3');
  await page.waitForTimeout(1000);
  await page.fill('#filter', '');
  const { traceEvents } = JSON.parse((await stage.browser.stopTracing()).toString());
  const rate = ((count() - start[1]) / (Date.now() - start[0])) * 1000;
  load.kill('SIGKILL');
  // Time on the CPU: a busy machine makes every task of a browser long.
  const main = new Set(traceEvents.filter((one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain').map((one) => `${one.pid}:${one.tid}`));
  const longest = Math.max(...traceEvents.filter((one) => one.name.endsWith('RunTask') && main.has(`${one.pid}:${one.tid}`)).map((one) => (one.tdur ?? 0) / 1000));
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  console.log(`# longest task of the page ${longest.toFixed(0)} ms, ${rate.toFixed(0)} events a second, ${elements} elements`);
  await shoot(page, 'large');
  // The board follows the events.
  const done = stage.run('sh', '-c', 'task-list --status completed | wc -l').trim();
  await until('the board has all completed tasks', async () => (await text(page, '.column[data-kind=completed] h2 b')) === done, 60000);
  check(longest > 0 && longest < 100, `a task of the page took ${longest} ms`);
  check(elements < 8000, `${elements} elements`);
  check(rate >= 50, `only ${rate} events a second`);
  await page.click('.card >> nth=3');
  await page.waitForSelector('#task-body dl');
  noTroubles(page);
});

test('has no findings of axe', async (stage) => {
  makeTeam(stage);
  submitPlan(stage);
  stage.run('team-send', 'frontend', 'Which format?', '--as', 'backend');
  stage.run('team-send', 'user', 'May I?', '--as', 'backend');
  await stage.serve();
  const axe = readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8');
  for (const options of [{ scheme: 'light' }, { scheme: 'dark' }, { width: 390, height: 844 }]) {
    const page = await stage.openLive(options);
    await page.waitForSelector('.need[data-kind=plan]', { state: 'attached' });
    const steps = { board: 'b', graph: 'g', timeline: 't', task: null, keys: '?' };
    for (const [name, key] of Object.entries(steps)) {
      if (name === 'task') (await page.keyboard.press('b'), await page.keyboard.press('Enter'), await page.waitForSelector('#task-body dl'));
      else await page.keyboard.press(key);
      await page.waitForTimeout(400);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run());
      const findings = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 2).map((node) => node.html.slice(0, 120)).join(' ')}`);
      equal(findings, [], `findings in ${name} with ${JSON.stringify(options)}`);
    }
  }
});

await runAll();
