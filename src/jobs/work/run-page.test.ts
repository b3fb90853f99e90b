import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import { completeOptions } from '../../contract/measuring-options.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import type { JobRequest } from '../job.ts';
import { createRunPage, type PageOptions, type PageSources } from './run-page.ts';

const url = 'https://example.com/';

/** Sources without a cache, and without a free slot for the local side and for desktop. */
function createFull() {
  const asked: string[] = [];
  const full = async () => Promise.reject(new AnalysisError('queue_full', 'Full.'));
  const cache = { status: 'miss', age: 0, expires_at: '2026-11-20T12:00:00.000Z' } as const;
  const sources: Pick<PageSources, 'analyseRemote' | 'analyseLocal' | 'recorder'> = {
    async analyseRemote({ strategy }) {
      asked.push(strategy);
      if (strategy === 'desktop') return full();
      return { json: toJson({ url, strategy, scores: {}, metrics: {} }), cache, ttlSeconds: 0 };
    },
    analyseLocal: full,
    recorder: { comparison: async compared => compared },
  };
  return { asked, runPage: createRunPage(sources as PageSources) };
}

const local = completeOptions('page', {});
const requests = [
  [{ ...local, kind: 'compare', fresh: true }, ['mobile', 'mobile']],
  [
    { kind: 'psi', strategy: 'both', categories: ['performance'], label: null, fresh: true },
    ['mobile', 'desktop', 'desktop', 'mobile', 'desktop'],
  ],
] as const satisfies readonly (readonly [JobRequest, unknown])[];

for (const [request, wanted] of requests)
  test(`a page of kind ${request.kind} that is measured again repeats no remote result that it has found`, async () => {
    const { asked, runPage } = createFull();
    const options: PageOptions = {
      client: 'a',
      isBatch: false,
      signal: new AbortController().signal,
      onProgress: () => {},
      found: new Map(),
    };
    const first = await runPage(request, url, options);
    assert.deepEqual(await runPage(request, url, options), first);
    await runPage(request, url, { ...options, found: new Map() });
    assert.deepEqual(asked, wanted);
  });
