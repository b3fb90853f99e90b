import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnalysisError } from '../../contract/errors.ts';
import type { Entry, ResultStore } from '../../storage/results/store.ts';
import { createWhatIf, type WhatIfSources } from './what-if.ts';

/** A store that has neither the whole result nor its artifacts. */
const store = { full: async () => undefined, artifactsElsewhere: async () => [] } as unknown as ResultStore;
const askWhatIf = createWhatIf({ threads: {}, local: {} } as unknown as WhatIfSources);

test('the reason for missing artifacts is that of the analyser', async () => {
  const reasonOf = async (source: string, kind: string) => {
    const entry = { id: 'x', kind: 'result', source, analyser: { kind } } as unknown as Entry;
    const { signal } = new AbortController();
    return askWhatIf(store, entry, { client: 'one', signal }).then(
      () => assert.fail('predicted'),
      ({ code, message }: AnalysisError) => `${code}: ${message}`,
    );
  };
  assert.match(await reasonOf('psi', 'google'), /^artifacts_gone: PSI servers send no trace\./);
  assert.match(await reasonOf('psi', 'custom'), /^artifacts_gone: PSI servers send no trace\./);
  assert.match(await reasonOf('psi', 'embedded'), /^artifacts_gone: .* are no longer stored\. Measure the page again/);
  assert.match(await reasonOf('lighthouse', 'uploaded'), /^artifacts_gone: An uploaded result has no trace\./);
});
