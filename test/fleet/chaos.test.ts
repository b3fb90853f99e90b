/** One of each; chaos.long.ts does them again and again. */
import { after, test } from 'node:test';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { killDatabase, killWorkers, stopInTurn } from './chaos.ts';

const postgres = await startOwnPostgres({ after }, { isKilled: true });

test('a worker that is killed in an audit costs time, not the answer', async t => {
  await killWorkers(t, await postgres.createDatabase(), 1);
});

test('a database that is killed under load costs no kept result, and the fleet works again by itself', async t => {
  await killDatabase(t, postgres, { rounds: 1, goneMs: 3000 });
});

test('no request fails while every instance is stopped and started in turn', async t => {
  await stopInTurn(t, await postgres.createDatabase());
});
