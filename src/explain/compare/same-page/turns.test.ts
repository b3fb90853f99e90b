import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import { takeTurns } from './one-sided-files.ts';

const file = (place: string, bytes: number, fields: Partial<LoadedFile> = {}): LoadedFile => ({
  place,
  host: place.split('/', 1)[0] ?? '',
  urls: [],
  type: 'Image',
  status: 200,
  protocol: null,
  bytes,

  transferred: bytes,
  isBlocked: false,
  isByWorker: false,
  isCut: false,
  durationMs: null,
  priority: null,
  scriptMs: 0,
  ...fields,
});
const areTurns = (theirs: LoadedFile, ours: LoadedFile, allBytes = 600_000, page = 'www.shop.example') =>
  takeTurns({ files: [theirs], allBytes }, { files: [ours], allBytes }, page);
const boot = file('ads.example/boot.jpg', 41_000);

test('an advertisement of about the same weight replaces another', () => {
  assert.ok(areTurns(boot, file('ads.example/sofa.jpg', 36_000)));
  assert.ok(areTurns(boot, file('other.example/sofa.jpg', 36_000)));
});

test('sites that share an end such as co.uk are different sites', () => {
  const [theirs, ours] = [file('ads.co.uk/boot.jpg', 41_000), file('img.other.co.uk/sofa.jpg', 36_000)];
  for (const page of ['shop.co.uk', 'www.shop.co.uk:8443', 'shop.com'])
    assert.ok(areTurns(theirs, ours, 600_000, page), page);
  for (const page of ['www.ads.co.uk', 'other.co.uk']) assert.ok(!areTurns(theirs, ours, 600_000, page), page);
});

test('a file that is heavier, runs, is first-party, or is the same from another host is no replacement', () => {
  assert.ok(!areTurns(boot, file('ads.example/film.gif', 1_900_000)));
  assert.ok(!areTurns(boot, file('ads.example/bid.js', 41_000, { type: 'Script', scriptMs: 90 })));
  assert.ok(!areTurns(boot, file('img.shop.example/sofa.jpg', 36_000)));
  assert.ok(!areTurns(boot, file('elsewhere.example/boot.jpg', 41_000)));
  assert.ok(!areTurns(boot, file('ads.example/sofa.jpg', 36_000), 100_000), 'most of the page');
});
