import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellPageCost } from './page-cost.ts';

test('a sentence names two files', () => {
  assert.equal(
    tellPageCost(['/a.png', '/b.js', '/c.js'], { here: 3, there: 2.8 }, [1.2, 4]),
    ' Simulated with what the remote side got of /a.png, /b.js and others, this load scores 3 points less.',
  );
});

test('extra work costs more where the processor is slowed down more: both costs are named', () => {
  assert.equal(
    tellPageCost(['chat.example/widget.js'], { here: -17, there: -2 }, [1.2, 4]),
    ' Simulated with what the remote side got of chat.example/widget.js, this load scores 17 points more at 4× CPU throttling, and 2 points more at the 1.2× of the remote side.',
  );
});
