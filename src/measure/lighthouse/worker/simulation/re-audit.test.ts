import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { initializeConfig } from 'lighthouse/core/config/config.js';
import defaultConfig from 'lighthouse/core/config/default-config.js';
import { keepArtifacts, keptArtifacts, metricAudits, reAudit } from './re-audit.ts';

/** test/local/re-audit.test.ts uses artifacts of a real load. */

test('the repeated audits are those with a weight in the performance score', () => {
  const refs = defaultConfig.categories?.performance?.auditRefs ?? [];
  assert.deepEqual(
    refs.filter(({ weight }) => weight > 0).map(({ id }) => id),
    metricAudits.toSorted((a, b) => refs.findIndex(({ id }) => id === a) - refs.findIndex(({ id }) => id === b)),
  );
});

test('every artifact that those audits need is stored', async () => {
  const { resolvedConfig } = await initializeConfig('navigation', {
    extends: 'lighthouse:default',
    settings: { onlyAudits: metricAudits },
  });
  const audits = (resolvedConfig.audits ?? []).map(({ implementation }) => implementation.meta);
  assert.deepEqual(audits.map(({ id }) => id).toSorted(), metricAudits.toSorted());
  const needed = audits.flatMap(({ requiredArtifacts }) => requiredArtifacts);
  assert.ok(needed.includes('Trace'));
  const kept: readonly string[] = keptArtifacts;
  assert.deepEqual(
    needed.filter(name => !kept.includes(name)),
    [],
  );
});

test('artifacts that cannot be written affect no others', async () => {
  type Artifacts = Parameters<typeof keepArtifacts>[0];
  await keepArtifacts({} as Artifacts, '/dev/null/nowhere');
});

test('an empty folder cannot be audited again', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
  t.after(() => rm(folder, { recursive: true }));
  await assert.rejects(reAudit({ folder, settings: [{}] }));
});
