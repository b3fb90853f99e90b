import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOfFile, sayFiles } from './files-in-words.ts';
import type { FoundFileChange } from './shared-conditions/file-changes.ts';

const none = { before: 0, after: 0 };
const change = (given: Partial<FoundFileChange>): FoundFileChange => ({
  kind: 'size',
  url: 'https://example.com/img/hero.png',
  type: 'Image',
  bytes: none,
  resourceBytes: none,
  cpuMs: none,
  requests: { before: 1, after: 1 },
  ...given,
});
const say = (...changes: readonly FoundFileChange[]) => sayFiles(changes)?.replaceAll('\u00a0', ' ');

test('without changed files there is no sentence', () => {
  assert.equal(say(), undefined);
});

test('one file is described by its change', () => {
  const tag = { url: 'https://ads.example/tag.js', type: 'Script' };
  const size = { bytes: { before: 0, after: 300_000 }, cpuMs: { before: 0, after: 290 } };
  assert.equal(say(change({ kind: 'added', ...tag, ...size })), 'tag.js was added (300 kB, 290 ms of CPU time)');
  assert.equal(say(change({ kind: 'removed', bytes: { before: 150_000, after: 0 } })), 'hero.png was removed (150 kB)');
  assert.equal(say(change({ bytes: { before: 150_000, after: 550_000 } })), 'hero.png grew by 400 kB');
  assert.equal(say(change({ bytes: { before: 550_000, after: 150_000 } })), 'hero.png shrank by 400 kB');
  assert.equal(
    say(change({ kind: 'packed', url: 'https://a.example/vendor.js', bytes: { before: 120_000, after: 500_000 } })),
    'vendor.js is compressed less (120 kB → 500 kB)',
  );
  assert.equal(
    say(change({ kind: 'work', ...tag, cpuMs: { before: 100, after: 400 } })),
    'tag.js takes 300 ms more CPU time',
  );
  const rows = { bytes: { before: 3100, after: 3300 }, resourceBytes: { before: 9000, after: 49_000 } };
  assert.equal(say(change({ url: '(document)', ...rows })), 'the document grew by 40 kB before compression');
  const twice = { kind: 'requests', requests: { before: 1, after: 2 } } as const;
  assert.equal(say(change({ url: '(document)', ...twice })), 'the document is requested 2 times instead of 1');
});

test('many files with one change are reported together', () => {
  const pictures = Array.from({ length: 50 }, (_, at) =>
    change({ kind: 'added', url: `https://example.com/${at}.png`, bytes: { before: 0, after: 8000 } }),
  );
  assert.equal(say(...pictures), '50 files were added (+400 kB)');
  const repeated = pictures.map(picture => ({ ...picture, kind: 'requests' as const, bytes: none }));
  assert.equal(say(...repeated), '50 files are requested more or less often');
  const moved = [30_000, 30_000, -30_000, -30_000].map(by =>
    change({ bytes: { before: 100_000, after: 100_000 + by } }),
  );
  assert.equal(say(...moved), '4 files changed in size');
  const less = moved.map(file => ({ ...file, bytes: { before: 1000, after: 900 }, cpuMs: { before: 90, after: 40 } }));
  assert.equal(say(...less), '4 files changed in size (−400 B, −200 ms of CPU time)');
});

test('a file is named by the last part of its path, and a document without one by its URL', () => {
  assert.equal(nameOfFile('https://example.com/a/b.js'), 'b.js');
  assert.equal(nameOfFile('https://example.com/docs/'), 'docs');
  assert.equal(nameOfFile('https://example.com/'), 'example.com');
  assert.equal(nameOfFile('(document)'), 'the document');
});

const costing = (points: number, given: Partial<FoundFileChange>): FoundFileChange =>
  change({ kind: 'added', ...given, effect: { points, largestPaintMs: 0, blockingMs: 0 } });

test('every file is named with the points that it explains, and what points the other way is no cause', () => {
  const script = costing(-20.3, { url: '/extra.js', type: 'Script', cpuMs: { before: 0, after: 214 } });
  const picture = costing(-13, { url: '/hero.jpg', bytes: { before: 0, after: 646_000 } });
  const gain = costing(4, { kind: 'removed', url: '/old.css', bytes: { before: 9000, after: 0 } });
  const plain = (changes: readonly FoundFileChange[], status: 'better' | 'worse') =>
    sayFiles(changes, status)?.replaceAll('\u00a0', ' ');
  assert.equal(
    plain([script, picture, gain], 'worse'),
    'extra.js was added (0 B, 210 ms of CPU time) and costs 20 points; hero.jpg was added (646 kB) and costs 13',
  );
  assert.equal(plain([script, picture, gain], 'better'), 'old.css was removed (9 kB) and gains 4 points');
  const many = Array.from({ length: 6 }, (_, at) => costing(-9 + at, { url: `/${at}.js` }));
  assert.match(plain(many, 'worse') ?? '', /; 2 more files cost less$/);
  assert.match(plain(many.slice(1), 'worse') ?? '', /; 1 more file costs less$/);
  const gains = many.map((_, at) => costing(9 - at, { url: `/${at}.js` }));
  assert.match(plain(gains, 'better') ?? '', /; 2 more files gain less$/);
  assert.match(plain(gains.slice(1), 'better') ?? '', /; 1 more file gains less$/);
});

test('a file that grew is no cause of a better page, nor is a removed one of a worse page', () => {
  const grown = change({ bytes: { before: 100_000, after: 480_000 } });
  const removed = change({ kind: 'removed', url: '/old.js', bytes: { before: 9000, after: 0 } });
  assert.equal(sayFiles([grown], 'better'), undefined);
  assert.equal(sayFiles([costing(-8, { bytes: { before: 0, after: 9000 } })], 'better'), undefined);
  assert.match(sayFiles([grown, removed], 'worse') ?? '', /^hero\.png grew by [^ ]+kB$/);
  assert.match(sayFiles([grown, removed], 'no_difference') ?? '', /hero\.png .* and old\.js was removed/);
});

test('without points, all changes are named, and not only the largest', () => {
  const added = change({ kind: 'added', url: '/extra.js', cpuMs: { before: 0, after: 214 } });
  assert.match(
    say(change({ bytes: { before: 0, after: 4000 } }), added) ?? '',
    /^hero\.png grew .* and extra\.js was added/,
  );
});
