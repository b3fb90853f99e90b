/** Two hundred readers of one job, over a real PostgreSQL and the four connections that a service has for its store. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { askForJob, followJob } from './jobs.ts';

const readerCount = 200;
const pageCount = 20;
const postgres = await startOwnPostgres({ after });

test('two hundred readers of a job get every event, other clients are served, and the database has little load', async t => {
  const fake = await startFakePsi(t);
  const release = fake.hold();
  const url = await postgres.createDatabase();
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, DATABASE_URL: url });
  const urls = Array.from({ length: pageCount }, (_, at) => `https://example.com/${at}`);
  const { body: asked } = await askForJob(service, { urls, strategy: 'mobile' });
  const readers = Array.from({ length: readerCount }, async () => {
    const numbers: number[] = [];
    for await (const { id } of followJob(service, asked.id)) numbers.push(id);
    return numbers;
  });
  await fake.calls.waitFor(1);
  let isOver = false;
  const askOthers = async (): Promise<number> => {
    let answered = 0;
    for (; !isOver || answered < pageCount; answered += 1)
      for (const target of [`/jobs/${asked.id}?limit=0`, '/jobs', '/results', '/health'])
        assert.equal((await ask(service, target)).status, 200, target);
    return answered;
  };
  const others = askOthers();
  release();
  const expected = Array.from({ length: pageCount + 1 }, (_, at) => at + 1);
  for (const numbers of await Promise.all(readers)) assert.deepEqual(numbers, expected);
  isOver = true;
  assert.ok((await others) >= pageCount);
  // The server counts what a connection has read only when the connection ends.
  await service.close(0);
  const sql = "SELECT seq_scan + idx_scan AS scans FROM pg_stat_user_tables WHERE relname = 'job_events'";
  const [{ scans } = {}] = await postgres.query(url, sql);
  assert.ok(Number(scans) > 0 && Number(scans) < readerCount, `${scans} scans`);
});
