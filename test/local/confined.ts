/**
 * Contract section 9: what is done and said where Chromium's sandbox cannot be.
 * User namespaces are forbidden in a namespace of the test's own: nothing of this machine is changed.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, type TestContext, test } from 'node:test';
import type { Health, Problem } from '../../src/http/schemas.ts';
import type { Report } from '../../src/report/report.ts';
import { ask, withQuery } from '../ask.ts';
import { projectRoot } from '../contract/source-files.ts';
import { startFaultSite } from '../faults/fault-site.ts';
import { becomes } from '../leak/audits.ts';
import { childEnvironment, makeTemporaryFolder, removeTemporaryFolder } from '../leak/service-process.ts';

const site = await startFaultSite({ after });

const inNamespace = (user: readonly string[], script: string): string[] => [
  '--user',
  ...user,
  '--keep-caps',
  'sh',
  '-c',
  `echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all ${script}`,
];
/** A user like any other, and a root that is nobody's master: there is no other user to become. */
const users = { user: ['--map-user=1000', '--map-group=1000'], root: ['--map-root-user'] } as const;

const findObstacle = (): string | undefined => {
  if (process.platform !== 'linux') return 'skipped: namespaces are of Linux';
  const nested = 'sh -c "! unshare --user true 2>/dev/null"';
  const { status } = spawnSync('unshare', inNamespace(users.user, nested), { stdio: 'ignore' });
  return status === 0 ? undefined : 'skipped: no user namespace can be made here in which to forbid further ones';
};
const obstacle = findObstacle();

const folder = makeTemporaryFolder();
const started: ChildProcess[] = [];
after(async () => {
  for (const child of started) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  removeTemporaryFolder(folder);
});

/** The service where user namespaces are forbidden. The browser is unpacked anew: nobody's files but its own count. */
async function startConfined(user: keyof typeof users, settings: Readonly<Record<string, string>>) {
  const child = spawn('unshare', inNamespace(users[user], `${process.execPath} src/main.ts`), {
    cwd: projectRoot,
    env: childEnvironment(folder, { LOG_LEVEL: 'warn', XDG_CACHE_HOME: `${folder}/${user}`, ...settings }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const urlIn = () => /open (http:\S+)/.exec(output)?.[1];
  assert.ok(await becomes(() => urlIn() !== undefined, 30_000), output);
  const service = { url: urlIn() ?? '' };
  const localOf = async () => (await ask<Health>(service, '/health')).body.lighthouse;
  assert.ok(await becomes(async () => (await localOf()).sandbox !== 'untested', 60_000), output);
  return { ...service, localOf, output: () => output };
}

const assertUnavailable = async (t: TestContext, settings: Readonly<Record<string, string>>) => {
  if (obstacle) return t.skip(obstacle);
  const service = await startConfined('user', settings);
  const { sandbox, available } = await service.localOf();
  assert.deepEqual([sandbox, available], ['unavailable', false]);
  assert.match(service.output(), /Local audits are unavailable: .*CHROME_SANDBOX=off/);
  const target = withQuery('/lighthouse', { url: 'http://93.184.216.34/', categories: 'seo' });
  const { status, body } = await ask<Problem>(service, target);
  assert.deepEqual([status, body.code], [503, 'lighthouse_unavailable']);
  assert.match(body.detail, /sandbox cannot be used here/);
  assert.doesNotMatch(service.output(), /WITHOUT|without sandbox/);
};

for (const user of ['user', 'root'] as const)
  test(`on loopback a ${user} without user namespaces audits without the sandbox, and every place says so`, async t => {
    if (obstacle) return t.skip(obstacle);
    const service = await startConfined(user, {});
    const { sandbox, available } = await service.localOf();
    assert.deepEqual([sandbox, available], ['off', true]);
    assert.match(service.output(), /WITHOUT Chromium's sandbox/);
    const target = withQuery('/lighthouse', { url: site.urlOf('fine'), categories: 'seo' });
    const { status } = await ask<Report>(service, target);
    assert.equal(status, 200);
    assert.match(service.output(), /audit without sandbox/);
  });

test('with CHROME_SANDBOX=on there is no audit without it, on loopback too', t =>
  assertUnavailable(t, { CHROME_SANDBOX: 'on' }));

// Loopback in truth, but no address that the settings know as loopback: nothing is opened to anyone.
test('beyond loopback there is no audit without it', t => assertUnavailable(t, { HOST: '::ffff:127.0.0.1' }));
