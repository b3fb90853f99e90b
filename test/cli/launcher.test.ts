/** The launcher in a package and in a checkout, under Nodes new and old, with an npm of the test's own. */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { projectRoot } from '../contract/source-files.ts';
import { descendantsOf, isAlive, killProcess, whyNoProcessTree } from '../leak/process-tree.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { createArrivals } from '../support/arrivals.ts';
import { childEnvironment, readGreeting, withoutBrowser } from '../support/start-process.ts';
import type { Scope } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { endOf } from './run-cli.ts';

const root = mkdtempSync(join(tmpdir(), 'rangelight launcher '));
after(() => rmSync(root, { recursive: true }));
cpSync(join(projectRoot, 'bin'), join(root, 'bin'), { recursive: true });
mkdirSync(join(root, 'dist/cli'), { recursive: true });
mkdirSync(join(root, 'npm'));
writeFileSync(join(root, 'package.json'), '{ "type": "module", "devDependencies": { "node": "24.1.2" } }');
/** A stand-in for the command: it reports the Node it runs under and exits with the given code. */
writeFileSync(
  join(root, 'dist/cli/start.js'),
  `process.on('SIGTERM', () => process.exit(143));
console.log(JSON.stringify([process.execPath, process.argv.slice(2)]));
if (process.argv[2] === 'wait') setInterval(() => {}, 1000);
else process.exit(Number(process.argv[2]));`,
);
const newer = join(root, 'newer node');
symlinkSync(process.execPath, newer);
/** Makes a Node report an older version. */
const disguise = join(root, 'disguise.cjs');
writeFileSync(
  disguise,
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: process.env.DISGUISE } });",
);
const npm = join(root, 'npm/npm-cli.js');
const writeNpm = (script: string) => writeFileSync(npm, `${script}\n`);

function launch(scope: Scope, version: string, args: readonly string[], folder = root) {
  const env = { PATH: '/nowhere', npm_execpath: join(root, 'npm/npx-cli.js'), DISGUISE: version };
  const command = ['--require', disguise, join(folder, 'bin/rangelight.js'), ...args];
  const child = spawn(process.execPath, command, { env, cwd: folder });
  scope.after(() => void child.kill('SIGKILL'));
  return child;
}

const fetches = `console.error('noise'); console.log(${JSON.stringify(newer)});
require('node:fs').writeFileSync(${JSON.stringify(join(root, 'asked.json'))}, JSON.stringify(process.argv.slice(2)));`;

test('a recent Node runs the command itself and prints nothing', async t => {
  writeNpm('process.exit(1)');
  for (const version of ['22.19.0', '22.20.1', '24.0.0']) {
    const { code, stdout, stderr } = await endOf(launch(t, version, ['7', 'a b']));
    assert.deepEqual([code, JSON.parse(stdout)[1], stderr], [7, ['7', 'a b'], ''], version);
  }
});

test('an older Node has npm download the required version, says so, and passes on arguments and exit code', async t => {
  writeFileSync(join(root, 'npm/package.json'), '{ "type": "commonjs" }');
  writeNpm(fetches);
  for (const version of ['20.20.2', '22.18.9', '18.0.0']) {
    const { code, stdout, stderr } = await endOf(launch(t, version, ['5', 'a b', '$(x)']));
    assert.equal(code, 5);
    assert.deepEqual(JSON.parse(stdout)[1], ['5', 'a b', '$(x)']);
    assert.match(
      stderr,
      /^rangelight: Lighthouse requires Node 22\.19 or newer, .* npm fetches Node 24\.1\.2 once, .*\n$/,
    );
    const { default: asked } = await import(`${join(root, 'asked.json')}?${version}`, { with: { type: 'json' } });
    const words = (asked as string[]).filter(word => !word.startsWith('--cache='));
    const wanted = [
      'exec',
      '--yes',
      '--loglevel=error',
      '--package=node@24.1.2',
      '--',
      'node',
      '-p',
      'process.execPath',
    ];
    assert.deepEqual(words, wanted);
  }
});

test('SIGTERM reaches the command, and its exit code is passed on', async t => {
  writeNpm(fetches);
  const child = launch(t, '20.0.0', ['wait']);
  const said = createArrivals<string>();
  child.stdout.on('data', chunk => said.add(String(chunk)));
  await said.waitFor(1);
  const ended = endOf(child);
  child.kill('SIGTERM');
  assert.equal((await ended).code, 143);
});

/** The URL and the process of a service that the launcher started, directly or through another process. */
async function readStarted(child: ChildProcessWithoutNullStreams) {
  const lines = createArrivals<string>();
  createInterface(child.stdout).on('line', line => lines.add(line));
  const ended = endOf(child).then(({ stderr }) => assert.fail(`it ended: ${stderr}`));
  ended.catch(() => {});
  const [line = ''] = await Promise.race([lines.waitFor(1, text => readGreeting(text) !== undefined), ended]);
  const { url = '' } = readGreeting(line) ?? {};
  const service = descendantsOf(child.pid ?? 0).find(({ command }) => command.endsWith('rangelight.js serve'));
  assert.ok(service, 'the launcher has the service as its child');
  return { url, service };
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

const serviceEnvironment = { ...childEnvironment(), ...withoutBrowser, PORT: '0' };

function launchService(scope: Scope, options: SpawnOptionsWithoutStdio = {}) {
  const env = { ...serviceEnvironment, DISGUISE: '20.20.2' };
  const command = ['--require', disguise, join(projectRoot, 'bin/rangelight.js'), 'serve'];
  const child = spawn(process.execPath, command, { env, cwd: projectRoot, ...options });
  scope.after(() => void child.kill('SIGKILL'));
  return child;
}

test('a service ends with its launcher, even if the launcher is killed', { skip: whyNoProcessTree }, async t => {
  const launcher = launchService(t);
  const { url, service } = await readStarted(launcher);
  t.after(() => void killProcess(service));
  assert.ok(await answers(url));
  launcher.kill('SIGKILL');
  await until(() => !isAlive(service));
  assert.equal(await answers(url), false, 'the port is free');
});

/** Kills the launcher of a command that waits forever, and waits for the end of the command: a second later. */
async function untilCommandHasEnded(scope: Scope): Promise<void> {
  writeNpm(fetches);
  const launcher = launch(scope, '20.0.0', ['wait']);
  const said = createArrivals<string>();
  launcher.stdout.on('data', chunk => said.add(String(chunk)));
  await said.waitFor(1);
  const [command] = descendantsOf(launcher.pid ?? 0);
  assert.ok(command);
  scope.after(() => void killProcess(command));
  launcher.kill('SIGKILL');
  await until(() => !isAlive(command));
}

test('a command ends with its launcher, even one that waits forever', { skip: whyNoProcessTree }, untilCommandHasEnded);

/** Starts a service that must end with its parent, kills the parent, and waits for the end: others had as much time. */
async function untilAnotherHasEnded(scope: Scope, parent: ChildProcessWithoutNullStreams): Promise<void> {
  const { service } = await readStarted(parent);
  scope.after(() => void killProcess(service));
  parent.kill('SIGKILL');
  await until(() => !isAlive(service));
}

test('the service continues while its launcher is paused', { skip: whyNoProcessTree }, async t => {
  const launcher = launchService(t);
  const { url, service } = await readStarted(launcher);
  t.after(() => void killProcess(service));
  launcher.kill('SIGSTOP');
  await untilAnotherHasEnded(t, launchService(t));
  assert.ok(await answers(url));
  launcher.kill('SIGCONT');
  const ended = endOf(launcher);
  launcher.kill('SIGTERM');
  assert.equal((await ended).code, 0);
  assert.equal(isAlive(service), false);
});

test('a service ends when its terminal is closed', { skip: whyNoProcessTree }, async t => {
  const launcher = launchService(t, { detached: true });
  const { service } = await readStarted(launcher);
  t.after(() => void killProcess(service));
  process.kill(-(launcher.pid ?? 0), 'SIGHUP');
  await until(() => !isAlive(service));
});

const npmStart = { npm_lifecycle_event: 'start', npm_package_json: join(projectRoot, 'package.json') };

for (const [what, shell] of [
  ['npm', 'node bin/rangelight.js serve'],
  ['npm with a shell that replaces itself', 'exec node bin/rangelight.js serve'],
] as const)
  test(`a service started by npm start ends when ${what} is killed`, { skip: whyNoProcessTree }, async t => {
    const env = { ...serviceEnvironment, ...npmStart, SCRIPT: shell };
    const script = "require('node:child_process').spawn('sh', ['-c', process.env.SCRIPT], { stdio: 'inherit' })";
    const npm = spawn(process.execPath, ['-e', script], { env, cwd: projectRoot });
    t.after(() => void npm.kill('SIGKILL'));
    const { url, service } = await readStarted(npm);
    t.after(() => void killProcess(service));
    assert.ok(await answers(url));
    npm.kill('SIGKILL');
    await until(() => !isAlive(service));
    assert.equal(await answers(url), false);
  });

const npmScript =
  "const { spawn } = require('node:child_process'); spawn('sh', ['-c', `trap : TERM; node bin/rangelight.js serve; echo ended with $?`], { stdio: 'inherit' })";
/** While this file exists, a service that looks for its parent writes into it and reads on until its parent has ended. */
const looks = join(root, 'looks');
const longLook = join(root, 'long-look.cjs');
writeFileSync(
  longLook,
  `const fs = require('node:fs');
const { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => {
  const before = readFileSync(path, ...rest);
  if (!/^.proc.[0-9]+.stat$/.test(path) || !fs.existsSync(${JSON.stringify(looks)})) return before;
  fs.writeFileSync(${JSON.stringify(looks)}, 'looks');
  for (;;) {
    const now = readFileSync(path, ...rest);
    if (now.split(' ')[3] !== before.split(' ')[3]) return now;
  }
};`,
);

for (const [what, program, environment] of [
  // The shell reports the exit code of the service, as its parent is gone by then.
  ['npm start', npmScript, npmStart],
  [
    'npm start, heard while the service looks for its parent,',
    npmScript,
    { ...npmStart, NODE_OPTIONS: `--require="${longLook}"` },
  ],
  ['a launcher that forwards it', undefined, {}],
] as const)
  test(`SIGTERM to the whole process group under ${what} lets a running stream end`, {
    skip: whyNoProcessTree,
  }, async t => {
    const fake = await startFakePsi(t);
    const release = fake.hold();
    const settings = { PSI_ENDPOINT: fake.endpoint, PSI_CONCURRENCY: '2', TARGETS: 'public' };
    const env = { ...serviceEnvironment, ...settings, ...environment };
    const parent = program
      ? spawn(process.execPath, ['-e', program], { env, cwd: projectRoot, detached: true })
      : launchService(t, { env: { ...env, DISGUISE: '20.20.2' }, detached: true });
    const output = createArrivals<string>();
    createInterface(parent.stdout).on('line', line => output.add(line));
    const ended = once(parent, 'exit');
    const { url, service } = await readStarted(parent);
    t.after(() => void killProcess(service));
    const answer = await fetch(`${url}/psi`, {
      method: 'POST',
      headers: { accept: 'application/x-ndjson', 'content-type': 'application/json' },
      body: JSON.stringify({ urls: ['https://example.com/1', 'https://example.com/2', 'https://example.com/3'] }),
    });
    await fake.calls.waitFor(2);
    if ('NODE_OPTIONS' in environment) {
      writeFileSync(looks, '');
      await until(() => statSync(looks).size > 0);
    }
    process.kill(-(parent.pid ?? 0), 'SIGTERM');
    if (program) await ended;
    // The service looks for its parent every half second, and would end a second later.
    for (let second = 0; second < 2; second += 1) await untilCommandHasEnded(t);
    release();
    const lines = (await answer.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const { total, succeeded } = lines.at(-1);
    assert.deepEqual([lines.length, total, succeeded], [4, 3, 1]);
    if (program) await output.waitFor(1, line => line === 'ended with 0');
    else assert.equal((await ended)[0], 0);
  });

test('a service that a script started in the background outlives the script', { skip: whyNoProcessTree }, async t => {
  const run = (npmEnvironment: Record<string, string>) => {
    const env = { ...serviceEnvironment, ...npmEnvironment };
    const script = spawn('sh', ['-c', 'node bin/rangelight.js serve & read line'], { env, cwd: projectRoot });
    t.after(() => void script.kill('SIGKILL'));
    return script;
  };
  const script = run({ npm_lifecycle_event: 'build' });
  const { url, service } = await readStarted(script);
  t.after(() => void killProcess(service));
  const gone = once(script, 'exit');
  script.kill('SIGKILL');
  await gone;
  await untilAnotherHasEnded(t, run(npmStart));
  assert.ok(await answers(url));
  assert.ok(isAlive(service));
});

/** A checkout in which nothing is built. */
function makeCheckout(...parts: readonly ('src' | 'node_modules')[]): string {
  const folder = mkdtempSync(join(root, 'checkout '));
  for (const part of ['bin', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true });
  if (parts.includes('src')) {
    mkdirSync(join(folder, 'src/cli'), { recursive: true });
    writeFileSync(
      join(folder, 'src/cli/start.ts'),
      'const code: number = Number(process.argv[2]);\nconsole.log(JSON.stringify([process.execPath, process.argv.slice(2)]));\nprocess.exit(code);',
    );
  }
  if (parts.includes('node_modules')) {
    mkdirSync(join(folder, 'node_modules/node/bin'), { recursive: true });
    symlinkSync(newer, join(folder, 'node_modules/node/bin/node'));
  }
  return folder;
}

test('a checkout runs its TypeScript, built or not', async t => {
  writeNpm('process.exit(1)');
  const folder = makeCheckout('src', 'node_modules');
  const run = () => endOf(launch(t, '22.19.0', ['7', 'a b'], folder));
  const fresh = await run();
  assert.deepEqual([fresh.code, JSON.parse(fresh.stdout)[1], fresh.stderr], [7, ['7', 'a b'], '']);
  mkdirSync(join(folder, 'dist/cli'), { recursive: true });
  writeFileSync(join(folder, 'dist/cli/start.js'), 'process.exit(1)');
  assert.equal((await run()).code, 7);
});

test('an older Node runs a checkout with the Node that npm ci installed, and downloads nothing', async t => {
  writeNpm('process.exit(1)');
  const folder = makeCheckout('src', 'node_modules');
  const { code, stdout, stderr } = await endOf(launch(t, '20.20.2', ['7', 'a b'], folder));
  assert.deepEqual([code, JSON.parse(stdout)[1], stderr], [7, ['7', 'a b'], '']);
});

test('a checkout without its dependencies explains how to install them, and exits with 2', async t => {
  for (const version of ['20.20.2', '24.0.0']) {
    const { code, stdout, stderr } = await endOf(launch(t, version, ['0'], makeCheckout('src')));
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^rangelight: the dependencies of this checkout are not installed: run npm ci in .*\n$/);
  }
});

test('a package without a program says so, and exits with 2', async t => {
  const { code, stderr } = await endOf(launch(t, '24.0.0', ['0'], makeCheckout('node_modules')));
  assert.deepEqual([code, stderr], [2, 'rangelight: the package holds no program: install it again.\n']);
});

test("the project's own checkout runs without being built", async t => {
  const folder = mkdtempSync(join(root, 'clone '));
  for (const part of ['bin', 'src', 'package.json'])
    cpSync(join(projectRoot, part), join(folder, part), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  for (const version of ['20.20.2', process.versions.node]) {
    const { code, stdout, stderr } = await endOf(launch(t, version, ['--version'], folder));
    assert.deepEqual([code, stdout, stderr], [0, '2.0.0\n', ''], version);
  }
});

test('without a recent Node, the command gives the reason and advice, and exits with 2', async t => {
  for (const [script, reason] of [
    ["console.error('the registry is not there'); process.exit(1)", /the registry is not there/],
    ['process.exit(9)', /npm ended with 9/],
    // As if npm had not run install scripts: the name `node` still leads to the old Node.
    ['console.log(process.execPath)', /install scripts/],
  ] as const) {
    writeNpm(script);
    const { code, stdout, stderr } = await endOf(launch(t, '20.0.0', ['0']));
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, reason);
    assert.match(stderr, /Install Node 22\.19 or newer/);
  }
  rmSync(npm);
  const { code, stderr } = await endOf(launch(t, '20.0.0', ['0']));
  assert.equal(code, 2);
  assert.match(stderr, /ENOENT/);
});

test('the compiled code is cached for the next start, in a folder that others cannot write to', async t => {
  const home = mkdtempSync(join(tmpdir(), 'rangelight-code-'));
  t.after(() => rmSync(home, { recursive: true }));
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  if (isRoot) chownSync(home, 65534, 65534);
  chmodSync(root, 0o755);
  const start = async () => {
    const env = { PATH: '/nowhere', XDG_CACHE_HOME: home };
    const child = spawn(process.execPath, [join(root, 'bin/rangelight.js'), '0'], { env, cwd: '/', ...user });
    assert.equal((await endOf(child)).code, 0);
  };
  const folder = join(home, 'rangelight');
  await start();
  assert.ok(readdirSync(join(folder, 'service-code')).length > 0);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  if (isRoot) chownSync(folder, 65534, 65534);
  chmodSync(folder, 0o777);
  await start();
  assert.deepEqual(readdirSync(folder), []);
});
