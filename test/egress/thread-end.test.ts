/** If the thread of the egress proxies ends, for example out of memory, the next audit starts a new one. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AnalysisError } from '../../src/contract/errors.ts';
import { createGateThread } from '../../src/measure/egress/gate-thread.ts';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { startPages } from '../support/sites/pages.ts';

const pages = await startPages({ after });
const signal = new AbortController().signal;

test('an audit fails with its thread as a fault of this machine, and the next one has a new thread', async t => {
  const thread = createGateThread({ targets: 'any', ownPort: () => 0, hidesInside: false, note: () => {} });
  const pool = createOwnPool({ openGate: thread.openGate, hasSpare: true });
  t.after(async () => {
    await pool.close(0);
    await thread.close();
  });
  const audit = (path: string) =>
    pool.audit(
      {
        url: `${pages.url}/${path}`,
        strategy: 'mobile',
        categories: ['performance'],
        profile: 'lighthouse',
        locale: 'en-US',
      },
      readOwnPage,
      signal,
    );
  assert.ok((await audit('good')).value);
  const cut = audit('never');
  await pages.requests.waitFor(1, path => path === '/never');
  const isOfMachine = (error: unknown) => error instanceof AnalysisError && error.code === 'lighthouse_unavailable';
  const ended = assert.rejects(cut, isOfMachine);
  await thread.close();
  await ended;
  assert.ok((await audit('good?again')).value);
  // The spare browser now uses a proxy of the thread that ends here.
  await thread.close();
  assert.ok((await audit('good?once-more')).value);
});
