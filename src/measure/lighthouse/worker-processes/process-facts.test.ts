import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { findOwnGroup, killGroup, type ProcessFacts, readFromProc, readFromPs, readProcess } from './process-facts.ts';

const startSleeper = (t: TestContext, detached: boolean): { pid: number; child: ChildProcess } => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached, stdio: 'ignore' });
  t.after(() => void child.kill('SIGKILL'));
  return { pid: child.pid ?? assert.fail(), child };
};

const readers = [
  ['/proc', readFromProc, existsSync('/proc/self/stat')],
  ['ps', readFromPs, spawnSync('ps', ['-p', String(process.pid)]).status === 0],
] as const;

for (const [name, read, isThere] of readers)
  test(`a child is distinguished from a stranger by ${name}, a group leader from other processes`, t => {
    if (!isThere) return t.skip(`skipped: there is no ${name} here`);
    const [leader, member] = [startSleeper(t, true).pid, startSleeper(t, false).pid];
    const facts = read(leader);
    assert.deepEqual([facts?.parent, facts?.group], [process.pid, leader]);
    assert.deepEqual(findOwnGroup(leader, process.pid, read), facts);
    assert.equal(findOwnGroup(member, process.pid, read), 'foreign', 'its group is that of others');
    assert.equal(findOwnGroup(leader, member, read), 'foreign', 'another is its parent');
    assert.equal(findOwnGroup(process.pid, process.pid, read), 'foreign', 'nobody descends from itself');
    assert.equal(findOwnGroup(1, process.pid, read), 'foreign');
    assert.equal(findOwnGroup(0x7fff_ffff, process.pid, read), 'gone');
  });

/** Returns a reader for a system with these processes: parent and group by id. */
const systemOf =
  (processes: Readonly<Record<number, readonly [parent: number, group: number]>>) =>
  (pid: number): ProcessFacts | undefined => {
    const [parent, group] = processes[pid] ?? [];
    return parent === undefined || group === undefined ? undefined : { parent, group, identity: String(pid) };
  };

test('a grandchild is found through its parents; a broken or circular chain leads nowhere', () => {
  const read = systemOf({ 20: [10, 20], 30: [20, 30], 40: [39, 40], 50: [51, 50], 51: [50, 51] });
  assert.deepEqual(findOwnGroup(30, 10, read), { parent: 20, group: 30, identity: '30' });
  assert.equal(findOwnGroup(40, 10, read), 'foreign');
  assert.equal(findOwnGroup(50, 10, read), 'foreign');
});

test('without facts about processes, nothing is proved', () => {
  assert.equal(
    findOwnGroup(30, 10, () => undefined),
    'gone',
  );
});

test('a group is killed by its number and identity, never by a number alone', async t => {
  if (!existsSync('/proc/self/stat')) return t.skip('skipped: it reads /proc');
  const { pid, child } = startSleeper(t, true);
  const identity = readProcess(pid)?.identity ?? '';
  const sent = t.mock.method(process, 'kill', () => true);
  for (const each of [0, 1, -1]) killGroup(each, identity);
  killGroup(pid, 'another-boot 12345');
  assert.equal(sent.mock.callCount(), 0);
  sent.mock.restore();
  killGroup(pid, identity);
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL');
});
