/** How often a comparison parses whole Lighthouse results, each up to 10 MB of JSON. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameThread as threads } from '../../test/support/audits/same-thread.ts';
import { buildSide } from '../../test/support/builders/side.ts';
import { completeOptions } from '../contract/measuring-options.ts';
import type { AnalyserRequest, PsiAnalyser } from '../measure/analyser.ts';
import { toJson } from '../measure/lhr/json-bytes.ts';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import { createPolicy } from '../measure/targets/policy.ts';
import { createResultCache } from '../storage/cache/result-cache.ts';
import { createMemoryStore } from '../storage/cache/store.ts';
import { analyseBoth } from './analyse-both.ts';
import { createAnalyseLocal } from './analyse-local.ts';
import { createAnalyseRemote } from './analyse-remote.ts';
import { noRecorder } from './records/recorder.ts';

const policy = createPolicy({ targets: 'any', ownPort: () => 0 });
const conditions = {
  benchmarkTakenAt: '2026-11-20T09:59:00.000Z',
  benchmarkConcurrentAudits: 0,
  concurrentAudits: 0,
  blockedRequests: 0,
  machineId: '0123456789abcdef',
  processors: 2,
  benchmarkUsual: null,
  processorWait: null,
  leftOut: [],
};
const { lhr } = buildSide();

/** Answers as a PSI v5 server does. */
const analyser = {
  kind: 'custom',
  identity: 'custom',
  host: () => 'psi.example',
  async measure({ url, strategy, categories, requestedAt }: AnalyserRequest) {
    const asked = { source: 'psi', analyser: { kind: 'custom', host: 'psi.example' }, conditions: null } as const;
    const facts = { ...asked, url, strategy, categories, requestedAt, otherwise: 'psi_unavailable' } as const;
    const read = await threads.readWireAnswer({ bytes: toJson({ id: url, lighthouseResult: lhr }), facts });
    return 'failure' in read ? assert.fail(read.failure.code) : read;
  },
} as unknown as PsiAnalyser;

const audit: LocalAnalyser['audit'] = async (_settings, readPage) => {
  const value = await readPage(toJson(lhr), conditions);
  return 'failure' in value ? assert.fail(value.failure.code) : { value, artifacts: undefined };
};
const local = { audit, release: async () => {} } as unknown as LocalAnalyser;

test('a comparison parses each Lighthouse result once', async t => {
  const { mock } = t.mock.method(JSON, 'parse');
  const cache = createResultCache(createMemoryStore(10_000_000), { ttlMs: 60_000, staleMs: 0 });
  const recorder = noRecorder;
  const analyseRemote = createAnalyseRemote({ policy, targets: 'any', cache, analyser, crux: undefined, recorder });
  const analyseLocal = createAnalyseLocal({ policy, local, threads, recorder });
  const countParses = async (runs: number) => {
    const options = completeOptions('page', { categories: ['performance'], runs });
    const before = mock.calls.length;
    const { comparison } = await analyseBoth(
      { analyseRemote, analyseLocal, local, threads },
      { ...options, url: 'https://example.com/' },
      { fresh: false, signal: new AbortController().signal },
    );
    assert.ok(comparison);
    return mock.calls.slice(before).filter(({ arguments: [text] }) => text.includes('"configSettings"')).length;
  };
  assert.equal(await countParses(1), 2, 'measured on both sides');
  assert.equal(await countParses(1), 2, 'the remote one from the cache');
  assert.equal(await countParses(3), 4, 'three local runs');
});
