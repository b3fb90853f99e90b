/** Jobs with secrets on a fleet: two services on one PostgreSQL, a real browser, and a receiver of callbacks. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import type { JobAnswer, JobFacts } from '../../src/contract/jobs/job.ts';
import { startReceiver } from '../jobs/receiver.ts';
import { ask } from '../support/asking/ask.ts';
import { captureLog } from '../support/captured-log.ts';
import { startPrivateSite } from '../support/sites/private-site.ts';
import { startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { unpack } from '../support/texts-in-files.ts';
import { readUntil } from '../support/until.ts';
import { findIn, toSentinels } from './sentinels.ts';

const scope = { after };
const postgres = await startOwnPostgres(scope);
const site = await startPrivateSite(scope);
const receiver = await startReceiver(scope);
const { log, text: logged } = captureLog('trace');
const databaseUrl = await postgres.createDatabase();
const settings = {
  DATABASE_URL: databaseUrl,
  TARGETS: 'any',
  ACCESS_KEY: randomBytes(32).toString('base64'),
  CALLBACK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
};
const start = (ROLE: string) =>
  startService(scope, { ...settings, ROLE }, undefined, { log, jobs: { callbackFirstMs: 1 } });
const service = await start('api');
await start('worker');

for (const [outcome, expect] of [
  ['succeeded', { selector: '#account' }],
  ['failed', { text: 'never there' }],
] as const)
  test(`a job of a fleet that ${outcome} leaves no secret in the queue, the database, its callback and the log`, async () => {
    const body = {
      ...{ url: `${site.url}/echo`, categories: ['performance', 'best-practices'], callback: `${receiver.url}/told` },
      access: { ...toSentinels(site), origins: [site.url], expect },
    };
    const accepted = await ask<JobFacts>(service, '/lighthouse', {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify(body),
    });
    assert.equal(accepted.status, 202, accepted.text);
    const queued = await readUntil(
      () => postgres.query(databaseUrl, 'SELECT * FROM rangelight_fleet.audits'),
      rows => rows.length > 0,
    );
    assert.ok(JSON.stringify(queued).includes('/echo'));
    const during = await postgres.dump(databaseUrl);
    assert.ok(during.includes('/echo'));
    const calls = receiver.calls.all.length;
    const ended = await readUntil(
      () => ask<JobAnswer>(service, accepted.body.links.self),
      answer => answer.body.ended_at !== null,
      { pauseMs: 200 },
    );
    assert.equal(ended.body.state, outcome, ended.text);
    const told = (await receiver.calls.waitFor(calls + 1)).map(call => JSON.stringify(call)).join();
    assert.ok(told.includes(outcome));
    const answers = [accepted.text, ended.text, told, logged()];
    if (outcome === 'succeeded') {
      const { body: result } = await ask<{ id: string }>(service, ended.body.pages[0]?.links.self ?? '');
      for (const part of ['', '?detailed=true', '/report']) {
        const stored = await fetch(`${service.url}/results/${result.id}${part}`);
        assert.ok(stored.ok, `${part}: ${stored.status}`);
        answers.push(unpack(Buffer.from(await stored.arrayBuffer())).toString('latin1'));
      }
    }
    const found = [during, await postgres.dump(databaseUrl), ...answers].map(findIn);
    assert.deepEqual(found.flat(), [], JSON.stringify(found));
  });
