import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildWhatIf } from '../../../test/support/builders/what-if.ts';
import { createScreen } from './terminal/screen.ts';
import { toWhatIfText } from './what-if-text.ts';

test('predictions of a disturbed load say so first, and only once', () => {
  const limits = ['This load was disturbed.', 'One load.'];
  const text = toWhatIfText(createScreen(), buildWhatIf({ disturbed: true, limits }));
  assert.match(text, /\n\nAll fixes together: \d+ → \d+\.[^-]*\n\nThis load was disturbed\.\n\nAll fixes together/);
  assert.match(text, /First to fix/);
  assert.equal(text.match(/was disturbed/g)?.length, 1);
  assert.match(text, /- One load\./);
  assert.match(toWhatIfText(createScreen(), buildWhatIf({ disturbed: false, limits })), /- This load was disturbed/);
});

test('a removal names what it removes as well, and fixes that all lose points are not called unknown', () => {
  const whatIf = buildWhatIf();
  const screen = { ...createScreen(), columns: 160 };
  assert.match(toWhatIfText(screen, whatIf), /Lighthouse Ads · Removes Tide Pixels as well\./);
  const { fixes } = whatIf;
  const losing = { ...fixes, steps: [], reachable: { ...fixes.reachable, fixes: 0, points: 0 } };
  const text = toWhatIfText(screen, { ...whatIf, fixes: losing });
  assert.match(text, /No audit proposes a change that is predicted to add points\./);
});
