import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDetails, buildSide, pageUrl } from '../../../../test/support/builders/side.ts';
import { toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { findOtherProtocol } from './differences.ts';

const loadBy = (protocol: string | undefined) => {
  const items = [{ url: `${pageUrl}a.js`, resourceType: 'Script', protocol }];
  return toSideFacts(buildSide({ audits: [buildDetails('network-requests', { items })] }).lhr, 'mobile').load;
};

test('HTTP/1.1 and HTTP/2 are different protocols, HTTP/2 and HTTP/3 are not', () => {
  const host = 'example.com';
  assert.deepEqual(findOtherProtocol(loadBy('http/1.1'), loadBy('h2')), {
    host,
    psi: 'HTTP/1.1',
    lighthouse: 'HTTP/2',
    files: 1,
  });
  assert.deepEqual(findOtherProtocol(loadBy('h3'), loadBy('http/1.1')), {
    host,
    psi: 'HTTP/3',
    lighthouse: 'HTTP/1.1',
    files: 1,
  });
  assert.equal(findOtherProtocol(loadBy('h3'), loadBy('h2')), undefined);
  assert.equal(findOtherProtocol(loadBy(undefined), loadBy('h2')), undefined);
  assert.equal(findOtherProtocol(loadBy('http/1.1'), loadBy('toString')), undefined);
});
