/** Targets of `--html`: a file is written whole, a link followed, and a pipe or an open file never replaced. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { projectRoot } from '../contract/source-files.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { readAll } from '../support/start-process.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { endOf, runCliProcess, startCli } from './run-cli.ts';

const fake = await startFakePsi({ after });
fake.answerWith(call => ({ body: toPsiBody(call) }));
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });
const remote = ['localhost/one', '--psi', '--server', service.url, '--quiet'];
/** The devices of the machine are left alone: what a fault would replace is in here. */
const folder = mkdtempSync(join(tmpdir(), 'rangelight html '));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const whyNoDescriptors = process.platform === 'linux' ? undefined : 'skipped: it writes to names of /proc';
const whyNoPipes = process.platform === 'win32' ? 'skipped: its pipes have no files' : undefined;

/** Checked without `assert.match`, whose failure would print the whole text. */
const isWholeResult = (text: string) =>
  /^(<!--[^>]*-->\s*)?<!doctype html>[\s\S]*localhost\/one[\s\S]*<\/html>\s*$/i.test(text);

const makePipe = (name: string): string => {
  execFileSync('mkfifo', [at(name)]);
  return at(name);
};

test('an existing file keeps its mode, and a link stays a link', async t => {
  if (process.platform === 'win32') return t.skip('skipped: its files have no such modes');
  mkdirSync(at('kept'));
  writeFileSync(at('kept/old.html'), 'old', { mode: 0o600 });
  chmodSync(at('kept/old.html'), 0o606);
  for (const [link, target] of [
    ['to-old', 'kept/old.html'],
    ['to-new', 'kept/new.html'],
  ] as const) {
    symlinkSync(target, at(link));
    const { code, stderr } = await runCliProcess(t, [...remote, '--html', at(link)]);
    assert.deepEqual([code, stderr, readlinkSync(at(link))], [0, `Written: ${at(link)}\n`, target]);
    assert.ok(isWholeResult(readFileSync(at(target), 'utf8')), target);
  }
  assert.equal(statSync(at('kept/old.html')).mode & 0o777, 0o606);
  assert.deepEqual(readdirSync(at('kept')).toSorted(), ['new.html', 'old.html']);
});

test('a named pipe delivers the report to its reader and stays a pipe', async t => {
  if (whyNoPipes) return t.skip(whyNoPipes);
  const pipe = makePipe('pipe');
  const child = startCli(t, [...remote, '--html', pipe]);
  // The result is shown before the report: the pipe has no reader yet.
  await once(child.stdout ?? assert.fail(), 'data');
  const reader = spawn('cat', [pipe]);
  t.after(() => void reader.kill('SIGKILL'));
  const [text, { code }] = await Promise.all([readAll(reader.stdout), endOf(child)]);
  assert.equal(code, 0);
  assert.ok(isWholeResult(text));
  assert.ok(lstatSync(pipe).isFIFO());
  assert.deepEqual(
    readdirSync(folder).filter(name => name.endsWith('.part')),
    [],
  );
});

test('a signal ends the wait for a reader', async t => {
  if (whyNoPipes) return t.skip(whyNoPipes);
  const child = startCli(t, [...remote, '--html', makePipe('unread')]);
  const exited = once(child, 'exit');
  await once(child.stdout ?? assert.fail(), 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [143, null]);
});

/** Runs the command with descriptor 3 as the shell opens it. */
async function runInShell(scope: Scope, redirection: string, args: readonly string[]) {
  const words = ['-c', `"$0" src/cli/start.ts "$@" ${redirection}`, process.execPath, ...remote, ...args];
  const child = spawn('sh', words, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
  scope.after(() => void child.kill('SIGKILL'));
  return endOf(child);
}

test('an open output is written at its position: a file, a pipe, a stream', async t => {
  if (whyNoDescriptors) return t.skip(whyNoDescriptors);
  const file = at('open.html');
  writeFileSync(file, 'before');
  const { ino } = statSync(file);
  const toFile = await runInShell(t, `3>>'${file}'`, ['--html', '/proc/self/fd/3']);
  assert.deepEqual([toFile.code, statSync(file).ino], [0, ino]);
  const text = readFileSync(file, 'utf8');
  assert.ok(text.startsWith('before') && isWholeResult(text.slice('before'.length)));

  const toPipe = await runInShell(t, '3>&1 >/dev/null | cat', ['--html', '/proc/self/fd/3']);
  assert.ok(isWholeResult(toPipe.stdout), toPipe.stderr);

  for (const [name, number] of [
    ['out', 1],
    ['err', 2],
  ] as const) {
    symlinkSync(`/proc/self/fd/${number}`, at(name));
    const { code, stdout, stderr } = await runCliProcess(t, [...remote, '--html', at(name)]);
    const text = (number === 1 ? stdout : stderr).replace(/\nWritten: .*\n$/, '\n');
    assert.deepEqual([code, lstatSync(at(name)).isSymbolicLink()], [0, true]);
    assert.ok(isWholeResult(text.slice(text.search(/<!--|<!doctype/i))), name);
    assert.match(stdout, /localhost\/one/);
  }
});

test('a file that another process has open is written and not replaced', async t => {
  if (whyNoDescriptors) return t.skip(whyNoDescriptors);
  const file = at('of another.html');
  const descriptor = openSync(file, 'w');
  t.after(() => closeSync(descriptor));
  const { ino } = statSync(file);
  const { code } = await runCliProcess(t, [...remote, '--html', `/proc/${process.pid}/fd/${descriptor}`]);
  assert.deepEqual([code, statSync(file).ino], [0, ino]);
  assert.ok(isWholeResult(readFileSync(file, 'utf8')));
});

test('a folder without write permission ends the command before anything is measured', async t => {
  const { getuid } = process;
  if (!getuid) return t.skip('skipped: its folders have no such modes');
  const locked = at('locked');
  mkdirSync(locked);
  writeFileSync(join(locked, 'old.html'), 'old');
  chmodSync(locked, 0o555);
  // Without this, only root could remove the folder.
  t.after(() => chmodSync(locked, 0o755));
  // root may write everywhere.
  const uid = getuid() === 0 ? 65_534 : getuid();
  const asked = fake.calls.all.length;
  for (const [pages, name] of [
    [['localhost/one'], 'locked/new.html'],
    [['localhost/one'], 'locked/old.html'],
    [['localhost/one'], 'locked'],
    [['localhost/one', 'localhost/two'], 'locked'],
    [['localhost/one', 'localhost/two'], 'locked/new'],
  ] as const) {
    const args = ['src/cli/start.ts', ...pages, '--psi', '--server', service.url, '--html', at(name)];
    const child = spawn(process.execPath, args, { cwd: projectRoot, uid });
    t.after(() => void child.kill('SIGKILL'));
    const { code, stdout, stderr } = await endOf(child);
    assert.deepEqual([code, stdout], [2, ''], `${name}\n${stderr}`);
    assert.match(stderr, /^rangelight: --html .*: the folder .*locked cannot be written to\n/);
  }
  assert.equal(fake.calls.all.length, asked);
  assert.equal(existsSync(at('locked/new')), false);
});
