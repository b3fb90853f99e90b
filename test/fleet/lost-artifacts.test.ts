/**
 * A comparison over three instances: its load is audited again on the same machine, and the verdict says if that fails.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Comparison } from '../../src/contract/analysis/comparison.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { createSimulatedPool } from '../support/audits/simulated-pool.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';

type Both = { psi: Result; lighthouse: Result; comparison: Comparison };

const postgres = await startOwnPostgres({ after });

/** CPU throttling is 4× on the remote side, and 1× on the local one. */
const throttling = { rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 4 };
const slowed = { configSettings: { throttlingMethod: 'simulate', throttling } };

/**
 * Starts an instance that answers and two that audit.
 * @param reAudit the outcome of a re-audit on a machine
 */
async function startThree(scope: Scope, reAudit?: (machine: number) => Promise<never>) {
  const fake = await startFakePsi(scope);
  fake.answerWith(call => ({ body: toPsiBody(call, slowed) }));
  const environment = { DATABASE_URL: await postgres.createDatabase(), TARGETS: 'any', PSI_ENDPOINT: fake.endpoint };
  const pools = [0, 1].map(() => createSimulatedPool({ durationMs: 1 }));
  const workers = await Promise.all(
    pools.map((pool, at) =>
      startService(scope, { ...environment, ROLE: 'worker' }, undefined, {
        pool: reAudit ? { ...pool, reAudit: () => reAudit(at) } : pool,
      }),
    ),
  );
  const api = await startService(scope, { ...environment, ROLE: 'api' });
  const compare = (name: string) =>
    ask<Both>(api, withQuery('/compare', { url: `http://page.test/${name}`, categories: 'performance' }));
  return { compare, pools, workers };
}

test('each load is audited again on the machine with its artifacts, which are removed afterwards', async t => {
  const { compare, pools } = await startThree(t);
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map(compare));
  for (const { status, text } of answers) assert.equal(status, 200, text);
  const reAudited = pools.map(pool => pool.reAudited.length);
  assert.deepEqual(
    reAudited,
    pools.map(({ audits }) => audits.all.length),
  );
  assert.equal(
    reAudited.reduce((sum, count) => sum + count, 0),
    4,
  );
  await until(() => pools.every(({ artifacts }) => artifacts.size === 0));
});

test('if that machine is gone, the comparison has both sides and says that nothing was computed', async t => {
  const asked = Promise.withResolvers<number>();
  const { compare, workers } = await startThree(t, machine => {
    asked.resolve(machine);
    return new Promise(() => {});
  });
  const comparing = compare('lost');
  const machine = await Promise.race([asked.promise, comparing.then(({ text }) => assert.fail(text))]);
  await workers[machine]?.close(0);
  const { status, body, text } = await comparing;
  assert.equal(status, 200, text);
  assert.ok(body.psi.scores && body.lighthouse.scores);
  assert.equal(body.comparison.re_audits.status, 'not_possible');
  assert.match(body.comparison.explanation, /could not be computed/);
});
