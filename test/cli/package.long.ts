/** The package as a user gets it: packed, installed without development dependencies, and run from there. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '../contract/source-files.ts';
import { startPages } from '../support/sites/pages.ts';
import { readGreeting } from '../support/start-process.ts';

type End = { readonly code: number | string; readonly stdout: string; readonly stderr: string };

const pages = await startPages({ after });
/** As root the unprivileged user of an audit has to be able to read what is installed. */
const folder = mkdtempSync(join(tmpdir(), 'rangelight package '));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));
const app = join(folder, 'an app');

/** `npm test` sets these variables for the checkout; they must not reach the installed package. */
const ofTheTest = /^npm_(?:package|lifecycle|config_local_prefix)|^INIT_CWD$|^NODE_(?:TEST_CONTEXT|COMPILE_CACHE)$/i;
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTheTest.test(name)));

const run = (cwd: string, program: string, args: readonly string[]): Promise<End> =>
  promisify(execFile)(program, args, { cwd, env: environment, maxBuffer: 1 << 26 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

const rangelight = (...args: string[]) => run(app, 'npx', ['--no-install', 'rangelight', ...args]);

before(async () => {
  const packed = await run(projectRoot, 'npm', ['pack', '--silent', '--pack-destination', folder]);
  assert.equal(packed.code, 0, packed.stderr);
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  const [tarball = ''] = readdirSync(folder).filter(name => name.endsWith('.tgz'));
  const words = ['install', '--prefer-offline', '--omit=dev', '--no-audit', '--no-fund', join(folder, tarball)];
  const installed = await run(app, 'npm', words);
  assert.equal(installed.code, 0, installed.stderr);
});

test('the package contains the runtime files, and no development files', () => {
  const root = join(app, 'node_modules/rangelight');
  assert.deepEqual(readdirSync(root).toSorted(), ['LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'schema']);
  const files = readdirSync(join(root, 'dist'), { recursive: true }).map(String);
  assert.deepEqual(
    files.filter(name => /\.ts$|\.test\./.test(name)),
    [],
  );
  for (const name of [
    'web/page.html',
    'web/style/base.css',
    'web/page/start.js',
    'measure/lighthouse/worker/worker.js',
  ])
    assert.ok(files.includes(name), name);
  assert.ok(!readdirSync(join(app, 'node_modules/.bin')).includes('node'), 'no other node for who installs it');
});

/** Mebibytes that a folder takes on the disk. A file with two names counts once. */
function diskUse(folder: string): number {
  const files = readdirSync(folder, { recursive: true }).map(name => lstatSync(join(folder, String(name))));
  const blocks = new Map(files.map(({ ino, blocks }) => [ino, blocks]));
  return [...blocks.values()].reduce((sum, count) => sum + count * 512, 0) / 2 ** 20;
}

test('the installed package takes at most 150 MB without its browser', () => {
  const modules = join(app, 'node_modules');
  const megabytes = diskUse(modules) - diskUse(join(modules, '@sparticuz/chromium'));
  assert.ok(megabytes > 50 && megabytes <= 150, `${megabytes} MB`);
});

test('the installed command prints its version', async () => {
  const { code, stdout } = await rangelight('--version');
  assert.deepEqual([code, stdout], [0, '2.0.0\n']);
});

test('the installed command measures a page', async () => {
  const { code, stdout, stderr } = await rangelight(`${pages.url}/good`, '--json', '--categories', 'seo');
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout).scores, { seo: 100 });
  assert.doesNotMatch(stderr, /sandbox/i);
});

test('the installed command compares, and writes a report', async () => {
  const file = join(folder, 'report.html');
  const { code, stdout, stderr } = await rangelight(`${pages.url}/good`, '--compare', '--html', file, '--quiet');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /SEO +● 100 +● 100 +0\n/);
  assert.match(readFileSync(file, 'utf8'), /^<!doctype html>[\s\S]*<\/html>\s*$/i);
});

test('the installed service serves its page, and every script that it loads', async t => {
  const bin = join(app, 'node_modules/rangelight/bin/rangelight.js');
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0'], { cwd: app, env: environment });
  t.after(() => void child.kill('SIGKILL'));
  const [greeting] = await child.stdout.take(1).toArray();
  const { url = '' } = readGreeting(String(greeting).split('\n')[0] ?? '') ?? {};
  const page = await (await fetch(url)).text();
  const paths = new Set([...page.matchAll(/(?:src|href)="(assets\/[^"]+\.js)"/g)].map(([, path = '']) => path));
  let characters = 0;
  for (const path of paths) {
    const response = await fetch(`${url}/${path}`);
    assert.equal(response.status, 200, path);
    const script = await response.text();
    characters += script.length;
    for (const [, to = ''] of script.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g)) {
      assert.match(to, /^\.\/[\w-]+\.js$/, path);
      paths.add(path.replace(/[^/]+$/, to.slice(2)));
    }
  }
  assert.ok(paths.size > 1 && characters > 100_000, `${[...paths]}: ${characters}`);
  child.kill('SIGTERM');
});
