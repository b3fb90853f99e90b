/**
 * Why two sides disagree, shown on pages with one planted reason each. Both sides are real. More:
 * compare-causes.long.ts.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertWhole, compare, show, startSides } from './two-sides.ts';

const { service: here } = await startSides({ after });

test('a server that answers the remote side 300 ms later is the first cause, computed', async () => {
  const { comparison } = await compare(here, '/late/page', { categories: 'performance' });
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty], ['server', 'computed'], show(comparison));
  assert.ok((first?.points ?? 0) > 0, 'the local side, which was answered sooner, scores higher');
  assert.deepEqual(comparison.re_audits.order, ['server']);
  assertWhole(comparison);
});

test('with the same settings nothing beyond noise is claimed', async () => {
  const { comparison, psi, lighthouse } = await compare(here, '/same');
  assert.match(psi.environment.boot_id ?? '', /^[0-9a-f]{16}$/);
  assert.equal(psi.environment.boot_id, lighthouse.environment.boot_id, 'two services of one machine');
  assert.match(comparison.explanation, /\. Both sides ran on one machine\.$/);
  for (const { cause } of comparison.causes) assert.equal(cause, 'run_noise', show(comparison));
  // On a busy machine a server may answer one side later; a re-audit must attribute no points to that.
  assert.deepEqual(
    comparison.re_audits.order.filter(step => step !== 'server'),
    [],
    show(comparison),
  );
  assert.deepEqual(comparison.audits, { flipped: [], only_psi: [], only_lighthouse: [] });
});
