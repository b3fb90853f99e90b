import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBuild } from './loaded-files.ts';

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
