/** A system that lets a process open few files, and callers who take what they get: audits go on. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { ask, withQuery } from '../ask.ts';
import { startPages } from '../pages.ts';
import { startListening } from '../start-process.ts';

const limit = 512;

test('with few files to open, and more connections than that, callers and audits are served', async t => {
  const pages = await startPages(t);
  const service = await startListening(t, { command: ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh'] });
  const { hostname, port } = new URL(service.url);
  const openMany = async () => {
    for (let count = 0; count < 2 * limit; count += 128)
      await Promise.all(
        Array.from({ length: 128 }, () => {
          const socket = connect(Number(port), hostname).on('error', () => {});
          t.after(() => void socket.destroy());
          return once(socket, 'connect');
        }),
      );
  };
  const audit = () => ask<Report>(service, withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' }));

  await openMany();
  const running = audit();
  await openMany();
  assert.equal((await ask(service, '/health')).status, 200);
  assert.equal((await running).status, 200);
  assert.equal((await audit()).status, 200);
});
