import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { type TestContext, test } from 'node:test';
import { lowerPriority, readCpuMs, watchOthers, watchRest } from './browser-processes.ts';

const isLinux = process.platform === 'linux';

/** A watch without a clock: `pass` makes it check, with so much CPU work in each 250 ms. */
function watchPlanted(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let [cpuMs, at] = [0, 0];
  const page = { isLoaded: false };
  const changes: string[] = [];
  const onChange = (rest: string, isAtRest: boolean) => changes.push(`${rest} ${isAtRest ? 'starts' : 'ends'}`);
  const rest = watchRest(1, () => page.isLoaded, onChange, { read: () => cpuMs, now: () => at });
  t.after(() => rest.stop());
  const pass = (looks: number, workMs: number) => {
    for (let look = 0; look < looks; look += 1) {
      at += 250;
      cpuMs += workMs;
      rest.look();
    }
  };
  return { page, changes, pass };
}

test('a load that has not finished is idle after three seconds without CPU work, until it works again', t => {
  const { changes, pass } = watchPlanted(t);
  pass(11, 10);
  pass(1, 100);
  pass(11, 10);
  assert.deepEqual(changes, [], 'it worked in between');
  pass(1, 10);
  assert.deepEqual(changes, ['waiting starts']);
  pass(3, 0);
  pass(1, 30);
  assert.deepEqual(changes, ['waiting starts', 'waiting ends']);
});

test('a loaded page is quiet after half a second without CPU work, until it runs a long task', t => {
  const { page, changes, pass } = watchPlanted(t);
  pass(2, 100);
  page.isLoaded = true;
  pass(3, 30);
  pass(1, 10);
  assert.deepEqual(changes, [], 'it worked until now');
  pass(1, 10);
  assert.deepEqual(changes, ['quiet starts']);
  pass(4, 40);
  assert.deepEqual(changes, ['quiet starts'], 'short tasks do not wake it');
  pass(1, 60);
  assert.deepEqual(changes, ['quiet starts', 'quiet ends']);
  page.isLoaded = false;
  pass(11, 0);
  assert.equal(changes.length, 2, 'another document loads');
});

test('without CPU times, nothing is idle', t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const changes: boolean[] = [];
  const onChange = (_: unknown, isAtRest: boolean) => changes.push(isAtRest);
  const rest = watchRest(1, () => true, onChange, { read: () => undefined });
  for (let look = 0; look < 20; look += 1) rest.look();
  assert.deepEqual(changes, []);
  rest.stop();
});

test('all processes of a group get a low priority, and their CPU time is counted', {
  skip: !isLinux,
}, async t => {
  const script = `const { spawn } = require('node:child_process');
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
while (process.cpuUsage().user < 200_000);
console.log(child.pid);
setInterval(() => {}, 1000);`;
  const leader = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const { pid = 0 } = leader;
  t.after(() => process.kill(-pid, 'SIGKILL'));
  const [line] = await once(leader.stdout, 'data');
  const child = Number(line);
  const own = getPriority();
  lowerPriority(pid);
  assert.deepEqual([getPriority(pid), getPriority(child), getPriority()], [10, 10, own]);
  assert.ok((readCpuMs(pid) ?? 0) >= 100);
});

test('the CPU time of others has neither that of the group nor of this process', { skip: !isLinux }, async t => {
  const work = 'while (process.cpuUsage().user < 400_000); console.log(1); setInterval(() => {}, 1000)';
  const others = watchOthers(process.pid);
  const start = () => spawn(process.execPath, ['-e', work], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const group = start();
  t.after(() => group.kill('SIGKILL'));
  const othersOfGroup = watchOthers(group.pid);
  await once(group.stdout, 'data');
  const [withGroup, without] = [others() ?? 0, othersOfGroup() ?? 0];
  assert.ok(withGroup >= 350, `${withGroup} ms`);
  assert.ok(withGroup - without >= 350, `${withGroup} and ${without} ms`);
  assert.equal(watchOthers(undefined)(), undefined);
});
