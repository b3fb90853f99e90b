import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEntry } from '../../../test/support/builders/entry.ts';
import { buildFacts } from '../../../test/support/builders/load-facts.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { LoadFacts } from '../../contract/result/load-facts.ts';
import type { ReAuditSettings } from '../../measure/lighthouse/messages.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';
import type { FoundSide } from './find-sides.ts';
import { createSimulateAlike, simulateScenarios } from './simulate-alike.ts';

const signal = new AbortController().signal;
const toSide = (count: number, given: Partial<EntryFacts> = {}): FoundSide => ({
  asked: 'v1',
  by: 'label',
  entries: Array.from({ length: count }, () => buildEntry({ source: 'lighthouse', ...given })),
  history: [],
});

function start({ missing = 0, facts = buildFacts() as LoadFacts | null } = {}) {
  const calls = { facts: 0, settings: [] as ReAuditSettings[], open: 0 };
  let files = 0;
  const file = (name: string) => ({ path: name, bytes: 1, isPacked: true });
  const store = {
    async artifacts() {
      files += 1;
      return files <= missing ? undefined : { trace: file('t'), network_log: file('n'), gathered: file('g') };
    },
  } as unknown as ResultStore;
  const local = {
    async adopt() {
      calls.open += 1;
      return 'adopted';
    },
    async readFacts() {
      calls.facts += 1;
      if (!facts) throw new AnalysisError('lighthouse_unavailable', 'failed');
      return facts;
    },
    async reAudit(_: string, settings: readonly ReAuditSettings[]) {
      calls.settings.push(...settings);
      return [{ performance: { score: 0.9, value: null } }];
    },
    async release() {
      calls.open -= 1;
    },
  };
  const simulateAlike = createSimulateAlike({ local });
  return {
    calls,
    simulate: (...sides: [FoundSide, FoundSide]) => simulateAlike(store, sides, { signal, areBuilds: false }),
  };
}

test('each load is simulated without CPU waits, with the latencies and file positions that both sides share', async () => {
  const { calls, simulate } = start();
  const alike = await simulate(toSide(5), toSide(5));
  assert.deepEqual([alike?.before.length, alike?.after.length, alike?.cpuFactor], [5, 5, { before: 1, after: 1 }]);
  const [first] = calls.settings;
  assert.equal(first?.page?.withoutWait, true);
  assert.deepEqual(first?.latency?.serverResponseTimeByOrigin, { 'https://example.com': 30 });
  assert.ok(calls.settings.every(settings => JSON.stringify(settings) === JSON.stringify(first)));
  assert.equal(calls.open, 0, 'all artifacts are released');
});

test('the facts of a load are read once', async () => {
  const { calls, simulate } = start();
  const [before, after] = [toSide(2), toSide(2)];
  await simulate(before, after);
  await simulate(before, after);
  assert.equal(calls.facts, 4);
});

test('at most ten loads of each side are simulated', async () => {
  const alike = await start().simulate(toSide(30), toSide(12));
  assert.deepEqual([alike?.before.length, alike?.after.length], [10, 10]);
});

test('three of five loads are enough; two are not', async () => {
  assert.equal((await start({ missing: 2 }).simulate(toSide(5), toSide(5)))?.before.length, 3);
  assert.equal(await start({ missing: 3 }).simulate(toSide(5), toSide(5)), undefined);
});

test('loads that cannot be read, were not simulated, or differ in page or settings are not simulated', async () => {
  assert.equal(await start({ facts: null }).simulate(toSide(1), toSide(1)), undefined);
  assert.equal(
    await start({ facts: buildFacts({}, { isSimulated: false }) }).simulate(toSide(1), toSide(1)),
    undefined,
  );
  const unlike: Partial<EntryFacts>[] = [{ url: 'https://other.example/' }, { strategy: 'desktop' }, { source: 'psi' }];
  for (const given of unlike) {
    const { calls, simulate } = start();
    assert.equal(await simulate(toSide(5), toSide(5, given)), undefined);
    assert.equal(calls.facts, 0);
  }
});

test('equal scenarios are simulated once, and count as often as they occur', async () => {
  const [one, other] = [{ cpuFactor: 1 }, { cpuFactor: 2 }];
  const asked: (readonly ReAuditSettings[])[] = [];
  const mean = await simulateScenarios([one, other, one, one], async distinct => {
    asked.push(distinct);
    return distinct.map(({ cpuFactor = 0 }) => ({ 'speed-index': { score: null, value: 1000 * cpuFactor } }));
  });
  assert.deepEqual(asked, [[one, other]]);
  assert.equal(mean?.['speed-index']?.value, 1250);
  assert.equal(await simulateScenarios([one], async () => undefined), undefined);
});
