import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExperimentLoad } from './judge.ts';
import { toRemarks } from './remarks.ts';

const base = 'http://a.test/';
const metric = 'largest_contentful_paint' as const;
const toLoad = (finalUrl?: string, value: number | null = 2000): ExperimentLoad =>
  ({ metrics: { [metric]: value }, machineId: null, ...(finalUrl ? { finalUrl } : {}) }) as ExperimentLoad;

type Loads = readonly (string | null | undefined)[];
/** @param ends final URLs of the base, of its second arm and of the variant, by block; null for a failed load */
const remark = (ends: readonly Loads[], variant: { url?: string; headers?: string[] } = {}) =>
  toRemarks(
    ends.map(block => block.map(end => (end === null ? null : toLoad(end)))),
    { variant: { url: base, headers: [], ...variant }, index: 0, base, metric },
  );
const repeat = (block: Loads, times = 9): Loads[] => Array.from({ length: times }, () => block);
const verdictOf = (remarks: ReturnType<typeof remark>) => remarks.map(({ whyNone }) => whyNone === undefined);

test('failed loads allow a verdict unless the base fails clearly less often', () => {
  const failing = (count: number, ofBase = 0) =>
    remark(Array.from({ length: 9 }, (_, at) => [at < ofBase ? null : base, base, at < count ? null : base]));
  assert.deepEqual(failing(0), []);
  assert.deepEqual(verdictOf(failing(2)), [true]);
  assert.deepEqual(verdictOf(failing(3)), [false]);
  assert.deepEqual(verdictOf(failing(3, 2)), [true]);
  assert.equal(failing(3)[0]?.fact, 'Failed loads: 3 of 9.');
});

test('loads without the metric that decides are counted like failed ones, and named', () => {
  const asked = { variant: { url: base, headers: [] }, index: 0, base, metric };
  const good = toLoad();
  const none = toLoad(undefined, null);
  const remarks = toRemarks([...Array.from({ length: 3 }, () => [good, good, none]), [none, good, null]], asked);
  assert.deepEqual(
    remarks.map(({ fact }) => fact),
    [
      'Failed loads: 1 of 4. Loads without Largest Contentful Paint: 3 of 4.',
      'Loads of the page without Largest Contentful Paint: 1 of 4.',
    ],
  );
  assert.deepEqual(verdictOf(remarks), [false, true]);
  const [unscored] = toRemarks([[good, good, none]], { ...asked, metric: 'performance' });
  assert.equal(unscored?.fact, 'Loads without a performance score: 1 of 1.');
});

test('loads at a login allow no verdict, wherever the variant started, and two of them do', () => {
  const login = 'https://login.test/auth?from=1';
  assert.deepEqual(verdictOf(remark(repeat([base, base, login]))), [false]);
  assert.deepEqual(verdictOf(remark(repeat([base, base, login]), { url: 'http://preview.test/' })), [false]);
  const some = (count: number) =>
    remark([...repeat([base, base, login], count), ...repeat([base, base, base], 9 - count)]);
  assert.deepEqual(verdictOf(some(2)), [true]);
  assert.deepEqual(verdictOf(some(3)), [false]);
  assert.equal(some(2)[0]?.fact, '2 of 9 loads ended at https://login.test/auth.');
  const two = remark([...repeat([base, base, login]), [base, base, 'https://login.test/b']]);
  assert.equal(two[0]?.fact, '10 of 10 loads ended at https://login.test/auth and other pages.');
});

test('a preview that redirects on its own host is only named', () => {
  const ends = repeat([base, base, 'http://preview.test/en']);
  assert.deepEqual(remark(ends, { url: 'http://preview.test/' }), [
    { fact: '9 of 9 loads ended at http://preview.test/en.', whyNone: undefined },
  ]);
});

test('a preview that redirects to the page has no verdict', () => {
  assert.deepEqual(verdictOf(remark(repeat([base, base, base]), { url: 'http://preview.test/' })), [false]);
});

test('nothing is said of ends that the page has too, or that differ in each of its loads', () => {
  assert.deepEqual(remark(repeat(['http://a.test/en', 'http://a.test/en', 'http://a.test/en?x'])), []);
  const sessions = Array.from({ length: 9 }, (_, at) =>
    ['one', 'two', 'three'].map(arm => `http://a.test/${arm}${at}`),
  );
  assert.deepEqual(remark(sessions), []);
  assert.deepEqual(remark(sessions.map(ends => ends.map(end => end.replace(/test\//, 'test/;id=')))), []);
  assert.deepEqual(remark(repeat([undefined, undefined, undefined])), []);
});

test('headers that no load sent to the page allow no verdict', () => {
  const moved = 'https://www.a.test/';
  assert.deepEqual(remark(repeat([moved, moved, moved]), { headers: ['x-part'] }), [
    {
      fact: 'Its headers were sent to http://a.test only, and the page redirects to https://www.a.test.',
      whyNone: 'The page did not receive them, so there is no verdict: set the URL after the redirect.',
    },
  ]);
  assert.deepEqual(remark(repeat([moved, moved, moved])), []);
});
