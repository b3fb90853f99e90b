import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildAudit,
  buildCategory,
  buildLhr,
  buildMeasuredLhr,
  buildRef,
  metricRefs,
} from '../../../test/support/builders/lhr.ts';
import { type Category, categoryNames } from '../../contract/names.ts';
import { toFailedAudits } from './failed-audits.ts';
import type { LhrAudit } from './lhr.ts';

/** All the audits in one category, each with weight 1 and in no group. */
const lhrWith = (...audits: LhrAudit[]) =>
  buildLhr({
    audits,
    categories: [
      buildCategory(
        'performance',
        audits.map(({ id }) => buildRef(id)),
      ),
    ],
  });

const only = (audit: LhrAudit) => toFailedAudits(lhrWith(audit), ['performance']).at(0);
const idsOf = (lhr: ReturnType<typeof buildLhr>, requested: readonly Category[] = ['performance']) =>
  toFailedAudits(lhr, requested).map(({ id }) => id);

const failing = (id: string, fields: Partial<LhrAudit> = {}) => buildAudit(id, { score: 0, ...fields });

test('whether an audit has failed depends on its display mode and score', () => {
  const cases: [string, number | null, boolean][] = [
    ['binary', 0, true],
    ['binary', 0.99, true],
    ['binary', 1, false],
    ['binary', null, false],
    ['numeric', 0, true],
    ['numeric', 0.89, true],
    ['numeric', 0.9, false],
    ['numeric', 1, false],
    ['numeric', null, false],
    ['metricSavings', 0, true],
    ['metricSavings', 0.5, true],
    ['metricSavings', 0.9, false],
    ['metricSavings', null, false],
    ['error', null, true],
    ['error', 1, true],
    ['informative', 0, false],
    ['informative', null, false],
    ['manual', 0, false],
    ['manual', null, false],
    ['notApplicable', 0, false],
    ['notApplicable', null, false],
    ['a mode of the future', 0, false],
  ];
  for (const [scoreDisplayMode, score, expected] of cases)
    assert.equal(
      only(buildAudit('x', { scoreDisplayMode, score })) !== undefined,
      expected,
      `${scoreDisplayMode} ${score}`,
    );
});

test('an audit of the hidden group is never listed', () => {
  const lhr = buildLhr({
    audits: [failing('shown'), failing('hidden'), failing('ungrouped')],
    categories: [
      buildCategory('performance', [
        buildRef('shown', 1, 'diagnostics'),
        buildRef('hidden', 1, 'hidden'),
        buildRef('ungrouped'),
      ]),
    ],
  });
  assert.deepEqual(idsOf(lhr), ['shown', 'ungrouped']);
});

test('an audit that is hidden in one category and shown in another is listed under the other only', () => {
  const lhr = buildLhr({
    audits: [failing('x')],
    categories: [
      buildCategory('performance', [buildRef('x', 1, 'hidden')]),
      buildCategory('best-practices', [buildRef('x', 1)]),
    ],
  });
  assert.deepEqual(toFailedAudits(lhr, categoryNames)[0]?.categories, ['best-practices']);
  assert.deepEqual(toFailedAudits(lhr, ['performance']), []);
});

test('only the requested categories count, and are named in one fixed order', () => {
  const lhr = buildLhr({
    audits: [failing('everywhere'), failing('seo-only'), failing('of-no-category')],
    categories: [
      buildCategory('seo', [buildRef('everywhere'), buildRef('seo-only')]),
      buildCategory('agentic-browsing', [buildRef('of-no-category')]),
      ...categoryNames.slice(0, 3).map(name => buildCategory(name, [buildRef('everywhere')])),
    ],
  });
  assert.deepEqual(toFailedAudits(lhr, ['seo', 'performance'])[0]?.categories, ['performance', 'seo']);
  assert.deepEqual(idsOf(lhr, ['accessibility']), ['everywhere']);
  assert.deepEqual(idsOf(lhr, categoryNames).toSorted(), ['everywhere', 'seo-only']);
  assert.deepEqual(idsOf(lhr, []), []);
});

test('a requested category that is not in the result has no failed audits', () => {
  assert.deepEqual(toFailedAudits(buildLhr({ audits: [failing('x')] }), categoryNames), []);
});

test('a failed audit has all its fields', () => {
  const audit = failing('x', {
    title: 'T',
    description: 'D',
    score: 0.495,
    scoreDisplayMode: 'numeric',
    displayValue: '3 s',
  });
  assert.deepEqual(only(audit), {
    id: 'x',
    title: 'T',
    description: 'D',
    score: 50,
    display_value: '3 s',
    categories: ['performance'],
    savings: {},
    points: 50.5,
  });
});

test('missing fields of an audit are null or empty, and a score of 0 is 0', () => {
  const { description: _, ...bare } = failing('x');
  const failed = only(bare);
  assert.equal(failed?.description, '');
  assert.equal(failed?.display_value, null);
  assert.equal(failed?.score, 0);
});

test('an audit with an error has its reason and no score, and only it has an error message', () => {
  const broken = only(buildAudit('x', { scoreDisplayMode: 'error', score: null, errorMessage: 'Required gatherer.' }));
  assert.equal(broken?.error_message, 'Required gatherer.');
  assert.equal(broken?.score, null);
  assert.equal(only(buildAudit('x', { scoreDisplayMode: 'error', score: null }))?.error_message, 'The audit failed.');

  const failed = only(failing('x', { errorMessage: 'left over' }));
  assert.ok(failed && !('error_message' in failed));
});

test('savings are named after the metrics; zero and unknown ones are omitted', () => {
  const savings = (metricSavings: Record<string, number>) =>
    only(failing('x', { scoreDisplayMode: 'metricSavings', metricSavings }))?.savings;
  assert.deepEqual(savings({ FCP: 100, LCP: 250.5, TBT: 30, CLS: 0.12, INP: 40 }), {
    first_contentful_paint: 100,
    largest_contentful_paint: 250.5,
    total_blocking_time: 30,
    cumulative_layout_shift: 0.12,
    interaction_to_next_paint: 40,
  });
  assert.deepEqual(savings({ FCP: 0, LCP: 0 }), {});
  assert.deepEqual(savings({ TTI: 500, toString: 1, constructor: 1 }), {});
  assert.deepEqual(only(failing('x'))?.savings, {});
});

test('audits that cost more points of their category come first', () => {
  const lhr = buildLhr({
    audits: [
      failing('light'),
      failing('heavy'),
      failing('half', { score: 0.5, scoreDisplayMode: 'numeric' }),
      failing('none'),
    ],
    categories: [
      buildCategory('seo', [buildRef('light', 3), buildRef('heavy', 10), buildRef('half', 8), buildRef('none', 0)]),
    ],
  });
  assert.deepEqual(idsOf(lhr, ['seo']), ['heavy', 'half', 'light', 'none']);
});

test('points are relative to a category, so the same weight counts for more in a smaller one', () => {
  const lhr = buildLhr({
    audits: [failing('one-of-many'), failing('one-of-two')],
    categories: [
      buildCategory('accessibility', [buildRef('one-of-many', 5), buildRef('passed', 95)]),
      buildCategory('seo', [buildRef('one-of-two', 5), buildRef('passed', 5)]),
    ],
  });
  assert.deepEqual(
    toFailedAudits(lhr, categoryNames).map(({ id, points }) => [id, points]),
    [
      ['one-of-many', 5],
      ['one-of-two', 50],
    ],
  );
});

/** LCP lost all of its 25 points in 4000 ms, CLS half of its 25 points with 0.4, TBT measured 0. */
const slowPage = (...audits: LhrAudit[]) =>
  buildLhr({
    audits: [
      buildAudit('largest-contentful-paint', { numericValue: 4000, score: 0, scoreDisplayMode: 'informative' }),
      buildAudit('cumulative-layout-shift', { numericValue: 0.4, score: 0.5, scoreDisplayMode: 'informative' }),
      buildAudit('total-blocking-time', { numericValue: 0, score: 1, scoreDisplayMode: 'informative' }),
      ...audits,
    ],
    categories: [
      buildCategory('performance', [
        buildRef('largest-contentful-paint', 25),
        buildRef('cumulative-layout-shift', 25),
        buildRef('total-blocking-time', 30),
        buildRef('rest', 20),
        ...audits.map(({ id }) => buildRef(id, 0)),
      ]),
    ],
  });

const saving = (id: string, metricSavings: NonNullable<LhrAudit['metricSavings']>) =>
  failing(id, { scoreDisplayMode: 'metricSavings', metricSavings });

test('savings count by the points they could gain, not by their milliseconds', () => {
  const lhr = slowPage(
    saving('lcp-1000', { LCP: 1000 }), // two thirds of the way from 4000 to 2500, which is 22.5 points
    saving('cls-all', { CLS: 0.4 }), // all the way to good: 10 points
    saving('lcp-3000', { LCP: 3000 }), // further than good
    saving('tbt', { TBT: 9000 }), // nothing to win: TBT is 0
    saving('inp', { INP: 9000 }), // no lab metric
    saving('fcp', { FCP: 9000 }), // FCP was not measured
  );
  assert.deepEqual(idsOf(lhr), ['lcp-3000', 'lcp-1000', 'cls-all', 'fcp', 'inp', 'tbt']);
});

test('an audit counts for the metric with its largest gain, and gains at most all of it', () => {
  const apart = slowPage(saving('a-both', { LCP: 900, CLS: 0.2 }), saving('b-lcp', { LCP: 1200 }));
  assert.deepEqual(idsOf(apart), ['b-lcp', 'a-both']);

  const capped = slowPage(saving('a-absurd', { LCP: 400_000 }), saving('b-both', { LCP: 4000, CLS: 0.01 }));
  assert.deepEqual(idsOf(capped), ['b-both', 'a-absurd']);
});

test('an audit that only helps returning visitors saves nothing, and comes after those that help this load', () => {
  const lhr = slowPage(
    saving('cache-insight', { LCP: 3900, FCP: 3000 }),
    saving('image-delivery-insight', { LCP: 300 }),
  );
  assert.deepEqual(idsOf(lhr), ['image-delivery-insight', 'cache-insight']);
  assert.deepEqual(toFailedAudits(lhr, ['performance']).at(1)?.savings, {});
});

test('the metrics that an audit affects are named, even without an estimate', () => {
  assert.deepEqual(only(saving('unsized-images', { CLS: 0 }))?.metrics, ['cumulative_layout_shift']);
  assert.equal(only(failing('image-alt'))?.metrics, undefined);
});

test('among equally useful audits the worse score comes first, then the id decides', () => {
  const lhr = buildLhr({
    audits: [
      failing('c'),
      failing('b', { score: 0.5 }),
      failing('a', { score: 0.5 }),
      failing('z', { score: null, scoreDisplayMode: 'error' }),
    ],
    categories: [
      buildCategory(
        'seo',
        ['c', 'b', 'a', 'z'].map(id => buildRef(id, 0)),
      ),
    ],
  });
  assert.deepEqual(idsOf(lhr, ['seo']), ['c', 'z', 'a', 'b']);
});

test('the order does not depend on the order in the result, which is random in PSI answers', () => {
  const audits = ['d', 'a', 'c', 'b'].map(id => failing(id));
  assert.deepEqual(idsOf(lhrWith(...audits)), ['a', 'b', 'c', 'd']);
  assert.deepEqual(idsOf(lhrWith(...audits.toReversed())), ['a', 'b', 'c', 'd']);
});

test('the given result is not changed', () => {
  const lhr = slowPage(saving('x', { LCP: 100 }));
  const before = structuredClone(lhr);
  toFailedAudits(lhr, categoryNames);
  assert.deepEqual(lhr, before);
});

const denied = {
  kinds: ['processor_wait' as const],
  denied: ['total_blocking_time' as const],
  performance: 87,
  total_blocking_time: 100,
};
const disturbed = () =>
  buildMeasuredLhr({
    audits: [
      buildAudit('total-blocking-time', { scoreDisplayMode: 'numeric', score: 0.1, numericValue: 1400 }),
      buildAudit('largest-contentful-paint', { scoreDisplayMode: 'numeric', score: 0.6, numericValue: 3600 }),
      failing('bootup-time', { scoreDisplayMode: 'metricSavings', metricSavings: { TBT: 1300 } }),
      failing('image-delivery-insight', { scoreDisplayMode: 'metricSavings', metricSavings: { LCP: 800 } }),
    ],
    categories: [
      buildCategory('performance', [...metricRefs, buildRef('bootup-time', 0), buildRef('image-delivery-insight', 0)]),
    ],
  });
const orderOf = (
  disturbance?: typeof denied | (Omit<typeof denied, 'total_blocking_time'> & { total_blocking_time: null }),
) => toFailedAudits(disturbed(), ['performance'], { scores: {}, disturbance }).map(({ id, savings }) => [id, savings]);

test('invalidated metrics neither order findings nor count as savings', () => {
  const image = ['image-delivery-insight', { largest_contentful_paint: 800 }];
  assert.deepEqual(orderOf()[1], ['bootup-time', { total_blocking_time: 1300 }]);
  assert.deepEqual(orderOf(denied).slice(0, 3), [
    ['largest-contentful-paint', {}],
    image,
    ['bootup-time', { total_blocking_time: 100 }],
  ]);
  assert.deepEqual(orderOf({ ...denied, total_blocking_time: null }).slice(0, 3), [
    ['largest-contentful-paint', {}],
    image,
    ['bootup-time', {}],
  ]);
});

test('a fix for a metric that is nearly good is worth the points that the score gains', () => {
  const lhr = buildMeasuredLhr({
    audits: [
      buildAudit('largest-contentful-paint', { scoreDisplayMode: 'numeric', score: 0.91, numericValue: 2450 }),
      failing('image-delivery-insight', { scoreDisplayMode: 'metricSavings', metricSavings: { LCP: 1200 } }),
    ],
    categories: [buildCategory('performance', [...metricRefs, buildRef('image-delivery-insight', 0)])],
  });
  assert.equal(toFailedAudits(lhr, ['performance'])[0]?.points, 2.2);
});
