/** Comparisons of stored results, as the service returns them. */

import type { ComparedSide, ResultsComparison } from '../../../src/contract/stored/change.ts';
import type { FileChange, MeasureChange } from '../../../src/contract/stored/change-verdict.ts';

export const idOfSide = (side: 'before' | 'after'): string =>
  `01a201e3-ac0c-7234-9a1b-${side === 'before' ? '0000000000b1' : '0000000000a1'}`;

const buildSide = (side: 'before' | 'after', fields: Partial<ComparedSide> = {}): ComparedSide => ({
  requested: idOfSide(side),
  by: 'id',
  url: 'https://harbour.example/',
  strategy: 'mobile',
  source: 'lighthouse',
  runs: 5,
  history: 0,
  ids: [idOfSide(side)],
  disturbed: 0,
  labels: [side === 'before' ? 'build-41' : 'build-42'],
  from: side === 'before' ? '2026-11-20T09:00:00.000Z' : '2026-11-21T09:00:00.000Z',
  to: side === 'before' ? '2026-11-20T09:04:00.000Z' : '2026-11-21T09:05:00.000Z',
  selected_id: idOfSide(side),
  links: { self: `/results/${idOfSide(side)}` },
  ...fields,
});

export const buildMeasure = (fields: Partial<MeasureChange> = {}): MeasureChange => ({
  unit: 'millisecond',
  before: 1900,
  after: 2700,
  difference: 800,
  interval: { low: 640, high: 980, confidence: 0.95 },
  min_effect: 95,
  status: 'worse',
  by: 'ranks',
  p_value: 0.004,
  more_runs: null,
  ...fields,
});

const point = (before: number, after: number, fields: Partial<MeasureChange> = {}) =>
  buildMeasure({
    unit: 'point' as const,
    before,
    after,
    difference: after - before,
    min_effect: 2,
    interval: { low: after - before - 3, high: after - before + 2, confidence: 0.95 },
    ...fields,
  });

const file = (name: string, bytes: number, type = 'Script', requests = 1) => ({
  url: `https://www.harbour.example/scripts/${name}`,
  type,
  requests,
  bytes,
});

/** A page that became slower: a new script, a new image, and an audit that fails now. */
export function buildResultsComparison(fields: Partial<ResultsComparison> = {}): ResultsComparison {
  return {
    before: buildSide('before'),
    after: buildSide('after'),
    verdict: {
      status: 'worse',
      explanation:
        'The page got worse: performance score 92 → 81 (−11; between −14 and −9) and Largest Contentful Paint 1.9 s → 2.7 s (+800 ms; between +640 ms and +980 ms).',
      more_runs: null,
      by_numbers: 'worse',
      decided_by: ['performance', 'largest_contentful_paint'],
      against: ['cumulative_layout_shift'],
      judged_by: 'measured',
      bound: null,
    },
    differences: [
      {
        name: 'browser_version',
        before: ['HeadlessChrome/150.0.7623.114'],
        after: ['HeadlessChrome/151.0.7681.22'],
        effect: 'possible_cause',
      },
    ],
    version: null,
    alike: null,
    scores: {
      performance: point(92, 81),
      accessibility: point(100, 94, { interval: { low: -6, high: -6, confidence: 0.95 } }),
      'best-practices': point(96, 96, {
        difference: 0,
        interval: { low: 0, high: 0, confidence: 0.95 },
        status: 'no_difference',
      }),
      seo: point(90, 90, { difference: 0, interval: null, status: 'no_difference', by: null }),
    },
    custom_metrics: {},
    metrics: {
      largest_contentful_paint: buildMeasure(),
      total_blocking_time: buildMeasure({
        before: 110,
        after: 160,
        difference: 50,
        interval: { low: -30, high: 140, confidence: 0.95 },
        min_effect: 50,
        status: 'undecided',
        more_runs: 3,
      }),
      cumulative_layout_shift: buildMeasure({
        unit: 'unitless',
        before: 0.21,
        after: 0.05,
        difference: -0.16,
        interval: { low: -0.19, high: -0.12, confidence: 0.95 },
        min_effect: 0.02,
        status: 'better',
      }),
      first_contentful_paint: buildMeasure({
        before: 1200,
        after: 1210,
        difference: 10,
        interval: { low: -20, high: 40, confidence: 0.95 },
        min_effect: 60,
        status: 'no_difference',
      }),
    },
    audits: [
      {
        id: 'image-alt',
        title: 'Image elements do not have `[alt]` attributes',
        categories: ['accessibility', 'seo'],
        before: 'passed',
        after: 'failed',
      },
      {
        id: 'unused-javascript',
        title: 'Reduce unused JavaScript',
        categories: ['performance'],
        before: 'not_applicable',
        after: 'failed',
      },
      {
        id: 'unsized-images',
        title: 'Image elements do not have explicit `width` and `height`',
        categories: ['performance'],
        before: 'failed',
        after: 'passed',
      },
    ],
    requests: {
      before: { requests: 34, bytes: 812_000 },
      after: { requests: 36, bytes: 1_304_000 },
      added: [
        file('consent-manager-with-a-rather-long-name-of-its-bundle.4f7a91c0e2d85b.js', 240_000),
        file('tides.js', 61_000),
        file('outer-light.avif', 190_000, 'Image', 2),
      ],
      removed: [file('tides-v2.js', 59_000)],
      changed: [
        {
          url: 'https://www.harbour.example/scripts/timetable.js',
          type: 'Script',
          before: { requests: 1, bytes: 88_000 },
          after: { requests: 1, bytes: 152_000 },
        },
      ],
    },
    ...fields,
  };
}

const changedFile = (name: string, fields: Partial<FileChange> & Pick<FileChange, 'kind'>): FileChange => ({
  ...file(name, 0),
  resource_bytes: { before: 280_000, after: 280_000 },
  bytes: { before: 88_000, after: 88_000 },
  cpu_ms: { before: 120, after: 120 },
  requests: { before: 1, after: 1 },
  ...fields,
});

/** The usual comparison: both sides are simulated under the same conditions, and files explain 8.5 of 11 points. */
export function buildAlike(): ResultsComparison {
  const { verdict, ...fields } = buildResultsComparison();
  const longName = 'consent-manager-with-a-rather-long-name-of-its-bundle.4f7a91c0e2d85b.js';
  return {
    ...fields,
    verdict: {
      ...verdict,
      explanation: `timetable.js grew (+64 kB, +310 ms of CPU time), and ${longName} was added (240 kB). ${verdict.explanation}`,
      judged_by: 'simulated_alike',
    },
    alike: {
      loads: { before: 5, after: 5 },
      cpu_factor: { before: 1, after: 0.94 },
      scores: { performance: point(92, 81) },
      metrics: { largest_contentful_paint: buildMeasure() },
      files: [
        changedFile('timetable.js', {
          kind: 'size',
          bytes: { before: 88_000, after: 152_000 },
          cpu_ms: { before: 120, after: 430 },
          explains: { performance: -6.4, largest_contentful_paint: 620, total_blocking_time: 180 },
        }),
        changedFile(longName, {
          kind: 'added',
          bytes: { before: 0, after: 240_000 },
          cpu_ms: { before: 0, after: 90 },
          explains: { performance: -2.4, largest_contentful_paint: 180, total_blocking_time: 20 },
        }),
        changedFile('tides-v2.js', {
          kind: 'removed',
          bytes: { before: 59_000, after: 0 },
          cpu_ms: { before: 12, after: 0 },
          explains: { performance: 0.3, largest_contentful_paint: -20, total_blocking_time: 0 },
        }),
        changedFile('outer-light.avif', { kind: 'packed', bytes: { before: 12_000, after: 11_000 } }),
      ],
    },
  };
}

/** One run on each side: too few for a verdict. */
export const buildUndecided = (): ResultsComparison => {
  const undecided = {
    interval: null,
    confidence: null,
    p_value: null,
    by: null,
    status: 'undecided',
    more_runs: 4,
  } as const;
  return buildResultsComparison({
    before: buildSide('before', { runs: 1, labels: [], strategy: 'desktop', to: '2026-11-20T09:00:00.000Z' }),
    after: buildSide('after', {
      runs: 1,
      labels: [],
      url: 'https://harbour.example/timetable?season=winter&berth=4',
      to: '2026-11-21T09:00:00.000Z',
    }),
    verdict: {
      status: 'undecided',
      explanation:
        'Undecided: one run cannot separate a change from noise. 7 more runs of the current build (about 1 min 24 s) would show its usual spread.',
      more_runs: 4,
      by_numbers: 'undecided',
      decided_by: ['performance'],
      against: [],
      judged_by: 'measured',
      bound: null,
    },
    differences: [
      { name: 'strategy', before: ['desktop'], after: ['mobile'], effect: 'no_verdict' },
      { name: 'machine_id', before: ['a'], after: ['b'], effect: 'possible_cause' },
    ],
    scores: { performance: point(92, 90, undecided) },
    metrics: { largest_contentful_paint: buildMeasure({ ...undecided, after: null, difference: null }) },
    audits: [],
    requests: {
      before: { requests: 34, bytes: 812_000 },
      after: { requests: 34, bytes: 812_100 },
      added: [],
      removed: [],
      changed: [],
    },
  });
};
