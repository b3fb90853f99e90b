/** Stored accesses, and jobs, schedules and experiments that use one, over HTTP on each engine, with simulated loads. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Access } from '../../src/contract/access/access.ts';
import type { ExperimentAnswer } from '../../src/contract/experiments/answer.ts';
import type { JobAnswer, JobFacts } from '../../src/contract/jobs/job.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import type { Sites } from '../../src/contract/stored/sites.ts';
import { maxProfiles, WrongKeyError } from '../../src/storage/access/profiles.ts';
import { ask as askPlainly, withQuery } from '../support/asking/ask.ts';
import { createSimulatedPool, type SimulatedPool } from '../support/audits/simulated-pool.ts';
import { captureLog } from '../support/captured-log.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';

/** The stores of one engine. */
export type Stores = {
  /** Returns the settings of a new, empty store. */
  create(t: TestContext): Promise<Record<string, string>>;
  /** Returns everything that the store has on its disk. */
  read(settings: Record<string, string>): Promise<Buffer>;
  /** Returns the secrets of unfinished jobs as they are stored. */
  jobSecrets(settings: Record<string, string>): Promise<string[]>;
};

const newKey = () => randomBytes(32).toString('base64');
const [mine, other] = ['a-key-of-mine-0123456789', 'another-key-0123456789'];
const site = 'https://shop.example';
const page = `${site}/account`;
const secret = 'hunter2-Sentinel11';
const access = { origins: [site], headers: { 'x-token': secret }, expect: { selector: '#account' } };

type Given = { method?: string; body?: unknown; key?: string; headers?: Record<string, string> };

/** Sends a request with a key and a JSON body. */
async function ask<T>(
  service: StartedService,
  path: string,
  { method = 'GET', body, key = mine, headers }: Given = {},
) {
  const all = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  return askPlainly<T>(service, path, {
    ...{ method, headers: all },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

type Refused = { code?: string; detail?: { loc: unknown[]; msg: string }[] | string };

const put = (service: StartedService, name: string, body: unknown = access, key = mine) =>
  ask<Refused & { name: string; origins: string[] }>(service, `/access/${name}`, { method: 'PUT', body, key });

const sayRefusal = ({ status, body }: { status: number; body: Refused }) =>
  `${status} ${body.code ?? JSON.stringify(body.detail)}`;

const asJob = { prefer: 'respond-async' };

export function testProfiles(engine: string, stores: Stores): void {
  const start = async (
    t: TestContext,
    environment: Record<string, string> = {},
    options: { pool?: SimulatedPool } & Omit<Parameters<typeof startService>[3] & object, 'pool'> = {},
  ) => {
    const pool = options.pool ?? createSimulatedPool({ durationMs: 1 });
    const settings = {
      ...(environment.DATA_DIR || environment.DATABASE_URL ? {} : await stores.create(t)),
      API_KEYS: `${mine},${other}`,
      TARGETS: 'any',
      ACCESS_KEY: newKey(),
      ...environment,
    };
    return { pool, settings, service: await startService(t, settings, undefined, { ...options, pool }) };
  };

  test(`${engine}: a stored access shows its name, origins and times, to its owner only`, async t => {
    const { service, settings } = await start(t);
    const stored = await put(service, 'admin');
    assert.equal(stored.status, 200, stored.text);
    assert.deepEqual(Object.keys(stored.body), ['name', 'origins', 'created_at', 'updated_at']);
    assert.deepEqual([stored.body.name, stored.body.origins], ['admin', [site]]);
    const [list, one] = [await ask(service, '/access'), await ask(service, '/access/admin')];
    assert.deepEqual(list.body, { profiles: [stored.body] });
    assert.deepEqual(one.body, stored.body);
    for (const { text } of [stored, list, one]) assert.ok(!text.includes(secret));
    assert.deepEqual((await ask(service, '/access', { key: other })).body, { profiles: [] });
    for (const method of ['GET', 'DELETE'])
      assert.equal(
        sayRefusal(await ask(service, '/access/admin', { key: other, method })),
        '404 access_not_found',
        method,
      );
    assert.equal(sayRefusal(await ask(service, '/access/admin', { key: 'unknown-key-01234567' })), '401 unauthorized');
    assert.ok(!(await stores.read(settings)).includes(secret));
    assert.deepEqual((await ask(service, '/access/admin', { method: 'DELETE' })).body, { removed: 1 });
    assert.equal(sayRefusal(await ask(service, '/access/admin')), '404 access_not_found');
  });

  test(`${engine}: bad input is refused with its place, repeats no secret, and stores nothing`, async t => {
    const { service } = await start(t);
    const cases: [string, unknown, RegExp][] = [
      ['a%2Fb', access, /^422 .*"path","name"/],
      ['..%2Fadmin', access, /^422 .*"path","name"/],
      ['-a', access, /^422 .*"path","name"/],
      ['x'.repeat(65), access, /^422 .*"path","name"/],
      ['admin', { ...access, origins: undefined }, /^422 .*"body","origins"/],
      ['admin', { ...access, origins: [] }, /^422 .*"body","origins"/],
      ['admin', { ...access, origins: [`${site}/path`] }, /^422 .*"body","origins"/],
      ['admin', { ...access, name: 'other' }, /^422 .*"body","name"/],
      ['admin', { ...access, headers: { 'x-token': `${secret}\r\nX: y` } }, /^422 .*"body","headers","x-token"/],
      ['admin', { ...access, cookies: [{ name: 'a', value: secret, domain: 'evil.example' }] }, /^422 .*"cookies"/],
      ['admin', { ...access, passwords: secret }, /^422/],
      ['admin', { ...access, headers: { 'x-token': 'x'.repeat(300_000) } }, /^422 .*256 KB/],
      ['admin', [access], /^422 .*"body"/],
      ['admin', { ...access, headers: { 'x-token': 'x'.repeat(10_000_000) } }, /^413/],
    ];
    for (const [name, body, refusal] of cases) {
      const answer = await put(service, name, body);
      assert.match(sayRefusal(answer), refusal, name);
      assert.ok(!answer.text.includes(secret));
    }
    assert.deepEqual((await ask(service, '/access')).body, { profiles: [] });
  });

  test(`${engine}: a client has a limited number of stored accesses`, async t => {
    const { service } = await start(t);
    for (let at = 0; at < maxProfiles.own; at += 1) assert.equal((await put(service, `user-${at}`)).status, 200);
    assert.match(sayRefusal(await put(service, 'one-more')), /^422 .*50/);
    assert.equal((await put(service, 'user-1')).status, 200, 'an access that exists is replaced');
    assert.equal((await put(service, 'one-more', access, other)).status, 200);
  });

  test(`${engine}: without ACCESS_KEY, nothing is stored or used, and stored accesses can be removed`, async t => {
    const { settings, ...before } = await start(t);
    await put(before.service, 'admin');
    await before.service.close(0);
    const { service } = await start(t, { ...settings, ACCESS_KEY: '' });
    const body = { url: page, access: 'admin' };
    assert.match(sayRefusal(await put(service, 'more')), /^422 .*ACCESS_KEY/);
    assert.match(
      sayRefusal(await ask(service, '/lighthouse', { method: 'POST', body })),
      /^422 .*"access".*ACCESS_KEY/,
    );
    assert.match(
      sayRefusal(await ask(service, '/lighthouse', { method: 'POST', body: { url: page, access }, headers: asJob })),
      /^422 .*"access".*ACCESS_KEY/,
    );
    assert.equal((await ask(service, '/access/admin', { method: 'DELETE' })).status, 200);
  });

  test(`${engine}: a wrong key is named at the start; a rotated one opens and seals again`, async t => {
    const [first, second, third] = [newKey(), newKey(), newKey()];
    const { settings, ...before } = await start(t, { ACCESS_KEY: first });
    await put(before.service, 'admin');
    await before.service.close(0);
    const wrong = start(t, { ...settings, ACCESS_KEY: second });
    await assert.rejects(wrong, (error: Error) => {
      assert.ok(error instanceof WrongKeyError, String(error));
      assert.match(error.message, /^ACCESS_KEY has none of the keys/);
      assert.ok(![first, second].some(key => error.message.includes(key)));
      return true;
    });
    const rotating = await start(t, { ...settings, ACCESS_KEY: `${second},${first}` });
    await rotating.service.close(0);
    const { service, pool } = await start(t, { ...settings, ACCESS_KEY: second });
    const body = { url: page, access: 'admin' };
    assert.equal((await ask(service, '/lighthouse', { method: 'POST', body })).status, 200);
    assert.deepEqual(pool.audits.all[0]?.request.access, { ...access, name: 'admin' });
    await ask(service, '/access/admin', { method: 'DELETE' });
    await service.close(0);
    // A lost key does not lock a store in which nothing is sealed.
    const fresh = await start(t, { ...settings, ACCESS_KEY: third });
    assert.equal((await put(fresh.service, 'admin')).status, 200);
  });

  test(`${engine}: a named access is brought to each load, and its page is one of its own`, async t => {
    const { service, pool } = await start(t);
    await put(service, 'admin');
    const measure = async (body: object) => {
      const answer = await ask<Result & Refused>(service, '/lighthouse', {
        method: 'POST',
        body: { url: page, ...body },
      });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const named = await measure({ access: 'admin' });
    assert.deepEqual(named.conditions?.access, { name: 'admin' });
    assert.deepEqual(pool.audits.all[0]?.request.access, { ...access, name: 'admin' });
    // An access of a request that has the same name is the same user.
    const given = await measure({ access: { ...access, headers: {}, name: 'admin' } });
    const visitor = await measure({});
    assert.deepEqual([given.conditions?.id, visitor.conditions], [named.conditions?.id, undefined]);
    const { body: sites } = await ask<Sites>(service, '/sites?source=lighthouse');
    const rows = sites.pages.map(({ conditions }) => conditions);
    assert.deepEqual(new Set(rows), new Set([named.conditions?.id, null]));
    const compared = await ask(
      service,
      withQuery('/compare-results', { before: String(visitor.id), after: String(named.id) }),
    );
    assert.match(compared.text, /conditions/);
    // Both sides of a comparison are private.
    const both = await ask<{ psi: Result; lighthouse: Result }>(service, '/compare', {
      ...{ method: 'POST', body: { url: page, access: 'admin' } },
    });
    assert.equal(both.status, 200, both.text);
    assert.ok(pool.audits.all.slice(-2).every(({ request }) => (request.access as Access).name === 'admin'));
  });

  test(`${engine}: an agent names an access for a measurement and an experiment`, async t => {
    const { service, pool } = await start(t);
    await put(service, 'admin');
    const call = async (name: string, values: object) => {
      const response = await fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${mine}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } }),
      });
      return response.text();
    };
    const variants = [{ block: ['ads'] }];
    assert.match(await call('measure', { url: page, access: 'nobody' }), /no stored access named 'nobody'/);
    assert.match(await call('start_experiment', { url: page, variants, access: 'nobody' }), /no stored access/);
    assert.equal(pool.audits.all.length, 0);
    for (const [name, values] of [
      ['measure', { url: page }],
      ['start_experiment', { url: page, variants }],
      ['compare_urls', { before: page, after: `${site}/next` }],
    ] as const) {
      const before = pool.audits.all.length;
      const text = await call(name, { ...values, access: 'admin' });
      assert.ok(!text.includes('isError') && !text.includes(secret), text);
      const loads = (await pool.audits.waitFor(before + 1)).slice(before);
      assert.ok(loads.every(({ request }) => (request.access as Access).name === 'admin'));
    }
  });

  test(`${engine}: a name that is unknown, of another key or for other pages starts no load`, async t => {
    const { service, pool } = await start(t);
    await put(service, 'admin');
    const send = async (path: string, body: object, key = mine, headers = {}) =>
      sayRefusal(await ask(service, path, { method: 'POST', body: { url: page, ...body }, key, headers }));
    const elsewhere = /^422 .*"access".*https:\/\/other\.example/;
    const variants = [{ block: ['ads'] }];
    const schedule = { urls: [page], interval: 'PT1H', kind: 'lighthouse', url: undefined };
    for (const [path, body, headers] of [
      ['/lighthouse', {}, {}],
      ['/compare', {}, {}],
      ['/lighthouse', {}, asJob],
      ['/experiments', { variants }, {}],
      ['/schedules', schedule, {}],
    ] as const) {
      assert.match(await send(path, { ...body, access: 'nobody' }, mine, headers), /^404 access_not_found/, path);
      assert.match(await send(path, { ...body, access: 'admin' }, other, headers), /^404 access_not_found/, path);
      assert.match(await send(path, { ...body, access: 'a/b' }, mine, headers), /^422 .*"access"/, path);
      assert.match(await send(path, { ...body, access: '*' }, mine, headers), /^422 .*"access"/, path);
      const there = 'urls' in body ? { urls: ['https://other.example/'] } : { url: 'https://other.example/' };
      assert.match(await send(path, { ...body, ...there, access: 'admin' }, mine, headers), elsewhere, path);
    }
    const variant = [{ url: 'https://other.example/' }];
    assert.match(await send('/experiments', { variants: variant, access: 'admin' }), elsewhere);
    assert.match(await send('/schedules', { ...schedule, access }), /^422 .*PUT \/access\/NAME/);
    assert.match(await send('/schedules', { ...schedule, kind: 'psi', access: 'admin' }), /^422 .*"access"/);
    assert.equal(pool.audits.all.length, 0);
    assert.deepEqual((await ask(service, '/jobs')).body, { jobs: [] });
    assert.deepEqual((await ask<KeptPage>(service, '/results')).body.results, []);
  });

  test(`${engine}: a job with an access of its own stores it sealed, and erases it with its end`, async t => {
    const { log, text } = captureLog();
    const pool = createSimulatedPool();
    const { service, settings } = await start(t, {}, { pool, log });
    const submit = async (path: string, given: object = {}, headers: Record<string, string> = {}) => {
      const body = { url: page, access, ...given };
      const answer = await ask<JobFacts>(service, path, { method: 'POST', body, headers: { ...asJob, ...headers } });
      assert.equal(answer.status, 202, answer.text);
      assert.ok(!answer.text.includes(secret));
      return answer.body.id;
    };
    const isStored = async () => (await stores.read(settings)).includes(secret);
    const idempotency = { 'idempotency-key': '"one"' };
    const job = await submit('/lighthouse', {}, idempotency);
    assert.equal(await submit('/lighthouse', {}, idempotency), job);
    const [load] = await pool.audits.waitFor(1);
    assert.deepEqual(load?.request.access, access);
    assert.equal(await isStored(), false);
    const [sealed = ''] = await stores.jobSecrets(settings);
    assert.ok(sealed.length > 100 && (await stores.read(settings)).includes(sealed));
    load?.finish();
    const ended = await readUntil(
      () => ask<JobAnswer>(service, `/jobs/${job}`),
      ({ body }) => body.state === 'succeeded',
    );
    assert.equal(ended.text.includes(secret), false);
    assert.equal((await stores.read(settings)).includes(sealed), false);

    const compared = await submit('/compare');
    const [, side] = await pool.audits.waitFor(2);
    assert.deepEqual(side?.request.access, access);
    const [cancelled = ''] = await stores.jobSecrets(settings);
    assert.equal((await ask(service, `/jobs/${compared}`, { method: 'DELETE' })).status, 200);
    assert.ok(cancelled !== '' && !(await stores.read(settings)).includes(cancelled));

    const experiment = await submit('/experiments', { variants: [{ block: ['ads'] }] });
    const isArm = ({ request }: { request: { variant?: unknown } }) => request.variant !== undefined;
    const arm = await readUntil(
      async () => pool.audits.all.find(isArm),
      found => found !== undefined,
    );
    assert.deepEqual(arm?.request.access, access);
    assert.equal(await isStored(), false);
    await ask(service, `/jobs/${experiment}`, { method: 'DELETE' });
    assert.deepEqual(await stores.jobSecrets(settings), []);
    assert.ok(!text().includes(secret));
  });

  test(`${engine}: schedules and experiments use a stored access, and fail when it is removed`, async t => {
    const clock = { nowMs: Date.now() };
    const { service, pool } = await start(t, {}, { jobs: { now: () => clock.nowMs } });
    await put(service, 'admin');
    const urls = [page, `${site}/orders`];
    const { body: schedule } = await ask<{ id: string; conditions: string }>(service, '/schedules', {
      ...{ method: 'POST', body: { urls, interval: 'PT1H', kind: 'lighthouse', access: 'admin' } },
    });
    assert.match(schedule.conditions, /^access-/);
    await ask(service, `/schedules/${schedule.id}/run`, { method: 'POST' });
    const loads = await pool.audits.waitFor(2);
    for (const { request } of loads) assert.deepEqual(request.access, { ...access, name: 'admin' });
    const run = { method: 'POST', body: { url: page, variants: [{ block: ['ads'] }], access: 'admin' } };
    const { body: experiment } = await ask<ExperimentAnswer>(service, '/experiments', run);
    const [arm] = (await pool.audits.waitFor(3)).slice(2);
    assert.deepEqual(arm?.request.access, { ...access, name: 'admin' });
    await ask(service, `/jobs/${experiment.id}`, { method: 'DELETE' });

    await ask(service, '/access/admin', { method: 'DELETE' });
    await put(service, 'admin', access, other);
    const ended = (await pool.audits.waitFor(3)).length;
    const again = async () => (await ask<{ links: { last_job: string } }>(service, `/schedules/${schedule.id}`)).body;
    const first = (await again()).links.last_job;
    await ask(service, `/schedules/${schedule.id}/run`, { method: 'POST' });
    const next = await readUntil(again, ({ links }) => links.last_job !== first);
    const job = await readUntil(
      async () => (await ask<JobAnswer>(service, next.links.last_job)).body,
      ({ state }) => state === 'failed',
    );
    assert.deepEqual(
      job.pages.map(({ error }) => error?.code),
      ['access_not_found', 'access_not_found'],
    );
    assert.equal(pool.audits.all.length, ended);
  });
}
