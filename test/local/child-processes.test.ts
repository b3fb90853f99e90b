/** Invariants of a local audit, looked at from outside while it runs: what its processes know, and what is left of them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { endlessAudits } from '../support/audits/quick-audits.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

type Child = { pid: number; command: string; environment: string };

const readOr = (path: string): string => {
  try {
    return readFileSync(path, 'latin1').replaceAll('\0', '\n');
  } catch {
    // Gone, or another user's.
    return '';
  }
};

/** Every process that descends from this one. */
function findChildren(): Child[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(pid => [Number(pid), Number(/\nPPid:\s*(\d+)/.exec(readOr(`/proc/${pid}/status`))?.[1] ?? 0)]),
  );
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === process.pid || (parent > 1 && descends(parent));
  };
  return [...parents.keys()].filter(descends).map(pid => ({
    pid,
    command: readOr(`/proc/${pid}/cmdline`),
    environment: readOr(`/proc/${pid}/environ`),
  }));
}

test('a running audit has no key, listens on no port, and leaves nothing behind', async t => {
  if (process.platform !== 'linux') return t.skip('skipped: it reads /proc');
  const secret = 'AIza-not-a-real-key';
  for (const name of ['PSI_API_KEY', 'CRUX_API_KEY']) {
    process.env[name] = secret;
    t.after(() => delete process.env[name]);
  }
  const pages = await startPages(t);
  // Only the client ends the audit.
  const settings = { PSI_API_KEY: secret, CRUX_API_KEY: secret, LIGHTHOUSE_TIMEOUT: '3600' };
  const service = await startService(t, settings, undefined, { audits: endlessAudits });
  const leaving = new AbortController();
  const answer = ask(service, withQuery('/lighthouse', { url: `${pages.url}/never`, categories: 'seo' }), {
    signal: leaving.signal,
  });
  answer.catch(() => {});
  await pages.requests.waitFor(1);

  const children = findChildren();
  const browser = children.find(({ command }) => command.includes('--user-data-dir='));
  assert.ok(children.length >= 2 && browser, 'a worker and its browser');
  const worker = children.find(({ command }) => command.includes('lighthouse/worker/worker.'));
  for (const { environment = '' } of [worker, browser].map(child => child ?? assert.fail('no worker')))
    assert.match(environment, /^PATH=/m, 'its environment can be read');
  for (const { command, environment } of children)
    assert.ok(!command.includes(secret) && !environment.includes(secret));
  assert.ok(
    browser.command.includes('--remote-debugging-pipe') && !browser.command.includes('--remote-debugging-port'),
  );
  const { body } = await ask<Health>(service, '/health');
  assert.equal(
    children.some(({ command }) => command.includes('--no-sandbox')),
    body.lighthouse.sandbox === 'off',
  );

  const folder = /--user-data-dir=(\S+)/.exec(browser.command)?.[1] ?? '';
  assert.ok(existsSync(folder), folder);
  leaving.abort();
  await until(async () => (await ask<Health>(service, '/health')).body.lighthouse.running === 0);
  assert.ok(!existsSync(folder), 'its folder is gone');
  const left = findChildren().filter(({ command }) => command.includes(folder));
  assert.deepEqual(left, []);
  const others = findChildren().filter(({ command }) => !command.includes('lighthouse/worker/worker.'));
  assert.deepEqual(others, [], 'nothing but workers at rest');
});
