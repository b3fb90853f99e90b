/** What else may happen to a browser that waits: see spare.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isAlive, whyNoProcessTree } from '../leak/process-tree.ts';
import { withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { audit, browsers, findSpare, foldersLeft, oneSlot } from './spare-browsers.ts';

const options = whyNoProcessTree ? { skip: whyNoProcessTree } : {};
const pages = await startPages({ after });
const service = await startService({ after }, oneSlot);

test('a spare browser that no longer responds is ended and replaced', options, async () => {
  await audit(service, `${pages.url}/good`);
  const stopped = await findSpare();
  process.kill(stopped.pid, 'SIGSTOP');
  assert.equal((await audit(service, `${pages.url}/good`)).status, 200);
  await findSpare(stopped);
  assert.ok(!isAlive(stopped));
});

test('a name that does not resolve leaves the spare browser unchanged', options, async () => {
  await audit(service, `${pages.url}/good`);
  const spare = await findSpare();
  assert.equal((await audit(service, 'http://name.invalid/')).status, 502);
  assert.ok(isAlive(spare));
  assert.equal((await audit(service, `${pages.url}/good`)).status, 200);
});

test('a killed spare browser only delays the next audit', options, async () => {
  await audit(service, `${pages.url}/good`);
  const killed = await findSpare();
  process.kill(killed.pid, 'SIGKILL');
  assert.equal((await audit(service, `${pages.url}/good`)).status, 200);
  await findSpare(killed);
});

test('a worker killed during an audit takes its browser along and leaves no folder behind', options, async () => {
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

test('an old spare browser is replaced', options, async t => {
  await service.close(0);
  const short = await startService(t, oneSlot, undefined, {
    audits: { limits: { spareMs: 500 } },
  });
  await audit(short, `${pages.url}/good`);
  const old = await findSpare();
  await until(() => !isAlive(old));
  await findSpare(old);
  assert.equal((await audit(short, `${pages.url}/good`)).status, 200);
});
