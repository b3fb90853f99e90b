/** The queue of a fleet: a real PostgreSQL, and audits that end when the test says so. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AnalysisError } from '../../src/contract/errors.ts';
import { forgetTurns } from '../../src/fleet/queue/statements.ts';
import type { SimulatedAudit } from '../support/audits/simulated-pool.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { readUntil, until } from '../support/until.ts';
import { type Instance, openInstance, toRequest } from './fleet.ts';

const postgres = await startOwnPostgres({ after });

type Asked = ReturnType<Instance['ask']>;

const rowsOf = (url: string) => postgres.query(url, 'SELECT * FROM rangelight_fleet.audits');

/** Settles once `count` audits are in the queue, running ones included. */
async function whenQueued({ database }: Instance, count: number): Promise<void> {
  await until(async () => (await database.query('SELECT count(*) AS count FROM audits')).rows[0]?.count === count);
}

/**
 * Finishes each audit once the next is waited for.
 * @returns the pages in the order in which a worker with one slot takes them
 */
async function takeAll({ pool }: Instance, count: number): Promise<string[]> {
  for (let at = 1; at <= count; at += 1) (await pool.audits.waitFor(at))[at - 1]?.finish();
  return pool.audits.all.map(({ request }) => request.url);
}

test('an audit requested on a machine without a browser runs on another one', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const events: { event: string }[] = [];
  const asked = api.ask('https://page.test/1', { client: 'me', onProgress: progress => events.push(progress) });
  const [audit] = await worker.pool.audits.waitFor(1);
  assert.equal(audit?.request.url, 'https://page.test/1');
  // The end of an audit may arrive before the notice of its start.
  await until(() => events.some(({ event }) => event === 'started'));
  audit?.finish();
  const { value } = await asked;
  assert.deepEqual([value.url, value.attempt], ['https://page.test/1', 1]);
  assert.equal(value.conditions.machineId, '0123456789abcdef');
  assert.deepEqual(
    events.filter(({ event }) => event !== 'progress'),
    [{ event: 'started' }],
  );
  await whenQueued(api, 0);
});

test('each machine runs as many audits as it has slots, and an audit goes to a free slot', async t => {
  const url = await postgres.createDatabase();
  const [one, two] = [await openInstance(t, url, { role: 'worker' }), await openInstance(t, url, { role: 'worker' })];
  const api = await openInstance(t, url, { role: 'api' });
  const asked = ['a', 'b', 'c', 'd', 'e'].map(name => api.ask(`https://page.test/${name}`));
  await Promise.all([one.pool.audits.waitFor(2), two.pool.audits.waitFor(2)]);
  two.pool.audits.all[0]?.finish();
  await two.pool.audits.waitFor(3);
  assert.equal(one.pool.audits.all.length, 2);
  for (const { finish } of [...one.pool.audits.all, ...two.pool.audits.all]) finish();
  const pages = (await Promise.all(asked)).map(({ value }) => value.url);
  assert.deepEqual(
    pages,
    ['a', 'b', 'c', 'd', 'e'].map(name => `https://page.test/${name}`),
  );
});

test('an error passes through the queue unchanged', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = api.ask();
  const [audit] = await worker.pool.audits.waitFor(1);
  audit?.finish(new AnalysisError('page_error', 'The page returned status 503.', { pageStatus: 503 }));
  await assert.rejects(asked, { code: 'page_error', pageStatus: 503, message: 'The page returned status 503.' });
});

test('a failed page is reported by the machine that measured it', async t => {
  const url = await postgres.createDatabase();
  const failure = new AnalysisError('page_blank', 'The page painted nothing.').toPlain();
  const checkPage = () => async () => ({ failure, isNonsense: false });
  const worker = await openInstance(t, url, { role: 'worker', checkPage });
  const api = await openInstance(t, url, { role: 'api' });
  let isRead = false;
  const readPage = async () => {
    isRead = true;
    return {};
  };
  const asked = api.analyser.audit(toRequest('https://page.test/blank'), readPage, new AbortController().signal);
  (await worker.pool.audits.waitFor(1))[0]?.finish();
  await assert.rejects(asked, { code: 'page_blank' });
  // The worker found the fault, so no result arrived here to be read.
  assert.equal(isRead, false);
});

test('a client that disconnects ends its audit, running or queued', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const [first, second] = [new AbortController(), new AbortController()];
  const running = api.ask('https://page.test/1', {}, first.signal);
  const [audit] = (await worker.pool.audits.waitFor(1)) as [SimulatedAudit];
  const waiting = api.ask('https://page.test/2', {}, second.signal);
  await whenQueued(api, 2);
  second.abort(new Error('left'));
  await assert.rejects(waiting, /left/);
  await whenQueued(api, 1);
  const ended = new Promise(resolve => audit.signal.addEventListener('abort', resolve));
  first.abort(new Error('left, too'));
  await assert.rejects(running, /left, too/);
  await ended;
  await whenQueued(api, 0);
  const third = api.ask('https://page.test/3');
  (await worker.pool.audits.waitFor(2))[1]?.finish();
  assert.equal((await third).value.url, 'https://page.test/3');
});

test('a thousand pages of one client do not delay the single page of another', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api', waitingPerMachine: 2000 });
  const many = Array.from({ length: 1000 }, (_, at) => api.ask(`https://many.test/${at}`, { client: 'many' }));
  await whenQueued(api, 1000);
  const single = api.ask('https://single.test/', { client: 'single' });
  await whenQueued(api, 1001);
  const order = await takeAll(worker, 3);
  // One audit was running already, and the turn after it may have been taken.
  assert.ok(order.indexOf('https://single.test/') > 0, order.join());
  assert.equal((await single).value.url, 'https://single.test/');
  void Promise.allSettled(many);
});

test("clients take turns, and each client's audits are first come, first served", async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = [api.ask('https://page.test/first', { client: 'x' })];
  await worker.pool.audits.waitFor(1);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
    asked.push(api.ask(`https://page.test/${name}`, { client: name.slice(0, 1) }));
    await whenQueued(api, asked.length);
  }
  const order = (await takeAll(worker, 7)).map(page => page.replace('https://page.test/', ''));
  assert.deepEqual(order, ['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  await Promise.all(asked);
});

test('a single page precedes a batch, even of the same client', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = [api.ask('https://page.test/first')];
  await worker.pool.audits.waitFor(1);
  for (const name of ['batch1', 'batch2', 'person']) {
    asked.push(api.ask(`https://page.test/${name}`, { client: 'me', isBatch: name.startsWith('batch') }));
    await whenQueued(api, asked.length);
  }
  const order = (await takeAll(worker, 4)).map(page => page.replace('https://page.test/', ''));
  assert.deepEqual(order, ['first', 'person', 'batch1', 'batch2']);
  await Promise.all(asked);
});

test('the queue is bounded for the whole fleet, and a full one gives Retry-After', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1, waitingPerMachine: 1 });
  const api = await openInstance(t, url, { role: 'api', waitingPerMachine: 1 });
  const running = api.ask('https://page.test/1');
  await worker.pool.audits.waitFor(1);
  const waiting = api.ask('https://page.test/2');
  await whenQueued(api, 2);
  await assert.rejects(api.ask('https://page.test/3'), { code: 'queue_full', retryAfterSeconds: 20 });
  // A later run of a request that had a slot.
  const later = api.ask('https://page.test/4', { isAdmitted: true });
  await whenQueued(api, 3);
  // Another machine makes room for another audit.
  await openInstance(t, url, { role: 'worker', slots: 1, waitingPerMachine: 1 });
  for (const { finish } of await worker.pool.audits.waitFor(1)) finish();
  await running;
  for (const asked of [waiting, later]) void asked.catch(() => {});
});

test('an exclusive audit runs alone on its machine, and the other machines continue', async t => {
  const url = await postgres.createDatabase();
  const alone = await openInstance(t, url, { role: 'worker', slots: 2 });
  const api = await openInstance(t, url, { role: 'api' });
  const exclusive = api.ask('https://page.test/exclusive', {}, undefined, { exclusive: true });
  const [audit] = (await alone.pool.audits.waitFor(1)) as [SimulatedAudit];
  assert.equal(audit.request.exclusive, true);
  const next = api.ask('https://page.test/next');
  const other = await openInstance(t, url, { role: 'worker', slots: 2 });
  (await other.pool.audits.waitFor(1))[0]?.finish();
  assert.equal((await next).value.url, 'https://page.test/next');
  assert.equal(alone.pool.audits.all.length, 1);
  audit.finish();
  await exclusive;
});

test('in a full queue the client with the most audits makes room for one with fewer', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api', waitingPerMachine: 3 });
  const asked = [api.ask('https://page.test/running', { client: 'many' })];
  await worker.pool.audits.waitFor(1);
  for (const at of [1, 2, 3]) {
    asked.push(api.ask(`https://page.test/${at}`, { client: 'many' }));
    await whenQueued(api, asked.length);
  }
  const [running, first, second, last] = asked as [Asked, Asked, Asked, Asked];
  const single = api.ask('https://page.test/single', { client: 'single' });
  await assert.rejects(last, { code: 'queue_full', message: /make room for another client/ });
  // Now both clients have used their share.
  await assert.rejects(api.ask('https://page.test/4', { client: 'many' }), { code: 'queue_full' });
  const order = (await takeAll(worker, 4)).map(page => page.replace('https://page.test/', ''));
  assert.deepEqual(order, ['running', '1', 'single', '2']);
  await Promise.all([running, first, second, single]);
});

test('in a full queue a page of a list displaces no single request, and a single request displaces pages of lists first', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api', waitingPerMachine: 5 });
  const asked = [api.ask('https://page.test/running', { client: 'people' })];
  await worker.pool.audits.waitFor(1);
  for (const name of ['1', '2', '3', 'list1', 'list2']) {
    const isBatch = name.startsWith('list');
    asked.push(api.ask(`https://page.test/${name}`, { client: isBatch ? 'list' : 'people', isBatch }));
    await whenQueued(api, asked.length);
  }
  const last = asked.pop() as Asked;
  const single = api.ask('https://page.test/single', { client: 'other' });
  await assert.rejects(last, { code: 'queue_full', message: /make room for another client/ });
  await assert.rejects(api.ask('https://page.test/batch', { client: 'third', isBatch: true }), { code: 'queue_full' });
  const order = (await takeAll(worker, 6)).map(page => page.replace('https://page.test/', ''));
  assert.deepEqual(order, ['running', '1', 'single', '2', '3', 'list1']);
  await Promise.all([...asked, single]);
});

test('the client gets its position in the queue', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const running = api.ask('https://page.test/1');
  const [audit] = (await worker.pool.audits.waitFor(1)) as [SimulatedAudit];
  const positions: number[] = [];
  const moved = Promise.withResolvers<void>();
  const second = api.ask('https://page.test/2', { client: 'b' });
  await whenQueued(api, 2);
  const third = api.ask('https://page.test/3', {
    client: 'b',
    onProgress(progress) {
      if (progress.event === 'queued') positions.push(progress.position);
      if (positions.length === 2) moved.resolve();
    },
  });
  await whenQueued(api, 3);
  audit.finish();
  await worker.pool.audits.waitFor(2);
  await moved.promise;
  assert.deepEqual(positions, [2, 1]);
  await takeAll(worker, 3);
  await Promise.all([running, second, third]);
});

test('instances with different TARGETS have separate queues', async t => {
  const url = await postgres.createDatabase();
  const open = await openInstance(t, url, { role: 'worker', targets: 'any' });
  const strict = await openInstance(t, url, { role: 'worker', targets: 'public' });
  const api = await openInstance(t, url, { role: 'api', targets: 'public' });
  const asked = api.ask();
  (await strict.pool.audits.waitFor(1))[0]?.finish();
  await asked;
  assert.equal(open.pool.audits.all.length, 0);
});

test('artifacts are audited again, and released, on the machine that has them', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = api.ask('https://page.test/', { keepArtifacts: true });
  (await worker.pool.audits.waitFor(1))[0]?.finish();
  const { artifacts = '' } = await asked;
  assert.equal(api.analyser.filesOf(artifacts), undefined);
  assert.deepEqual(await api.analyser.reAudit(artifacts, [{}, {}], new AbortController().signal), [{}, {}]);
  assert.deepEqual(worker.pool.reAudited, [...worker.pool.artifacts]);
  await api.analyser.release(artifacts);
  await until(() => worker.pool.artifacts.size === 0);
  await assert.rejects(api.analyser.reAudit(artifacts, [{}], new AbortController().signal), {
    code: 'lighthouse_unavailable',
  });
});

test('artifacts of a machine that is gone cannot be audited again', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = api.ask('https://page.test/', { keepArtifacts: true });
  (await worker.pool.audits.waitFor(1))[0]?.finish();
  const { artifacts = '' } = await asked;
  await worker.close();
  await assert.rejects(api.analyser.reAudit(artifacts, [{}], new AbortController().signal), {
    code: 'lighthouse_unavailable',
    message: /could not be audited again/,
  });
});

test('a stopping machine finishes its running audits, and accepts no new ones', async t => {
  const url = await postgres.createDatabase();
  const stopping = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const first = api.ask('https://page.test/1');
  const [audit] = (await stopping.pool.audits.waitFor(1)) as [SimulatedAudit];
  const second = api.ask('https://page.test/2');
  await whenQueued(api, 2);
  const closed = stopping.close(60_000);
  const other = await openInstance(t, url, { role: 'worker', slots: 1 });
  (await other.pool.audits.waitFor(1))[0]?.finish();
  audit.finish();
  assert.deepEqual(
    (await Promise.all([first, second])).map(({ value }) => [value.url, value.attempt]),
    [
      ['https://page.test/1', 1],
      ['https://page.test/2', 1],
    ],
  );
  await closed;
  assert.equal(stopping.pool.audits.all.length, 1);
});

test('an audit that a machine cannot finish within its grace period is taken over by another', async t => {
  const url = await postgres.createDatabase();
  const stopping = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = api.ask();
  await stopping.pool.audits.waitFor(1);
  await stopping.close(0);
  const other = await openInstance(t, url, { role: 'worker', slots: 1 });
  (await other.pool.audits.waitFor(1))[0]?.finish();
  assert.equal((await asked).value.attempt, 2);
});

test('Retry-After is computed from earlier audits', async t => {
  const url = await postgres.createDatabase();
  const all = await openInstance(t, url, { slots: 1, waitingPerMachine: 0 });
  const first = all.ask();
  (await all.pool.audits.waitFor(1))[0]?.finish();
  await first;
  const readStay = async () => (await postgres.query(url, 'SELECT stay_ms FROM rangelight_fleet.instances'))[0];
  await readUntil(readStay, row => row?.stay_ms != null);
  const running = all.ask();
  await all.pool.audits.waitFor(2);
  // The earlier audits took no time.
  await assert.rejects(all.ask(), { code: 'queue_full', retryAfterSeconds: 1 });
  all.pool.audits.all[1]?.finish();
  await running;
});

/** Makes a worker look as if it had been silent for longer than its lease. */
const loseWorker = (url: string) => postgres.query(url, "UPDATE rangelight_fleet.audits SET worker = 'lost'");

test('an audit of a silent worker goes to another one, once, and a late result of the first is discarded', async t => {
  const url = await postgres.createDatabase();
  const silent = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = api.ask('https://page.test/', { keepArtifacts: true });
  const [first] = (await silent.pool.audits.waitFor(1)) as [SimulatedAudit];
  const other = await openInstance(t, url, { role: 'worker', slots: 1 });
  const isAborted = new Promise(resolve => first.signal.addEventListener('abort', resolve));
  await loseWorker(url);
  await readUntil(
    () => rowsOf(url),
    ([row]) => row?.attempt === 2,
  );
  const taken = [...silent.pool.audits.all.slice(1), ...other.pool.audits.all];
  assert.equal(taken.length, 1);
  await isAborted;
  taken[0]?.finish();
  assert.equal((await asked).value.attempt, 2);
});

test('an audit whose second worker is lost is not retried', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = assert.rejects(api.ask(), { code: 'lighthouse_unavailable', message: /^Two workers stopped/ });
  await worker.pool.audits.waitFor(1);
  await loseWorker(url);
  await worker.pool.audits.waitFor(2);
  await loseWorker(url);
  await asked;
  assert.equal(worker.pool.audits.all.length, 2);
});

test('turns of clients without waiting audits are removed', async t => {
  const url = await postgres.createDatabase();
  const all = await openInstance(t, url, { slots: 1 });
  const turns = async () =>
    (await postgres.query(url, 'SELECT client FROM rangelight_fleet.turns ORDER BY client')).map(
      ({ client }) => client,
    );
  const running = all.ask('https://page.test/1', { client: 'a' });
  await all.pool.audits.waitFor(1);
  const waiting = ['b', 'c', 'c'].map((client, at) => all.ask(`https://page.test/${at}`, { client }));
  await whenQueued(all, 4);
  await forgetTurns(all.database);
  // The turn of `a` is gone if the service's own sweep at its start came before `b` waited.
  assert.deepEqual(
    (await turns()).filter(client => client !== 'a'),
    ['b', 'c'],
  );
  // The second audit of `c` has the next turn, because `c` has had one audit more than the others.
  await takeAll(all, 2);
  await all.pool.audits.waitFor(3);
  await forgetTurns(all.database);
  assert.deepEqual(await turns(), ['c']);
  await takeAll(all, 4);
  await Promise.all([running, ...waiting]);
  await forgetTurns(all.database);
  assert.deepEqual(await turns(), []);
});

test('an audit takes five statements', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = Array.from({ length: 10 }, (_, at) => api.ask(`https://page.test/${at}`));
  await takeAll(worker, 10);
  await Promise.all(asked);
  await whenQueued(api, 0);
  const count = (pattern: RegExp) =>
    [...api.statements, ...worker.statements].filter(sql => pattern.test(sql.replaceAll(/\s+/g, ' '))).length;
  const [enter, deliver] = [/INSERT INTO audits/, /SET outcome = \$4/];
  const [read, remove] = [/^SELECT outcome/, /^DELETE FROM audits WHERE id = \$1$/];
  assert.deepEqual([enter, deliver, read, remove].map(count), [10, 10, 10, 10]);
  // One claim per audit, plus the looks that find nothing.
  const claims = count(/WHERE queue = \$1 AND worker IS NULL AND .* ORDER BY is_batch, turn, number LIMIT/);
  assert.ok(claims >= 10 && claims < 20, `${claims} claims`);
});

test('an outcome that cannot be decoded fails the request, and leaves no row behind', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  await postgres.query(
    url,
    `CREATE FUNCTION damage() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN IF NEW.outcome IS NOT NULL THEN NEW.content := '\\x00'; END IF; RETURN NEW; END $$`,
  );
  await postgres.query(
    url,
    'CREATE TRIGGER damage BEFORE UPDATE ON rangelight_fleet.audits FOR EACH ROW EXECUTE FUNCTION damage()',
  );
  const asked = api.ask();
  await takeAll(worker, 1);
  await assert.rejects(asked, { code: 'queue_unavailable' });
  await whenQueued(api, 0);
});

/** Makes the database refuse to remove audits until the returned function is called. */
async function refuseRemoval(url: string): Promise<() => Promise<unknown>> {
  await postgres.query(
    url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER refuse BEFORE DELETE ON rangelight_fleet.audits FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  return () => postgres.query(url, 'DROP TRIGGER refuse ON rangelight_fleet.audits');
}

test('a row that cannot be removed at once is removed later, and artifacts that a client has got stay', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const accept = await refuseRemoval(url);
  const asked = api.ask('https://page.test/collected', { keepArtifacts: true });
  (await worker.pool.audits.waitFor(1))[0]?.finish();
  const { artifacts } = await asked;
  assert.notEqual(artifacts, undefined);
  assert.equal((await rowsOf(url)).length, 1);
  await accept();
  await whenQueued(api, 0);
  assert.equal(worker.pool.artifacts.size, 1);
});

test('an audit whose removal failed is removed later, with its artifacts', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const accept = await refuseRemoval(url);
  const left = new AbortController();
  const asked = api.ask('https://page.test/left', { keepArtifacts: true }, left.signal);
  const [audit] = await worker.pool.audits.waitFor(1);
  left.abort(new Error('left'));
  await assert.rejects(asked, /left/);
  audit?.finish();
  await readUntil(
    () => rowsOf(url),
    ([row]) => row?.outcome != null,
  );
  assert.equal(worker.pool.artifacts.size, 1);
  await accept();
  await whenQueued(api, 0);
  await until(() => worker.pool.artifacts.size === 0);
});

test('no row is left behind', async t => {
  const url = await postgres.createDatabase();
  const all = await openInstance(t, url);
  const asked = all.ask();
  (await all.pool.audits.waitFor(1))[0]?.finish();
  await asked;
  await all.close();
  assert.deepEqual(await rowsOf(url), []);
  assert.deepEqual(await postgres.query(url, 'SELECT * FROM rangelight_fleet.instances'), []);
});
