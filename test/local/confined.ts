/**
 * The service where user namespaces are forbidden, so that Chromium has no sandbox. They are forbidden in a namespace of
 * the test's own: nothing of this machine is changed.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { projectRoot } from '../contract/source-files.ts';
import { startFaultSite } from '../faults/fault-site.ts';
import { becomes } from '../leak/audits.ts';
import { childEnvironment, makeTemporaryFolder, removeTemporaryFolder } from '../leak/service-process.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { readGreeting } from '../support/start-process.ts';
import type { Scope } from '../support/start-service.ts';

const inNamespace = (user: readonly string[], script: string): string[] => [
  '--user',
  ...user,
  '--keep-caps',
  'sh',
  '-c',
  `echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all ${script}`,
];
/** An ordinary user, and a root user that may not become another user. */
const users = { user: ['--map-user=1000', '--map-group=1000'], root: ['--map-root-user'] } as const;

const findObstacle = (): string | undefined => {
  if (process.platform !== 'linux') return 'skipped: namespaces are of Linux';
  const nested = 'sh -c "! unshare --user true 2>/dev/null"';
  const { status } = spawnSync('unshare', inNamespace(users.user, nested), { stdio: 'ignore' });
  return status === 0 ? undefined : 'skipped: no user namespace can be made here in which to forbid further ones';
};
export const obstacle = findObstacle();

/** For temporary files and the browser, which is unpacked anew: only its own files count. */
export function makeConfinedFolder(scope: Scope): string {
  const folder = makeTemporaryFolder();
  scope.after(() => removeTemporaryFolder(folder));
  return folder;
}

/** A fresh browser is unpacked, which takes over a minute beside the tests of other files. */
const startMs = 300_000;

export async function startConfined(
  scope: Scope,
  folder: string,
  user: keyof typeof users,
  settings: Readonly<Record<string, string>> = {},
) {
  const child = spawn('unshare', inNamespace(users[user], `${process.execPath} src/service/main.ts`), {
    cwd: projectRoot,
    env: childEnvironment(folder, { XDG_CACHE_HOME: `${folder}/${user}`, ...settings }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  scope.after(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const urlIn = () => output.split('\n').map(readGreeting).find(Boolean)?.url;
  assert.ok(await becomes(() => urlIn() !== undefined, startMs), output);
  const service = { url: urlIn() ?? '' };
  const localOf = async () => (await ask<Health>(service, '/health')).body.lighthouse;
  assert.ok(await becomes(async () => (await localOf()).sandbox !== 'untested', startMs), output);
  return { ...service, localOf, output: () => output };
}

export async function assertAuditsWithout(t: TestContext, folder: string, user: keyof typeof users): Promise<void> {
  const site = await startFaultSite(t);
  const service = await startConfined(t, folder, user);
  const { sandbox, available } = await service.localOf();
  assert.deepEqual([sandbox, available], ['off', true]);
  assert.match(service.output(), /WITHOUT Chromium's sandbox/);
  const target = withQuery('/lighthouse', { url: site.urlOf('fine'), categories: 'seo' });
  const { status, text } = await ask<Result>(service, target);
  assert.equal(status, 200, `${text.slice(0, 500)}\n${service.output()}`);
  assert.match(service.output(), /audit without sandbox/);
}

export async function assertUnavailable(
  t: TestContext,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  if (obstacle) return t.skip(obstacle);
  const service = await startConfined(t, folder, 'user', settings);
  const { sandbox, available } = await service.localOf();
  assert.deepEqual([sandbox, available], ['unavailable', false]);
  assert.match(service.output(), /Local audits are unavailable: .*CHROME_SANDBOX=off/);
  const target = withQuery('/lighthouse', { url: 'http://93.184.216.34/', categories: 'seo' });
  const { status, body } = await ask<Problem>(service, target);
  assert.deepEqual([status, body.code], [503, 'lighthouse_unavailable']);
  assert.match(body.detail, /sandbox cannot be used here/);
  assert.doesNotMatch(service.output(), /WITHOUT|without sandbox/);
}
