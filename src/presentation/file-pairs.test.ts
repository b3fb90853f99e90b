import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differInHash, pairFiles, withoutBuild } from './file-pairs.ts';

const base = 'https://example.com/';

test('the hash of a build and the folder of a release are not part of a name', () => {
  const pairs = [
    ['/assets/main-Bq3x9LkA.js', '/assets/main-*.js'],
    ['/assets/index-Ax7-Lm0P.css', '/assets/index-*.css'],
    ['/_nuxt/DlAUqK2U.js', '/_nuxt/*.js'],
    ['/chunk-3PQK4TZE.js', '/chunk-*.js'],
    ['/main.QMZPTWAB.min.js', '/main.*.min.js'],
    ['/app.3f2ab9c1.js', '/app.*.js'],
    ['/main.a1b2c3.js', '/main.*.js'],
    ['/embed/550e8400-e29b-41d4-a716-446655440000/player.js', '/embed/*/player.js'],
    ['/releases/pPK749sccDmVW_9DSeTMVvh2/captcha__en.js', '/releases/*/captcha__en.js'],
  ] as const;
  for (const [path, name] of pairs) assert.equal(withoutBuild(path), name);
});

test('words, sizes and versions are part of a name', () => {
  const paths = [
    '/settings.js',
    '/main-heroView.js',
    '/hero-1200x800.jpg',
    '/page-facade.js',
    '/tour-2015.jpg',
    '/boats-portrait.webp',
    '/shop-checkout.js',
    '/Boats-For-Every-Water-2024/index.js',
    '/a/checkout-v2.js',
  ];
  for (const path of paths) assert.equal(withoutBuild(path), path);
});

test('names of build tools differ in a hash, and other names do not', () => {
  for (const [one, other] of [
    ['main.8f3a2b1c.js', 'main.0c11d2ef.js'],
    ['assets/index-BxK3f9Qz.js', 'assets/index-D_p1-x0A.js'],
    ['chunk-ABCD1234.js', 'chunk-ABCE9876.js'],
    ['_next/static/a8B3kd9x2/_buildManifest.js', '_next/static/Zk29dk3qp/_buildManifest.js'],
  ] as const)
    assert.ok(differInHash(base + one, base + other), one);
  for (const [one, other] of [
    ['hero1.jpg', 'hero2.jpg'],
    ['summer.jpg', 'winter.jpg'],
    ['2025/a.jpg', '2026/a.jpg'],
    ['main.js', 'main.8f3a2b1c.js'],
    ['tiles/1005/4.png', 'tiles/2160/4.png'],
    ['a1b2c3d4/x9y8z7w6.js', 'e5f6g7h8/i1j2k3l4.js'],
  ] as const)
    assert.ok(!differInHash(base + one, base + other), one);
});

test('the number of compared URLs is limited, whatever the page', () => {
  let reads = 0;
  const toFiles = (count: number, part: string) =>
    Array.from({ length: count }, (_, at) => `${base}${at + 10_000}/${part}`);
  const pair = (count: number) =>
    pairFiles(toFiles(count, 'Ax.js'), toFiles(count, 'yB.js'), url => ({
      type: 'Script',
      bytes: 1,
      get url() {
        reads += 1;
        return url;
      },
    }));
  assert.equal(pair(2000).length, 4000);
  assert.ok(reads < 200_000, `${reads}`);
  const renamed = (hash: string) => Array.from({ length: 200 }, (_, at) => `${base}${hash}/${at + 100}/app.js`);
  const pairs = pairFiles(renamed('Ab3f'), renamed('Cd9e'), url => ({ url, type: 'Script', bytes: 1 }));
  assert.ok(
    pairs.every(({ one, other }) => one && other),
    'two hundred renamed files are paired',
  );
});
