import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../../test/support/builders/side.ts';
import { isSameMachine } from './side.ts';

const side = (kind: 'embedded' | 'google' | 'local', boot_id: string | null) => {
  const { result } = buildSide();
  return {
    result: { ...result, analyser: { ...result.analyser, kind }, environment: { ...result.environment, boot_id } },
  };
};
const isSame = (kind: 'embedded' | 'google', theirs: string | null, ours: string | null) =>
  isSameMachine(side(kind, theirs), side('local', ours), false);

test('both sides of a service without Google run on one machine, unless a fleet gave them two', () => {
  assert.equal(isSame('embedded', 'one', 'one'), true);
  assert.equal(isSame('embedded', null, 'one'), true);
  assert.equal(isSame('embedded', 'one', 'other'), false);
  assert.equal(isSame('google', 'one', 'one'), false);
});
