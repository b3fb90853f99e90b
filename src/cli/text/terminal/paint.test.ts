import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaint, toMarked, wantsColor } from './paint.ts';

test('the option takes precedence, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal', () => {
  const terminal = { isTTY: true };
  for (const [flag, env, stream, wanted] of [
    [undefined, {}, terminal, true],
    [undefined, {}, {}, false],
    [undefined, { NO_COLOR: '1' }, terminal, false],
    [undefined, { NO_COLOR: '' }, terminal, true],
    [undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, false],
    [undefined, { FORCE_COLOR: '1' }, {}, true],
    [undefined, { FORCE_COLOR: '0' }, terminal, false],
    [undefined, { TERM: 'dumb' }, terminal, false],
    [false, { FORCE_COLOR: '1' }, terminal, false],
  ] as const)
    assert.equal(wantsColor(flag, env, stream), wanted, JSON.stringify([flag, env, stream]));
});

test('without colors, a rating is shown as a shape', () => {
  const plain = createPaint(false);
  assert.deepEqual(
    (['good', 'needs-improvement', 'poor', undefined] as const).map(rating => toMarked(plain, '9', rating)),
    ['● 9', '■ 9', '▲ 9', '  9'],
  );
});
