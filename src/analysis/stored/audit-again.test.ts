import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEntry } from '../../../test/support/builders/entry.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { ArtifactPaths } from '../../measure/lighthouse/folders/kept-artifacts.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';
import { createAuditAgain } from './audit-again.ts';
import type { FoundSide } from './find-sides.ts';

const entryOf = (lighthouseVersion: string | null): EntryFacts => {
  const entry = buildEntry();
  return { ...entry, analyser: { ...entry.analyser, lighthouseVersion } };
};
const sideOf = (...versions: (string | null)[]): FoundSide => ({
  asked: 'v1',
  by: 'label',
  entries: versions.map(entryOf),
  history: [],
});
const staying = new AbortController().signal;
const metrics = { 'largest-contentful-paint': { score: 1, value: 1000 } };

function start({ reAudit = async () => [metrics], missing = [] as string[] } = {}) {
  const taken: string[] = [];
  const store = {
    artifacts: async (id: string) => {
      const fileOf = (name: string) => ({ path: `${id}/${name}`, bytes: 1 });
      const names = ['trace', 'network_log', 'gathered'].filter(name => !missing.includes(name));
      return Object.fromEntries(names.map(name => [name, fileOf(name)]));
    },
  } as unknown as ResultStore;
  const open = new Set<string>();
  const auditAgain = createAuditAgain({
    lighthouseVersion: '13.5.0',
    local: {
      async adopt({ trace }: ArtifactPaths) {
        taken.push(trace);
        open.add(trace);
        return trace;
      },
      reAudit,
      async release(artifacts) {
        open.delete(artifacts);
      },
    },
  });
  const ask = (before: FoundSide, after: FoundSide, signal = staying) => auditAgain(store, [before, after], signal);
  return { ask, taken, open };
}

test('sides with the same version, or with an unknown one, are not audited again', async () => {
  const { ask, taken } = start();
  assert.equal(await ask(sideOf('13.5.0', '13.5.0'), sideOf('13.5.0')), undefined);
  assert.equal(await ask(sideOf('12.0.0'), sideOf('12.0.0')), undefined);
  assert.equal(await ask(sideOf(null), sideOf('13.5.0')), undefined);
  assert.deepEqual(taken, []);
});

test('at most five loads of the older side are audited, whichever side it is, and no file is left behind', async () => {
  const { ask, taken, open } = start();
  const old = sideOf(...Array.from({ length: 30 }, () => '12.0.0'));
  for (const outcome of [await ask(old, sideOf('13.5.0')), await ask(sideOf('13.5.0'), old)]) {
    assert.ok(outcome && 'runs' in outcome);
    assert.deepEqual([outcome.runs.length, outcome.measuredWith, outcome.auditedWith], [5, ['12.0.0'], '13.5.0']);
  }
  assert.deepEqual([taken.length, open.size], [10, 0]);
});

test('an impossible re-audit gives its reason', async () => {
  const isReason = (outcome: unknown, reason: RegExp) =>
    assert.match((outcome as { reason: string }).reason, reason, JSON.stringify(outcome));
  isReason(await start().ask(sideOf('12.0.0'), sideOf('13.0.0')), /neither side .* Lighthouse 13\.5\.0 alone/);
  isReason(await start().ask(sideOf('12.0.0', '13.5.0'), sideOf('13.5.0')), /neither side/);
  for (const name of ['trace', 'network_log', 'gathered'])
    isReason(await start({ missing: [name] }).ask(sideOf('12.0.0'), sideOf('13.5.0')), /not stored here/);
  const failing = start({ reAudit: () => Promise.reject(new AnalysisError('lighthouse_unavailable', 'failed')) });
  isReason(await failing.ask(sideOf('12.0.0'), sideOf('13.5.0')), /cannot be audited/);
  assert.equal(failing.open.size, 0);
});

test('a client that disconnects ends the re-audit, and its resources are released', async () => {
  const leaving = new AbortController();
  const reason = new Error('disconnected');
  const { ask, open, taken } = start({
    async reAudit() {
      leaving.abort(reason);
      throw reason;
    },
  });
  await assert.rejects(ask(sideOf('12.0.0', '12.0.0'), sideOf('13.5.0'), leaving.signal), reason);
  assert.deepEqual([taken.length, open.size], [1, 0]);
});
