/** Audits go on while a process may open only a few files and clients take all they get. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startListening } from '../support/start-process.ts';

const limit = 512;

test('with a limit of open files below the number of connections, clients and audits are still served', async t => {
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

  await openMany();
  const running = ask<Result>(service, withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' }));
  await openMany();
  assert.equal((await ask(service, '/health')).status, 200);
  assert.equal((await running).status, 200);
});
