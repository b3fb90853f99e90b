import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../../../test/support/builders/side.ts';
import { type SideFacts, type SideThrottling, toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { planReAudits, toEquivalentMultiplier } from './plan-re-audits.ts';

const origin = 'https://example.com';
const factsOf = (fields: Partial<SideFacts> = {}, throttling: Partial<SideThrottling> = {}): SideFacts => {
  const facts = toSideFacts(buildSide().lhr, 'mobile');
  return { ...facts, ...fields, throttling: { ...facts.throttling, ...throttling } };
};
const plan = (psi: SideFacts, lighthouse: SideFacts, isSameMachine = false) =>
  planReAudits(psi, lighthouse, isSameMachine);

test('the same settings need no re-audit', () => {
  assert.deepEqual(plan(factsOf(), factsOf()), []);
});

test('each change adds to the previous ones, in a fixed order', () => {
  const psi = factsOf(
    { serverLatency: { [origin]: 400 }, roundTripTime: { [origin]: 80 } },
    { rttMs: 40, throughputKbps: 10240, cpuSlowdownMultiplier: 1 },
  );
  const network = { throttlingMethod: 'simulate', rttMs: 40, throughputKbps: 10240 };
  const latency = { additionalRttByOrigin: { [origin]: 0 }, serverResponseTimeByOrigin: { [origin]: 400 } };
  assert.deepEqual(plan(psi, factsOf()), [
    { cause: 'throttling', settings: network },
    { cause: 'cpu', settings: { ...network, cpuSlowdownMultiplier: 1 } },
    { cause: 'server', settings: { ...network, cpuSlowdownMultiplier: 1, latency } },
  ]);
});

test('a different CPU scales the multiplier, unless one machine alone shows such a difference', () => {
  const slow = factsOf({ benchmarkIndex: 500 });
  assert.equal(toEquivalentMultiplier(slow, factsOf(), false), 4.8);
  assert.equal(toEquivalentMultiplier(factsOf(), slow, false), 0.3);
  assert.equal(toEquivalentMultiplier(slow, factsOf(), true), 1.2, 'the same machine');
  assert.equal(toEquivalentMultiplier(factsOf({ benchmarkIndex: 700 }), factsOf(), false), 1.2, 'noise of the index');
  const slowMoment = factsOf({ benchmarkIndex: 500, benchmarkUsual: 1900 });
  assert.equal(toEquivalentMultiplier(factsOf(), slowMoment, false), 1.2, 'usually it is as fast');
  assert.equal(toEquivalentMultiplier(factsOf(), { ...slowMoment, benchmarkUsual: 560 }, false), 0.3);
  for (const unknown of [factsOf({ benchmarkIndex: null }), slow])
    assert.equal(toEquivalentMultiplier(unknown, factsOf({ benchmarkIndex: null }), false), 1.2);
  assert.deepEqual(plan(slow, factsOf()), [{ cause: 'machine', settings: { cpuSlowdownMultiplier: 4.8 } }]);
  assert.deepEqual(plan(slow, factsOf(), true), []);
});

test('the multiplier is a setting, and the effect of the benchmark index follows it', () => {
  const psi = factsOf({ benchmarkIndex: 600 });
  assert.deepEqual(plan(psi, factsOf({}, { cpuSlowdownMultiplier: 4 })), [
    { cause: 'cpu', settings: { cpuSlowdownMultiplier: 1.2 } },
    { cause: 'machine', settings: { cpuSlowdownMultiplier: 4 } },
  ]);
});

test('latencies count if they differ by more than a single load can explain', () => {
  const plans = (psi: Partial<SideFacts>, lighthouse: Partial<SideFacts>) =>
    plan(factsOf(psi), factsOf(lighthouse)).map(({ cause }) => cause);
  assert.deepEqual(plans({ serverResponseTime: 300 }, { serverResponseTime: 5 }), ['server']);
  assert.deepEqual(plans({ serverResponseTime: 5 }, { serverResponseTime: 300 }), ['server']);
  assert.deepEqual(plans({ serverResponseTime: 174 }, { serverResponseTime: 64 }), []);
  assert.deepEqual(plans({ serverResponseTime: 1000 }, { serverResponseTime: 1100 }), []);
  assert.deepEqual(plans({ serverResponseTime: null }, { serverResponseTime: 300 }), []);
  assert.deepEqual(plans({ serverLatency: { [origin]: 250 } }, { serverLatency: { [origin]: 0 } }), ['server']);
  assert.deepEqual(plans({ roundTripTime: { [origin]: 90 } }, { roundTripTime: { [origin]: 1 } }), ['server']);
  assert.deepEqual(plans({ serverLatency: { 'https://other.example': 900 } }, {}), [], 'nothing to compare it with');
});

test('an origin that only the local load requested keeps its local latency, beyond the nearest origin', () => {
  const cdn = 'https://cdn.example';
  const [step] = plan(
    factsOf({ serverResponseTime: 400, serverLatency: { [origin]: 400 }, roundTripTime: { [origin]: 20 } }),
    factsOf({ serverLatency: { [origin]: 5, [cdn]: 70 }, roundTripTime: { [origin]: 10, [cdn]: 35 } }),
  );
  assert.deepEqual(step?.settings?.latency, {
    serverResponseTimeByOrigin: { [origin]: 400, [cdn]: 70 },
    additionalRttByOrigin: { [origin]: 0, [cdn]: 25 },
  });
});

test('a load without any origin has no latencies', () => {
  const [step] = plan(
    factsOf({ serverResponseTime: 400, serverLatency: {}, roundTripTime: {} }),
    factsOf({ serverLatency: {}, roundTripTime: {} }),
  );
  assert.deepEqual(step?.settings?.latency, { serverResponseTimeByOrigin: {}, additionalRttByOrigin: {} });
});

test('a load throttled by the browser cannot be simulated', () => {
  for (const sides of [
    [factsOf({}, { method: 'devtools' }), factsOf()],
    [factsOf({}, { cpuSlowdownMultiplier: 4 }), factsOf({}, { method: 'devtools' })],
  ] as const) {
    const steps = plan(...sides);
    assert.ok(steps.length > 0);
    for (const { settings } of steps) assert.equal(settings, undefined);
  }
  assert.deepEqual(plan(factsOf({}, { method: 'provided' }), factsOf())[0]?.settings?.throttlingMethod, 'provided');
});
