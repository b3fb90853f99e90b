/** The browser of the next audit waits: fresh, unused, alone in its folder, and gone with the service. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../src/contract/result.ts';
import { descendantsOf, isAlive, isBrowser, isWorker, type Process, whyNoProcessTree } from '../leak/process-tree.ts';
import { ask, withQuery } from '../support/ask.ts';
import { startPages } from '../support/pages.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { moveTemporaryFiles } from '../support/temporary-files.ts';

const options = whyNoProcessTree ? { skip: whyNoProcessTree } : {};
const pages = await startPages({ after });
const temporary = await moveTemporaryFiles({ after });
/** With one slot the next audit waits until the last one is cleared away: there is one worker. */
const service = await startService({ after }, { LIGHTHOUSE_SPARE: 'on', LIGHTHOUSE_CONCURRENCY: '1' });
const audit = (service: StartedService, url: string) =>
  ask<Result>(service, withQuery('/lighthouse', { url, categories: 'seo' }));

const browsers = () => descendantsOf(process.pid).filter(isBrowser);

async function until(isSo: () => boolean): Promise<void> {
  // To look costs a processor some milliseconds.
  while (!isSo()) await delay(25);
}

/** The one browser that waits, once the last audit is cleared away. */
async function findSpare(except?: Process): Promise<Process> {
  const fresh = () => browsers().filter(({ pid }) => pid !== except?.pid);
  await until(() => fresh().length === 1 && browsers().length === 1);
  return fresh()[0] ?? assert.fail();
}

const flagOf = ({ command }: Process, name: string) => new RegExp(`--${name}=(\\S+)`).exec(command)?.[1];
const foldersLeft = () =>
  readdirSync(temporary).flatMap(home => readdirSync(join(temporary, home)).filter(name => name.startsWith('audit-')));

test('an audit leaves a fresh browser for the next, which takes it and leaves another', options, async () => {
  assert.equal((await audit(service, `${pages.url}/good`)).status, 200);
  const first = await findSpare();
  const asked = pages.requests.all.length;
  assert.equal((await audit(service, `${pages.url}/good?next`)).status, 200);
  assert.ok(pages.requests.all.length > asked);
  await until(() => !isAlive(first));
  const second = await findSpare(first);
  for (const name of ['user-data-dir', 'proxy-server'])
    assert.notEqual(flagOf(second, name), flagOf(first, name), 'of its own');
  assert.equal(descendantsOf(process.pid).filter(isWorker).length, 1);
  await until(() => foldersLeft().length === 1);
});

test('a spare browser that was killed costs the next audit its time and nothing else', options, async () => {
  await audit(service, `${pages.url}/good`);
  const killed = await findSpare();
  process.kill(killed.pid, 'SIGKILL');
  assert.equal((await audit(service, `${pages.url}/good`)).status, 200);
  await findSpare(killed);
});

test('a spare browser that no longer answers is replaced, and ended', options, async () => {
  await audit(service, `${pages.url}/good`);
  const stopped = await findSpare();
  process.kill(stopped.pid, 'SIGSTOP');
  assert.equal((await audit(service, `${pages.url}/good`)).status, 200);
  await findSpare(stopped);
  assert.ok(!isAlive(stopped));
});

test('a name that does not resolve leaves the spare browser as it is', options, async () => {
  await audit(service, `${pages.url}/good`);
  const spare = await findSpare();
  assert.equal((await audit(service, 'http://name.invalid/')).status, 502);
  assert.ok(isAlive(spare));
  assert.equal((await audit(service, `${pages.url}/good`)).status, 200);
});

test('a worker that is killed under an audit takes its browser and leaves no folder', options, async () => {
  await audit(service, `${pages.url}/good`);
  const taken = await findSpare();
  const leaving = new AbortController();
  const never = fetch(new URL(withQuery('/lighthouse', { url: `${pages.url}/never` }), service.url), leaving);
  await pages.requests.waitFor(1, path => path === '/never');
  assert.ok(isAlive(taken));
  leaving.abort();
  await assert.rejects(never);
  await until(() => browsers().length === 0 && foldersLeft().length === 0);
});

test('a browser that has waited long is replaced', options, async t => {
  const service = await startService(t, { LIGHTHOUSE_SPARE: 'on', LIGHTHOUSE_CONCURRENCY: '1' }, undefined, {
    audits: { limits: { spareMs: 500 } },
  });
  await audit(service, `${pages.url}/good`);
  const old = await findSpare();
  await until(() => !isAlive(old));
  await findSpare(old);
  assert.equal((await audit(service, `${pages.url}/good`)).status, 200);
});

test(
  're-audits leave it alone, two audits at once leave two, and a service that stops leaves none',
  options,
  async t => {
    await service.close(0);
    assert.deepEqual([browsers(), foldersLeft()], [[], []]);
    const both = await startService(t, { LIGHTHOUSE_SPARE: 'on' });
    const query = { url: `${pages.url}/good`, categories: 'performance' };
    assert.equal((await ask(both, withQuery('/compare', query))).status, 200);
    await until(() => browsers().length === 2 && foldersLeft().length === 2);
    await both.close(0);
    assert.deepEqual([browsers(), foldersLeft()], [[], []]);
  },
);
