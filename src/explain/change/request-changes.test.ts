import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAudit, buildLhr } from '../../../test/support/builders/lhr.ts';
import { toListedChanges, toRequestChanges } from './request-changes.ts';

type File = { name: string; type?: string; bytes: number; cpuMs?: number };

/** A load with these files; CPU times of `bootup-time` include the simulated slowdown. */
const loadOf = (...files: readonly File[]) => loadAt('https://example.com', ...files);
const loadAt = (origin: string, ...files: readonly File[]) => {
  const urlOf = ({ name }: File) => URL.parse(name, origin)?.href ?? '';
  const requests = files.map(file => ({
    url: urlOf(file),
    resourceType: file.type ?? 'Script',
    transferSize: file.bytes,
  }));
  const work = files.map(file => ({ url: urlOf(file), scripting: 4 * (file.cpuMs ?? 0) }));
  return buildLhr({
    mainDocumentUrl: `${origin}/`,
    audits: [
      buildAudit('network-requests', { details: { type: 'table', items: requests } }),
      buildAudit('bootup-time', { details: { type: 'table', items: work } }),
    ],
    configSettings: { throttlingMethod: 'simulate', throttling: { cpuSlowdownMultiplier: 4 } },
  });
};

const page: File = { name: 'app.js', bytes: 40_000, cpuMs: 20 };
const changesOf = (...changed: readonly File[]) =>
  toListedChanges(loadOf(page), loadOf(page, ...changed)).map(({ kind, url }) => `${kind} ${url.split('/').at(-1)}`);

test('without artifacts, the file with the largest estimated effect comes first, whichever way it costs', () => {
  const picture = { name: 'hero.jpg', type: 'Image', bytes: 646_000 };
  for (const files of [
    [picture, { name: 'extra.js', bytes: 2000, cpuMs: 1200 }],
    [{ name: 'extra.js', bytes: 2000, cpuMs: 1200 }, picture],
  ])
    assert.deepEqual(changesOf(...files), ['added extra.js', 'added hero.jpg']);
  assert.deepEqual(changesOf({ name: 'extra.js', bytes: 2000, cpuMs: 200 }, picture), [
    'added hero.jpg',
    'added extra.js',
  ]);
});

test('without artifacts, a script is a change if its bytes or its CPU time changed, and none if both are about the same', () => {
  const listed = (after: File) =>
    toListedChanges(loadOf(page), loadOf(after)).map(({ kind, cpuMs }) => [kind, cpuMs.before, cpuMs.after]);
  assert.deepEqual(listed({ ...page, cpuMs: 320 }), [['work', 20, 320]]);
  assert.deepEqual(listed({ ...page, bytes: 90_000 }), [['size', 20, 20]]);
  assert.deepEqual(listed({ ...page, bytes: 40_500, cpuMs: 45 }), []);
});

test('the files of two builds at different hosts are paired by path, and each has its own URL', () => {
  const tag = { name: 'https://ads.example/tag.js', bytes: 9000 };
  const before = loadAt('http://localhost:3000', { name: '/', type: 'Document', bytes: 5000 }, page, tag);
  const larger = [{ ...page, bytes: 90_000 }, { name: 'new.js', bytes: 7000 }, tag];
  const after = loadAt('http://localhost:3001', { name: '/', type: 'Document', bytes: 5000 }, ...larger);
  assert.deepEqual(
    toListedChanges(before, after).map(({ kind, url }) => [kind, url]),
    [
      ['size', 'http://localhost:3001/app.js'],
      ['added', 'http://localhost:3001/new.js'],
    ],
  );
  const urlsOf = (isOnePage: boolean) => {
    const { added = [], removed = [], changed = [] } = toRequestChanges(before, after, isOnePage) ?? {};
    return [added, removed, changed].map(files => files.map(({ url }) => URL.parse(url)?.pathname));
  };
  assert.deepEqual(urlsOf(true), [['/new.js'], [], ['/app.js']]);
  assert.deepEqual(urlsOf(false), [['/app.js', '/new.js', '/'], ['/app.js', '/'], []], 'two pages');
});
