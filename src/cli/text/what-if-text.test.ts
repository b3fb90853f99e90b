import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildWhatIf } from '../../../test/support/builders/what-if.ts';
import { createScreen } from './terminal/screen.ts';
import { toWhatIfText } from './what-if-text.ts';

test('predictions of a disturbed load say so first, and only once', () => {
  const limits = ['This load was disturbed.', 'One load.'];
  const text = toWhatIfText(createScreen(), buildWhatIf({ disturbed: true, limits }));
  assert.match(text, /predicted from one load\nThis load was disturbed\.\n\nAll fixes together/);
  assert.equal(text.match(/was disturbed/g)?.length, 1);
  assert.match(text, /- One load\./);
  assert.match(toWhatIfText(createScreen(), buildWhatIf({ disturbed: false, limits })), /- This load was disturbed/);
});
