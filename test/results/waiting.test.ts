/** Results waiting to be written to the database: their links work, and neither a stop nor a kill loses them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { createOwnSchedule } from '../support/surroundings/own-schedule.ts';
import { readUntil } from '../support/until.ts';

const scope = { after };
const fake = await startFakePsi(scope);
const postgres = await startOwnPostgres(scope);

type Answer = Result & { id: string; links: Record<string, string> };

const measure = (service: { url: string }, page: string) =>
  ask<Answer>(service, withQuery('/psi', { url: `https://example.com/${page}`, strategy: 'mobile' }));

async function assertLinksWork(service: { url: string }, { id, links }: Pick<Answer, 'id' | 'links'>): Promise<void> {
  assert.equal((await ask<Answer>(service, links.self ?? '')).body.id, id);
  for (const path of [...Object.values(links), `/results/${id}?detailed=true`]) {
    const answer = await fetch(service.url + path);
    await answer.arrayBuffer();
    assert.equal(answer.status, 200, path);
  }
}

const waitingIn = (dataDir: string): string[] =>
  existsSync(join(dataDir, 'waiting', 'postgres')) ? readdirSync(join(dataDir, 'waiting', 'postgres')) : [];
const isOver = ({ body }: { body: Health }): boolean => body.results.waiting === 0 && body.results.state === 'ok';

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`waiting results are read from memory, and outlive ${signal} and a start without a database`, async t => {
    const url = await postgres.createDatabase();
    const dataDir = makeScratchFolder(t);
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      PSI_ENDPOINT: fake.endpoint,
      SHUTDOWN_GRACE: '0',
      ...withoutBrowser,
    };
    const first = await startListening(t, { environment });
    await measure(first, 'before');
    await postgres.stop();
    const answers: Answer[] = [];
    for (let at = 0; at < 10; at += 1) answers.push((await measure(first, `${signal}-${at}`)).body);
    for (const answer of answers) await assertLinksWork(first, answer);
    first.child.kill(signal);
    await first.exited;
    const names = waitingIn(dataDir);
    assert.equal(names.length, 10);
    for (const name of names) assert.equal(statSync(join(dataDir, 'waiting', 'postgres', name)).mode & 0o077, 0);
    const second = await startListening(t, { environment });
    for (const answer of answers) await assertLinksWork(second, answer);
    second.child.kill('SIGKILL');
    await second.exited;
    await postgres.start();
    const third = await startListening(t, { environment });
    await readUntil(() => ask<Health>(third, '/health'), isOver);
    for (const answer of answers) await assertLinksWork(third, answer);
    const rows = await postgres.query(url, 'SELECT count(*)::int AS count FROM rangelight.results');
    assert.deepEqual([rows, waitingIn(dataDir)], [[{ count: 11 }], []]);
  });

/** A store whose database cannot be reached. */
async function openWaiting(dataDir: string, databaseUrl = 'postgresql://127.0.0.1:1/none') {
  const events: { event: string }[] = [];
  const { schedule, runUntil } = createOwnSchedule();
  const store = await openResultStore({ dataDir, databaseUrl }, { schedule, onEvent: event => events.push(event) });
  return { store, events, runUntil };
}

test('a result that is removed while it waits is not written by any process', async t => {
  const dataDir = makeScratchFolder(t);
  const [one, other] = [buildEntry(), buildEntry()];
  const first = await openWaiting(dataDir);
  for (const entry of [one, other]) await first.store.keep(entry);
  const url = await postgres.createDatabase();
  // Both stores know the two entries now.
  const second = await openWaiting(dataDir);
  assert.equal(second.store.status().waiting, 2);
  await assert.rejects(first.store.forget(one.id), { code: 'unavailable' });
  await Promise.all([first.store.close(), second.store.close()]);
  const { store } = await openWaiting(dataDir, url);
  t.after(() => store.close());
  assert.deepEqual([await store.get(one.id), (await store.get(other.id))?.id], [undefined, other.id]);
  assert.deepEqual([store.status().waiting, store.status().entries], [0, 1]);
});

test('artifacts of a result that waits in one service are not removed by another one', async t => {
  const dataDir = makeScratchFolder(t);
  const other = await openWaiting(dataDir, await postgres.createDatabase());
  const waits = await openWaiting(dataDir);
  t.after(() => Promise.all([other.store.close(), waits.store.close()]).then(() => {}));
  const trace = join(makeScratchFolder(t), 'trace.json');
  writeFileSync(trace, '{"traceEvents":[]}');
  const entry = buildEntry();
  const artifactBytes = await waits.store.takeArtifacts(entry.id, { trace });
  await waits.store.keep({ ...entry, artifactBytes });
  // The first sweep compresses them, which changes the folder.
  await other.store.sweep({});
  const folder = join(dataDir, 'artifacts', entry.id);
  const hoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
  utimesSync(folder, hoursAgo, hoursAgo);
  await other.store.sweep({});
  assert.ok(existsSync(folder));
});

test('two processes that recover the same results write each of them once', async t => {
  const dataDir = makeScratchFolder(t);
  const first = await openWaiting(dataDir);
  const entries = Array.from({ length: 20 }, () => buildEntry());
  for (const entry of entries) await first.store.keep(entry);
  await first.store.close();
  const url = await postgres.createDatabase();
  const stores = await Promise.all([1, 2, 3].map(async () => (await openWaiting(dataDir, url)).store));
  for (const store of stores) t.after(() => store.close());
  for (const { id } of entries) assert.equal((await stores[0]?.get(id))?.id, id);
  assert.deepEqual(waitingIn(dataDir), []);
  assert.equal((await stores[1]?.list({ limit: 100 }))?.results.length, 20);
});

test('a file with a missing part is moved aside, and costs no other', async t => {
  const dataDir = makeScratchFolder(t);
  const [cut, good] = [buildEntry(), buildEntry()];
  const first = await openWaiting(dataDir);
  for (const entry of [cut, good]) await first.store.keep(entry);
  await first.store.close();
  writeFileSync(join(dataDir, 'waiting', 'postgres', `${cut.id}.json`), '{"id":"');
  const { store, events } = await openWaiting(dataDir, await postgres.createDatabase());
  t.after(() => store.close());
  assert.deepEqual([await store.get(cut.id), (await store.get(good.id))?.id], [undefined, good.id]);
  assert.deepEqual(events, [{ event: 'dropped', id: cut.id, reason: 'The file in which it waited cannot be read.' }]);
  assert.equal(store.status().lost, 1);
  assert.deepEqual(waitingIn(dataDir), [`${cut.id}.json.unreadable`]);
});

test('results that can be neither written nor spilled are counted, and reported when the service stops', async t => {
  const folder = join(makeScratchFolder(t), 'data');
  const { store, events } = await openWaiting(folder);
  writeFileSync(folder, 'in the way');
  const entry = buildEntry();
  const kept = await store.keep(entry);
  assert.ok(!kept.kept && kept.isWaiting, 'it waits in memory');
  assert.equal((await store.get(entry.id))?.id, entry.id);
  await store.close();
  assert.deepEqual(
    events.filter(({ event }) => event === 'dropped').map(event => 'id' in event && event.id),
    [entry.id],
  );
  assert.equal(store.status().lost, 1);
});
