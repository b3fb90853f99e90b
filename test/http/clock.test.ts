/** A clock that jumps, as after a laptop's sleep, neither ends work early nor lets a deadline pass. No browser here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

const target = withQuery('/psi', { url: 'https://example.com/', strategy: 'mobile' });
const hour = 3_600_000;
const noon = Date.parse('2026-11-20T12:00:00Z');

test('a deadline ends on time even if the clock was set back', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: noon });
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, PSI_TIMEOUT: '1' });
  const release = fake.hold();
  const answer = ask<Problem>(service, target);
  await fake.calls.waitFor(1);
  t.mock.timers.setTime(noon - hour);
  const { status, body } = await answer;
  assert.deepEqual([status, body.code], [504, 'psi_timeout']);
  release();
});

test('a deadline does not end early even if the clock was set forward', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: noon });
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, PSI_TIMEOUT: '60' });
  const release = fake.hold();
  const answer = ask(service, target);
  await fake.calls.waitFor(1);
  t.mock.timers.setTime(noon + hour);
  assert.equal((await ask(service, '/health')).status, 200);
  release();
  assert.equal((await answer).status, 200);
});
