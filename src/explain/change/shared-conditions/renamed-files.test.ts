import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFacts, pageUrl } from '../../../../test/support/builders/load-facts.ts';
import { alignNames, differInHash } from './renamed-files.ts';

test('names of build tools differ in a hash, and other names do not', () => {
  for (const [one, other] of [
    ['main.8f3a2b1c.js', 'main.0c11d2ef.js'],
    ['assets/index-BxK3f9Qz.js', 'assets/index-D_p1-x0A.js'],
    ['chunk-ABCD1234.js', 'chunk-ABCE9876.js'],
    ['_next/static/a8B3kd9x2/_buildManifest.js', '_next/static/Zk29dk3qp/_buildManifest.js'],
  ] as const)
    assert.ok(differInHash(pageUrl + one, pageUrl + other), one);
  for (const [one, other] of [
    ['hero1.jpg', 'hero2.jpg'],
    ['summer.jpg', 'winter.jpg'],
    ['2025/a.jpg', '2026/a.jpg'],
    ['main.js', 'main.8f3a2b1c.js'],
    ['a1b2c3d4/x9y8z7w6.js', 'e5f6g7h8/i1j2k3l4.js'],
  ] as const)
    assert.ok(!differInHash(pageUrl + one, pageUrl + other), one);
});

test('a renamed file has its new name on both sides, paired by type and size', () => {
  const load = (files: Parameters<typeof buildFacts>[0]) => [buildFacts(files)];
  const { facts, toNameBefore } = alignNames({
    before: load({
      'a-11112222.js': { type: 'Script', bytes: 1000 },
      'a-33334444.js': { type: 'Script', bytes: 90_000 },
      'a-55556666.css': { type: 'Stylesheet' },
    }),
    after: load({
      'a-77778888.js': { type: 'Script', bytes: 91_000 },
      'a-99990000.js': { type: 'Script', bytes: 1010 },
      'a-0000aaaa.css': { type: 'Image' },
    }),
  });
  const names = (of: typeof facts.before) => Object.keys(of[0]?.files ?? {}).slice(3);
  assert.deepEqual(
    names(facts.before),
    ['a-99990000.js', 'a-77778888.js', 'a-55556666.css'].map(name => pageUrl + name),
  );
  assert.equal(toNameBefore(`${pageUrl}a-77778888.js`), `${pageUrl}a-33334444.js`);
  assert.equal(toNameBefore(pageUrl), pageUrl);
});
