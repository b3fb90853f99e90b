import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Lantern from 'lighthouse/core/lib/lantern/lantern.js';
import { makeFixes } from './changes.ts';

const url = 'http://page.test/app.js';
const sizeAfter = (...savings: readonly number[]): number => {
  const request = { requestId: 'a', url, resourceType: 'Script', transferSize: 200_000 };
  const node = new Lantern.Graph.NetworkNode(request as never);
  const fixes = savings.map((bytes, at) => ({ id: `fix-${at}`, savedBytes: { [url]: bytes } }));
  makeFixes({ requests: [node], tasks: [] }, fixes, { paints: { first: 0, largest: null } });
  return node.request.transferSize;
};

test('savings of one file leave their shares, and never less than its headers', () => {
  assert.equal(sizeAfter(), 200_000);
  assert.equal(sizeAfter(50_000), 150_000);
  assert.equal(sizeAfter(130_000, 70_000), Math.round(200_000 * 0.35 * 0.65));
  assert.equal(sizeAfter(200_000, 70_000), 300);
});
