/** More reasons why two sides disagree: see compare-causes.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSlowAnalyser } from '../support/analysers/slow-analyser.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { assertWhole, compare, show, startSides } from './two-sides.ts';

const { service: here, localNetwork, remoteNetwork } = await startSides({ after });

test('a remote CPU with three times the throttling is the first cause, computed', async t => {
  const endpoint = await startSlowAnalyser(t, { cpuSlowdownMultiplier: 3.6, network: remoteNetwork });
  const service = await startService(t, { PSI_ENDPOINT: endpoint }, localNetwork, { audits: usualAudits });
  const { comparison } = await compare(service, '/busy', { categories: 'performance' });
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty], ['cpu', 'computed'], show(comparison));
  assert.ok((first?.points ?? 0) > 10, show(comparison));
  assert.deepEqual(first?.evidence[0], { fact: 'cpu_slowdown_multiplier', psi: 3.6, lighthouse: 1.2 });
  assertWhole(comparison);
});

test('a robot check with status 200 instead of the page is the first cause', async () => {
  const { comparison } = await compare(here, '/wall');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty], ['different_page', 'observed'], show(comparison));
  assert.ok(first?.evidence.some(({ fact }) => fact === 'document_bytes'));
  assert.match(comparison.explanation, /^The two sides did not load the same page\b/);
});

test('an alternative text missing on one side is the first cause, and that side is named', async () => {
  const { comparison } = await compare(here, '/picture');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.category], ['audits', 'accessibility'], show(comparison));
  assert.deepEqual(first?.evidence, [{ fact: 'image-alt', psi: 0, lighthouse: 100 }]);
  const [flip] = comparison.audits.flipped;
  assert.deepEqual([flip?.id, flip?.fault_on], ['image-alt', 'psi']);
  assert.equal(Math.round(first?.points ?? 0), comparison.scores.accessibility?.difference);
  assert.match(comparison.explanation, /image-alt failed on /);
});
