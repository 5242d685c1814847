// What the tests of the page share: private roots, servers, and a real browser.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const build = resolve(process.argv[2] ?? 'build');
export const project = fileURLToPath(new URL('../..', import.meta.url));
export const load = createRequire(join(build, 'real/node/'));
const { chromium } = load('playwright-core');
const shots = join(build, 'real/shots');
mkdirSync(shots, { recursive: true });

const kFlags = '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(' ');
const kWait = 20000;

export function check(condition, text) {
  if (!condition) throw new Error(text);
}
export function equal(found, wanted, text) {
  check(JSON.stringify(found) === JSON.stringify(wanted), `${text}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

// Waits until `condition` gives something true, and returns it.
export async function until(text, condition, limit = kWait) {
  for (const end = Date.now() + limit; ; ) {
    const found = await condition();
    if (found) return found;
    check(Date.now() < end, `timed out waiting until ${text}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

export async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

// A private root with everything that a test starts; end() ends it all.
export class Stage {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'teamkit-page-'));
    this.root = this.folder; // a test may work in a folder below it
    this.children = [];
    const { PATH, HOME } = process.env;
    this.environment = { PATH: `${build}/bin:${PATH}`, HOME: HOME ?? '/tmp', TEAM_DURABILITY: 'process', XDG_CONFIG_HOME: join(this.root, '.config') };
  }

  // Runs a command of teamkit in the root and returns its standard output; throws if it fails.
  run(command, ...args) {
    return execFileSync(command, args, { cwd: this.root, env: this.environment, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  }
  feed(input, command, ...args) {
    return execFileSync(command, args, { cwd: this.root, env: this.environment, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] });
  }
  json(command, ...args) {
    return this.run(command, ...args, '--json').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  }
  start(command, args, options = {}) {
    const child = spawn(command, args, { cwd: this.root, env: this.environment, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    child.output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (child.output += data));
    child.on('error', (error) => (child.output += error.message));
    child.ended = new Promise((done) => (child.on('exit', done), child.on('error', done)));
    this.children.push(child);
    return child;
  }
  // Starts team-serve; the same port and token again if it ran before.
  async serve(...options) {
    this.port ??= await freePort();
    const tokenFile = join(this.root, 'token');
    if (!options.includes('--token-file')) {
      writeFileSync(tokenFile, 'a'.repeat(64), { mode: 0o600 });
      options.push('--token-file', tokenFile);
    }
    this.server = this.start('team-serve', ['--listen', `127.0.0.1:${this.port}`, ...options]);
    this.url = await until('team-serve prints its address', () => {
      check(this.server.exitCode === null && this.server.pid, `team-serve ended: ${this.server.output}`);
      return /http:\/\/\S+/.exec(this.server.output)?.[0];
    });
    return this.url;
  }
  async end() {
    await this.browser?.close().catch(() => {});
    try {
      this.run('teammate-stop', '--all', '--timeout', '0', '--force');
    } catch {
      // there is no team, or nobody runs
    }
    for (const child of this.children) child.kill('SIGKILL');
    await Promise.all(this.children.map((child) => child.ended));
    rmSync(this.folder, { recursive: true, force: true });
  }

  async openBrowser(...flags) {
    this.browser ??= await chromium.launch({ executablePath: '/usr/bin/chromium', args: [...kFlags, ...flags] });
    return this.browser;
  }
  // A tab. Errors in it, and violations of its policy, fail the test.
  async open(url = this.url, { width = 1440, height = 900, scheme = 'light', context } = {}) {
    await this.openBrowser();
    this.context = context ?? (await this.browser.newContext({ viewport: { width, height }, colorScheme: scheme }));
    const page = await this.context.newPage();
    page.setDefaultTimeout(kWait);
    page.troubles = [];
    page.on('pageerror', (error) => page.troubles.push(String(error)));
    page.on('console', (message) => /Content Security Policy|Uncaught/.test(message.text()) && page.troubles.push(message.text()));
    page.on('dialog', (dialog) => (page.troubles.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
    await page.goto(url);
    return page;
  }
  async openLive(options) {
    const page = await this.open(this.url, options);
    await page.waitForSelector('#link[data-state=live]');
    return page;
  }
}

export const shoot = (page, name) => page.screenshot({ path: join(shots, `${name}.png`) });
export const text = (page, selector) => page.locator(selector).innerText();

const tests = [];
export const test = (name, run) => tests.push({ name, run });

// Runs the tests whose names contain one of the given words. Prints "ok NAME" or "not ok NAME: reason" for each.
export async function runAll() {
  const wanted = process.argv.slice(3);
  let failed = 0;
  for (const { name, run } of tests) {
    if (wanted.length && !wanted.some((word) => name.includes(word))) continue;
    const stage = new Stage();
    const start = Date.now();
    try {
      await run(stage);
      console.log(`ok ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      ++failed;
      console.log(`not ok ${name}: ${error.message.split('\n').slice(0, 6).join(' | ')}`);
      const page = stage.context?.pages()[0];
      if (page) await shoot(page, `failed-${name.replaceAll(/\W+/g, '-').slice(0, 60)}`).catch(() => {});
    } finally {
      await stage.end();
    }
  }
  process.exit(failed ? 1 : 0);
}
