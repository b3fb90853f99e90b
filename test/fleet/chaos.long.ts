/** Workers, the database and whole instances go away under load, again and again. */
import { after, test } from 'node:test';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { killDatabase, killWorkers, stopInTurn } from './chaos.ts';

const postgres = await startOwnPostgres({ after }, { isKilled: true });

test('twenty workers killed during an audit cost no answer', async t => {
  const takenUpMs = await killWorkers(t, await postgres.createDatabase(), 20);
  t.diagnostic(`taken up after ${takenUpMs.map(Math.round).join(', ')} ms`);
});

test('five database outages of 10 s under load lose no stored result', async t => {
  const { counts, recoveryMs } = await killDatabase(t, postgres, { rounds: 5, goneMs: 10_000 });
  t.diagnostic(JSON.stringify({ counts, recoveryMs: recoveryMs.map(Math.round) }));
});

test('no request fails while every instance is restarted in turn, 5 times', async t => {
  for (let round = 0; round < 5; round += 1) await stopInTurn(t, await postgres.createDatabase());
});
