import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellPageCost } from './page-cost.ts';

test('a sentence names two files', () => {
  assert.equal(
    tellPageCost(['/a.png', '/b.js', '/c.js'], 3),
    ' Simulated with what the remote side got of /a.png, /b.js and others, this load scores 3 points less.',
  );
});
