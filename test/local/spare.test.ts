/** The browser of the next audit waits: fresh, unused, alone in its folder, and gone with the service. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { descendantsOf, isAlive, isWorker, type Process, whyNoProcessTree } from '../leak/process-tree.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { audit, browsers, findSpare, foldersLeft, oneSlot } from './spare-browsers.ts';

const options = whyNoProcessTree ? { skip: whyNoProcessTree } : {};
const pages = await startPages({ after });
const service = await startService({ after }, oneSlot);
const flagOf = ({ command }: Process, name: string) => new RegExp(`--${name}=(\\S+)`).exec(command)?.[1];

test('an audit leaves a fresh browser for the next, which uses it and leaves another', options, async () => {
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

test(
  're-audits leave the spare browser alone, two concurrent audits leave two, and a stopping service leaves none',
  options,
  async t => {
    await service.close(0);
    assert.deepEqual([browsers(), foldersLeft()], [[], []]);
    const both = await startService(t, { LIGHTHOUSE_SPARE: 'on', LIGHTHOUSE_CONCURRENCY: '2' });
    const query = { url: `${pages.url}/good`, categories: 'performance' };
    assert.equal((await ask(both, withQuery('/compare', query))).status, 200);
    await until(() => browsers().length === 2 && foldersLeft().length === 2);
    await both.close(0);
    assert.deepEqual([browsers(), foldersLeft()], [[], []]);
  },
);
