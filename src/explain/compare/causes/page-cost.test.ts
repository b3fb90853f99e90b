import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../../../test/support/builders/side.ts';
import { toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { tellPageCost } from './performance-causes.ts';

const factsOf = (cpuSlowdownMultiplier: number, kind: 'google' | 'local') =>
  toSideFacts(buildSide({ throttling: { cpuSlowdownMultiplier } }).lhr, 'mobile', { kind });
const sides = [factsOf(1.2, 'google'), factsOf(4, 'local')] as const;

test('a sentence names at most two files', () => {
  assert.equal(
    tellPageCost(['/a.png', '/b.js', '/c.js'], { here: 3, there: 2.8 }, sides),
    ' Simulated with /a.png, /b.js and others as on Google, the local load scores 3 points less.',
  );
});

test('extra work costs more with stronger CPU throttling, and both costs are named', () => {
  assert.equal(
    tellPageCost(['chat.example/widget.js'], { here: -17, there: -2 }, sides),
    ' Simulated with chat.example/widget.js as on Google, the local load scores 17 points more at 4× CPU throttling, and 2 points more at 1.2×.',
  );
});
