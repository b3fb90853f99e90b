import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import { createBackOff, type OriginFailure } from './back-off.ts';
import type { FailureKind } from './retry-rules.ts';

const start = Date.parse('2026-11-20T12:00:00Z');
const [one, other] = ['https://one.example', 'https://other.example'];

function create({ backOffMs = 5000, minuteMs = 60_000 } = {}) {
  let nowMs = start;
  const backOff = createBackOff({ backOffMs, minuteMs, now: () => nowMs });
  const call = {};
  return {
    ...backOff,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Reports a call that was sent just now and failed. */
    fail: (kind: FailureKind, fields: Partial<OriginFailure> & { retryAfterSeconds?: number } = {}) => {
      const { retryAfterSeconds } = fields;
      const error = new AnalysisError('psi_unavailable', `It failed: ${kind}.`, { retryAfterSeconds });
      return backOff.failed({ kind, error, origin: one, startedMs: nowMs, ...fields });
    },
    block: (origin = one, asking: object = call) => backOff.blockOf(origin, asking),
    now: () => nowMs,
  };
}

test('initially no call is blocked, and the state is ok', () => {
  const { block, state } = create();
  assert.deepEqual([block(), state()], [undefined, { state: 'ok' }]);
});

test('calls to an origin that failed three times in a row are paused, and others continue', () => {
  const { block, fail, state } = create();
  for (const blocks of [false, false, true]) {
    fail('machine');
    assert.equal(block() !== undefined, blocks);
  }
  const blocked = block();
  assert.deepEqual([blocked?.ms, blocked?.isWorthWaiting], [5000, true]);
  assert.equal(blocked?.error.message, `The PSI server failed repeatedly for pages of ${one}.`);
  assert.deepEqual([blocked?.error.retryAfterSeconds, blocked?.error.source], [5, 'psi']);
  assert.equal(block(other), undefined);
  assert.deepEqual(state(), { state: 'ok' }, 'the analyser itself is well');
});

test('each back-off from an origin is twice as long as the one before, up to five minutes', () => {
  const { block, fail, pass } = create();
  fail('machine');
  fail('machine');
  const lengths = [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000].map(() => {
    fail('machine');
    const ms = block()?.ms ?? 0;
    pass(ms);
    assert.equal(block(), undefined);
    return ms;
  });
  assert.deepEqual(lengths, [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
});

test('one success resets an origin', () => {
  const { answered, block, fail } = create();
  for (let time = 0; time < 3; time++) fail('machine');
  answered(one);
  assert.equal(block(), undefined);
  fail('machine');
  fail('machine');
  assert.equal(block(), undefined);
});

test('concurrent calls that fail together count as one failure', () => {
  const { block, fail, pass } = create();
  pass(1000);
  for (let call = 0; call < 20; call++) fail('machine', { startedMs: start + call });
  assert.equal(block(), undefined);
});

test('failures of the analyser itself are an outage for all calls, and no call waits for its end', () => {
  const { block, fail, pass, state } = create();
  fail('network');
  pass(1);
  fail('gateway', { origin: other });
  assert.deepEqual([block(), state()], [undefined, { state: 'ok' }]);
  pass(1);
  fail('network');
  assert.deepEqual([block()?.isWorthWaiting, block(other)?.isWorthWaiting], [false, false]);
  assert.equal(block()?.error.message, 'It failed: network.');
  assert.deepEqual(state(), { state: 'down', sinceMs: start });
});

test('after an outage one call probes, and the others continue once it has succeeded', () => {
  const { answered, block, fail, pass, release, state } = create();
  for (let time = 0; time < 3; time++) fail('network');
  pass(5000);
  const [probe, late] = [{}, {}];
  assert.equal(block(one, probe), undefined);
  assert.equal(block(one, probe), undefined, 'the same call may ask twice');
  assert.equal(block(one, late)?.isWorthWaiting, false);
  answered(one);
  release(probe);
  assert.deepEqual([block(one, late), state()], [undefined, { state: 'ok' }]);
});

test('a probe that fails prolongs the outage, up to a minute', () => {
  const { block, fail, pass, release, state } = create();
  for (let time = 0; time < 2; time++) fail('network');
  const lengths = [5000, 10_000, 20_000, 40_000, 60_000, 60_000].map(() => {
    fail('network');
    const probe = {};
    release(probe);
    const ms = block()?.ms ?? 0;
    pass(ms);
    assert.equal(block(one, probe), undefined);
    release(probe);
    return ms;
  });
  assert.deepEqual(lengths, [5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  assert.deepEqual(state(), { state: 'down', sinceMs: start }, 'since the first failure');
});

test('a cancelled probe lets another call probe', () => {
  const { block, fail, pass, release } = create();
  for (let time = 0; time < 3; time++) fail('network');
  pass(5000);
  const probe = {};
  assert.equal(block(one, probe), undefined);
  release({});
  assert.ok(block(), 'only the one that probes can end the probe');
  release(probe);
  assert.equal(block(), undefined);
});

test('each call that times out counts separately', () => {
  const { fail, pass, state } = create();
  pass(150_000);
  for (let call = 0; call < 3; call++) fail('timeout', { startedMs: start });
  assert.equal(state().state, 'down');
});

test('a rejected key is an outage immediately', () => {
  const { block, fail, state } = create();
  fail('key', { error: new AnalysisError('psi_key_rejected', 'The key is wrong.') });
  assert.deepEqual([block()?.error.code, state()], ['psi_key_rejected', { state: 'down', sinceMs: start }]);
});

test('failures of pages and rejections block no call, however many', () => {
  const { block, fail, state } = create();
  for (const kind of ['page_final', 'page_passing', 'refused', 'own_final'] as const)
    for (let time = 0; time < 10; time++) fail(kind);
  assert.deepEqual([block(), state()], [undefined, { state: 'ok' }]);
});

test('a quota per minute blocks all calls for a minute, or for the announced time', () => {
  for (const [announced, ms] of [
    [undefined, 60_000],
    [7, 7000],
  ] as const) {
    const { block, fail, pass, state } = create();
    const error = fail('quota_minute', announced === undefined ? {} : { retryAfterSeconds: announced });
    assert.equal(error.retryAfterSeconds, ms / 1000, 'the client learns the time');
    assert.deepEqual([block()?.ms, block(other)?.ms, block()?.isWorthWaiting], [ms, ms, true]);
    assert.deepEqual(state(), { state: 'throttled', untilMs: start + ms });
    pass(ms);
    assert.deepEqual([block(), state()], [undefined, { state: 'ok' }]);
  }
});

test('a daily quota, or a quota of zero, blocks until midnight in California or until the announced time', () => {
  for (const kind of ['quota_day', 'quota_none'] as const) {
    const unannounced = create();
    unannounced.fail(kind);
    assert.deepEqual(unannounced.state(), { state: 'throttled', untilMs: Date.parse('2026-11-21T08:00:00Z') });
    const announced = create();
    announced.fail(kind, { retryAfterSeconds: 3600 });
    assert.deepEqual(announced.state(), { state: 'throttled', untilMs: start + 3_600_000 });
  }
});

test('a shorter announcement does not shorten a longer one, and neither does a success', () => {
  const { answered, block, fail } = create();
  fail('quota_day', { retryAfterSeconds: 3600 });
  fail('quota_minute', { retryAfterSeconds: 1 });
  answered(one);
  assert.equal(block()?.ms, 3_600_000);
});

test('no announcement lasts longer than two days', () => {
  const { block, fail } = create();
  fail('quota_minute', { retryAfterSeconds: 10_000_000 });
  assert.equal(block()?.ms, 172_800_000);
});

test('the Retry-After of a front end is respected, for five minutes at most', () => {
  for (const [announced, ms] of [
    [20, 20_000],
    [86_400, 300_000],
  ] as const) {
    const { block, fail } = create();
    fail('gateway', { retryAfterSeconds: announced });
    assert.deepEqual([block()?.ms, block(other)?.ms], [ms, ms]);
  }
});

test('a full queue of an endpoint like this one blocks for its announced time, not for an hour', () => {
  for (const [announced, ms] of [
    [3, 3000],
    [3600, 300_000],
  ] as const) {
    const { block, fail, pass, state } = create();
    const error = fail('own_busy', { retryAfterSeconds: announced });
    assert.equal(error.retryAfterSeconds, announced, 'the client learns what was said');
    assert.deepEqual([block()?.ms, block(other)?.ms], [ms, ms]);
    pass(ms);
    assert.deepEqual([block(), state()], [undefined, { state: 'ok' }]);
  }
});

test('a full queue without a time affects only its page, however often', () => {
  const { block, fail, state } = create();
  for (let time = 0; time < 10; time++) fail('own_busy');
  assert.deepEqual([block(), block(other), state()], [undefined, undefined, { state: 'ok' }]);
});

test('with a back-off of zero, no call is blocked, and the state is still known', () => {
  const { block, fail, state } = create({ backOffMs: 0, minuteMs: 0 });
  for (let time = 0; time < 5; time++) for (const kind of ['network', 'machine', 'quota_minute'] as const) fail(kind);
  assert.deepEqual([block(), state()], [undefined, { state: 'down', sinceMs: start }]);
});

test('a failure reported late counts from the time it happened', () => {
  const { fail, pass, now, state } = create();
  const times = [0, 10, 20].map(ms => ({ startedMs: now() + ms, endedMs: now() + ms + 5 }));
  pass(1000);
  for (const time of times) fail('network', time);
  assert.equal(state().state, 'down');
});
