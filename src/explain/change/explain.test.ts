import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Difference } from '../../contract/stored/change.ts';
import { explain } from './explain.ts';

/** Without a verdict, the compared values do not matter. */
const say = (name: Difference['name'], before: string, after: string): string =>
  explain({} as never, [{ name, before: [before], after: [after], effect: 'no_verdict' }]);

test('sides that cannot be compared get advice that helps', () => {
  assert.match(say('benchmark_index', '1500', '700'), /Measure both again on an idle machine\.$/);
  assert.match(say('url', 'https://a.example/', 'https://b.example/'), /Choose results of one page\.$/);
  assert.match(say('throttling', 'CPU 4×', 'CPU 2×'), /Measure both with the same settings\.$/);
  assert.match(say('conditions', 'ci', 'none'), /not measured under the same conditions .*cannot be compared\.$/);
});
