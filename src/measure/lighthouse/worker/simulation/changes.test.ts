import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Lantern from 'lighthouse/core/lib/lantern/lantern.js';
import { findPageSheet, makeFixes } from './changes.ts';

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

const toNode = (resourceType: string, type: string, transferSize = 2_000) =>
  new Lantern.Graph.NetworkNode({
    requestId: resourceType,
    url,
    resourceType,
    transferSize,
    initiator: { type },
  } as never);

test('a style sheet of the document is part of the page, unless it only names fonts', () => {
  const [sheet, large, ofScript] = [
    toNode('Stylesheet', 'parser'),
    toNode('Stylesheet', 'parser', 20_000),
    toNode('Stylesheet', 'script'),
  ];
  assert.equal(findPageSheet([toNode('Script', 'parser'), ofScript]), undefined);
  assert.equal(findPageSheet([ofScript, sheet]), sheet);
  for (const node of [sheet, large]) node.addDependent(toNode('Font', 'other'));
  assert.deepEqual([findPageSheet([sheet]), findPageSheet([large])], [undefined, large]);
  sheet.addDependent(toNode('Image', 'other'));
  assert.equal(findPageSheet([sheet]), sheet);
});
