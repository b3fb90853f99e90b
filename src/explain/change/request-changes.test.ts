import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAudit, buildLhr } from '../../../test/support/builders/lhr.ts';
import { toListedChanges } from './request-changes.ts';

type File = { name: string; type?: string; bytes: number; cpuMs?: number };

/** A load with these files; CPU times of `bootup-time` include the simulated slowdown. */
const loadOf = (...files: readonly File[]) => {
  const urlOf = ({ name }: File) => `https://example.com/${name}`;
  const requests = files.map(file => ({
    url: urlOf(file),
    resourceType: file.type ?? 'Script',
    transferSize: file.bytes,
  }));
  const work = files.map(file => ({ url: urlOf(file), scripting: 4 * (file.cpuMs ?? 0) }));
  return buildLhr({
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
