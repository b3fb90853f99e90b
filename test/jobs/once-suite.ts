/**
 * Effects that happen once even if they are written twice, because a database's answer may be lost after its commit.
 */
import assert from 'node:assert/strict';
import { toPageAnswer } from '../../src/jobs/to-answer.ts';
import { StoreFaultError } from '../../src/storage/database/fault.ts';
import type { SqlDatabase, Statement } from '../../src/storage/database/sql.ts';
import { type Instance, lookUntil, openInstance } from './instance.ts';
import { orderOf, type WithInstances } from './orders.ts';

const urls = ['https://example.com/a', 'https://example.com/b'];
const callback = 'http://127.0.0.1/told';

/** A database that commits, and loses the answer to the first write that matches. */
function toForgetful(database: SqlDatabase, pattern: RegExp): SqlDatabase {
  let hasLost = false;
  return {
    ...database,
    async write(statements: readonly Statement[]) {
      const changed = await database.write(statements);
      if (hasLost || !statements.some(({ sql }) => pattern.test(sql))) return changed;
      hasLost = true;
      throw new StoreFaultError('unavailable', 'the answer was lost');
    },
  };
}

const column = async ({ database }: Instance, sql: string) =>
  (await database.rows({ sql, values: [] })).map(([value]) => value);

export function testOnce(withInstances: WithInstances): void {
  for (const [what, pattern] of [
    ['the end of a job', /INTO deliveries/],
    ['the end of a page', /INTO job_events/],
  ] as const)
    withInstances(`${what} whose answer was lost is reported once`, 1, async ([usual], clock) => {
      assert.ok(usual);
      const instance = openInstance(toForgetful(usual.database, pattern), clock, { endsAtOnce: true });
      const { job } = await instance.jobs.submit({ ...orderOf(...urls), callback });
      await lookUntil(instance, job.id, 'succeeded');
      // The job ends before the last answer of its database arrives.
      await instance.jobs.close();
      assert.deepEqual(await column(usual, 'SELECT id FROM deliveries'), [`msg_${job.id}`]);
      assert.deepEqual(await column(usual, 'SELECT number FROM job_events ORDER BY number'), [1, 2]);
    });

  withInstances('a job that is abandoned after 100 starts reports its end', 1, async ([only]) => {
    assert.ok(only);
    const { job } = await only.jobs.submit({ ...orderOf(...urls), callback });
    await only.database.write([{ sql: 'UPDATE jobs SET attempt = 100', values: [] }]);
    await lookUntil(only, job.id, 'failed');
    assert.equal((await only.jobs.read(job.id))?.job.error?.code, 'job_interrupted');
    const [body] = await column(only, 'SELECT body FROM deliveries');
    assert.equal(JSON.parse(String(body)).type, 'job.failed');
  });

  withInstances('two instances that both own a job report its end once', 2, async ([slow, other]) => {
    assert.ok(slow && other);
    const { job } = await slow.jobs.submit({ ...orderOf('https://example.com/'), callback });
    await slow.look();
    const [late] = await slow.measuring.waitFor(1);
    await other.look();
    await other.look();
    (await other.measuring.waitFor(1))[0]?.end();
    await lookUntil(other, job.id, 'succeeded');
    late?.end();
    await slow.look();
    await slow.jobs.close();
    assert.deepEqual(await column(other, 'SELECT id FROM deliveries'), [`msg_${job.id}`]);
  });

  withInstances('an instance of an earlier version adds no second delivery', 1, async ([only]) => {
    assert.ok(only);
    const insert = (id: string) =>
      only.database.write([
        {
          sql: `INSERT INTO deliveries (id, job_id, url, body, state, tries, created_at, next_at)
            VALUES ('${id}', 'job', 'u', 'b', 'waiting', 0, 1, 1)`,
          values: [],
        },
      ]);
    await insert('msg_1');
    await assert.rejects(insert('msg_2'));
  });

  for (const isKilled of [false, true])
    withInstances(
      `pages of a cancelled job are cancelled${isKilled ? ', also when the process that measured them was killed' : ''}`,
      2,
      async ([runs, asks]) => {
        assert.ok(runs && asks);
        const { job } = await runs.jobs.submit(orderOf(...urls));
        await runs.look();
        await runs.measuring.waitFor(2);
        if (isKilled) runs.die();
        const ended = await asks.jobs.end(job.id);
        assert.ok(ended);
        const pages = await asks.jobs.pages(job.id, { after: -1, limit: 10 });
        assert.deepEqual(
          pages.map(one => toPageAnswer(ended.job, one).state),
          ['cancelled', 'cancelled'],
        );
        await asks.jobs.end(job.id);
        for (const { end } of runs.measuring.all) end();
        await runs.look().catch(() => {});
        for (const table of ['jobs', 'job_pages', 'job_events'])
          assert.deepEqual(await column(asks, `SELECT count(*) FROM ${table}`), [0]);
      },
    );
}
