/**
 * Retention: which process removes which results, by which limits and clock. Real processes on one store, some with a
 * wrong clock.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { ScheduleFacts } from '../../src/contract/jobs/schedule.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { runCli, runCliProcess } from '../cli/run-cli.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const fake = await startFakePsi({ after });
const postgres = await startOwnPostgres({ after });

type Store = { environment: Record<string, string>; write(sql: string): Promise<void> };

const engines: Readonly<Record<string, (scope: Scope) => Promise<Store>>> = {
  async SQLite(scope) {
    const folder = makeScratchFolder(scope);
    return {
      environment: { PSI_ENDPOINT: fake.endpoint, DATA_DIR: folder },
      async write(sql) {
        const database = new DatabaseSync(join(folder, 'results.sqlite'), { timeout: 5000 });
        database.exec(sql);
        database.close();
      },
    };
  },
  async PostgreSQL() {
    const url = await postgres.createDatabase();
    return {
      environment: { PSI_ENDPOINT: fake.endpoint, DATABASE_URL: url, TARGETS: 'public' },
      write: async sql => void (await postgres.query(url, `SET search_path = rangelight; ${sql}`)),
    };
  },
};

const measure = async (service: { url: string }, name: string): Promise<string> => {
  const page = { url: `https://example.com/${name}`, strategy: 'mobile' };
  return (await ask<Result>(service, withQuery('/psi', page))).body.id ?? assert.fail('not kept');
};

const readMetric = async (service: { url: string }, name: string): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find(line => line.startsWith(`rangelight_${name} `))
      ?.split(' ')[1],
  );
};

/** The environment of a command on the same store: a command does not read DATABASE_URL. */
const toCommand = ({ DATABASE_URL = '', ...others }: Readonly<Record<string, string>>) => ({
  ...others,
  RANGELIGHT_DATABASE_URL: DATABASE_URL,
});

/** Older than the default limits allow, but not than those of a service that stores results for ten years. */
const toOld = (id: string): string => `UPDATE results SET stored_at = ${Date.now() - 200 * dayMs} WHERE id = '${id}'`;

/** Returns undefined while the store cannot be read. */
const countOf = async (service: { url: string }): Promise<number | undefined> =>
  (await ask<{ results?: unknown[] }>(service, '/results')).body.results?.length;

const whenSwept = (service: { url: string }): Promise<void> =>
  // A service that ends in the middle of a sweep postpones the next one by ten minutes.
  until(async () => (await readMetric(service, 'retention_sweeps')) >= 1, { limitMs: 900_000 });

for (const [name, openStore] of Object.entries(engines)) {
  test(`${name}: neither a command nor a service with default limits removes what another service wants to keep`, async t => {
    const store = await openStore(t);
    const first = await startListening(t, {
      environment: { ...store.environment, ...withoutBrowser, KEEP_DAYS: '3650' },
    });
    const ids = [await measure(first, 'a'), await measure(first, 'b'), await measure(first, 'c')];
    await whenSwept(first);
    const changed = first.output.all.find(line => line.includes('KEEP_DAYS'));
    assert.match(changed ?? '', /"setting":"KEEP_DAYS","from":"90 days","to":"3650 days"/);
    first.child.kill('SIGTERM');
    await first.exited;
    for (const id of ids.slice(1)) await store.write(toOld(id));
    const { code, stdout } = await runCliProcess(t, ['history', 'https://example.com/a', '--source', 'psi'], {
      environment: { ...toCommand(store.environment), KEEP_DAYS: '1' },
    });
    assert.equal(code, 0, stdout);
    const others = name === 'SQLite' ? [{}] : [{}, { ROLE: 'worker', KEEP_DAYS: '1' }];
    for (const other of others) {
      const service = await startListening(t, { environment: { ...store.environment, ...withoutBrowser, ...other } });
      if (!('ROLE' in other)) await whenSwept(service);
      service.child.kill('SIGTERM');
      await service.exited;
    }
    const last = await startService(t, store.environment);
    // A service that ends in the middle of a sweep postpones the next one.
    await whenSwept(last);
    await until(async () => (await countOf(last)) === 3);
    // A service with a limit of 30 days removes them.
    await last.close(0);
    const strict = await startService(t, { ...store.environment, KEEP_DAYS: '30' });
    await until(async () => (await countOf(strict)) === 1);
    await until(async () => (await readMetric(strict, 'retention_removed_total{kind="results"}')) === 2);
  });

  for (const days of [-100, 100])
    test(`${name}: a process whose clock is off by ${days} days removes nothing, and postpones no schedule`, async t => {
      const store = await openStore(t);
      const right = await startService(t, store.environment);
      const ids = [await measure(right, 'a'), await measure(right, 'b')];
      await whenSwept(right);
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ urls: ['https://example.com/s'], strategy: 'mobile', interval: 'PT1H' });
      const made = await ask<ScheduleFacts>(right, '/schedules', { method: 'POST', headers, body });
      const ranBy = async (service: { url: string }) =>
        (await ask<ScheduleFacts>(service, `/schedules/${made.body.id}`)).body;
      await until(async () => (await ranBy(right)).last_at !== null);
      await right.close(0);
      const wrong = await startListening(t, {
        environment: { ...store.environment, ...withoutBrowser, SHIFTED_DAYS: String(days), KEEP_DAYS: '90' },
        nodeArgs: ['--import', './test/support/surroundings/shift-clock.ts'],
      });
      await whenSwept(wrong);
      const fresh = await measure(wrong, 'fresh');
      const isShared = name === 'PostgreSQL';
      assert.equal(await readMetric(wrong, 'retention_refused'), isShared ? 0 : 1);
      const said = wrong.output.all.filter(line => line.includes('the clock'));
      assert.equal(said.length, 1, said.join('\n'));
      wrong.child.kill('SIGTERM');
      await wrong.exited;
      const again = await startService(t, store.environment);
      await whenSwept(again);
      const { results } = (await ask<{ results: { id: string }[] }>(again, '/results')).body;
      const found = new Set(results.map(({ id }) => id));
      assert.deepEqual(
        [...ids, fresh].filter(id => !found.has(id)),
        [],
      );
      await until(async () => {
        const nextMs = Date.parse((await ranBy(again)).next_at ?? '');
        return Math.abs(nextMs - Date.now()) <= hourMs;
      });
    });

  test(`${name}: after a long pause the operator confirms the clock, and old results are removed`, async t => {
    const store = await openStore(t);
    const before = await startService(t, store.environment);
    const ids = [await measure(before, 'a'), await measure(before, 'b')];
    await before.close(0);
    await store.write(`DELETE FROM store_state WHERE name LIKE 'doubted%'`);
    await store.write(`UPDATE store_state SET value = value - ${100 * dayMs} WHERE name = 'seen_at'`);
    await store.write(toOld(ids[0] ?? ''));
    const doubting = await startService(t, store.environment);
    await whenSwept(doubting);
    const fresh = await measure(doubting, 'fresh');
    assert.deepEqual([await readMetric(doubting, 'retention_refused'), await countOf(doubting)], [1, 3]);
    await doubting.close(0);
    const { code, stdout } = await runCli(t, ['store', 'trust-clock'], { environment: store.environment });
    assert.equal(code, 0);
    assert.match(stdout, /^The store trusts the clock: it is 20/);
    const trusting = await startService(t, store.environment);
    await whenSwept(trusting);
    assert.equal(await readMetric(trusting, 'retention_refused'), 0);
    const { results } = (await ask<{ results: { id: string }[] }>(trusting, '/results')).body;
    assert.deepEqual(results.map(({ id }) => id).toSorted(), [...ids.slice(1), fresh].toSorted());
  });

  test(`${name}: a schedule that was postponed by a year waits for its own next time`, async t => {
    const store = await openStore(t);
    const service = await startService(t, store.environment);
    const headers = { 'content-type': 'application/json' };
    const rhythms = [{ interval: 'PT1H' }, { cron: '0 3 * * *', timezone: 'Europe/Berlin' }];
    const ids: string[] = [];
    for (const rhythm of rhythms) {
      const body = JSON.stringify({ urls: ['https://example.com/s'], strategy: 'mobile', ...rhythm });
      ids.push((await ask<ScheduleFacts>(service, '/schedules', { method: 'POST', headers, body })).body.id);
    }
    await service.close(0);
    await store.write(`UPDATE schedules SET next_at = ${Date.now() + 365 * dayMs}`);
    const again = await startService(t, store.environment);
    for (const id of ids)
      await until(async () => {
        const nextAt = (await ask<ScheduleFacts>(again, `/schedules/${id}`)).body.next_at;
        return Math.abs(Date.parse(nextAt ?? '') - Date.now()) <= 25 * hourMs;
      });
  });
}
