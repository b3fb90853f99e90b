/** Answers rich enough to show everything the page can draw. */
import type { FieldVitals, Result } from '../../src/contract/result.ts';
import { buildComparison, buildFailedAudit, buildLocalResult, buildProblem, buildResult } from './reports.ts';

export const url = 'https://harbour.example/timetable?season=winter&berth=4';

/** One grey pixel. */
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const node = (selector: string, snippet: string, explanation: string) => ({
  node: { type: 'node', selector, snippet, explanation: `Fix any of the following:\n  ${explanation}` },
});

const wholeResult = {
  audits: {
    'screenshot-thumbnails': {
      details: {
        type: 'filmstrip',
        items: [375, 750, 1125, 1500, 1875, 2250, 2625, 3000].map(timing => ({ timing, data: pixel })),
      },
    },
    'image-delivery-insight': {
      details: {
        type: 'table',
        headings: [
          { key: 'url', valueType: 'url', label: 'URL' },
          { key: 'wastedBytes', valueType: 'bytes', label: 'Est Savings' },
        ],
        items: Array.from({ length: 13 }, (_, at) => ({
          url: `https://harbour.example/pictures/2026/a-rather-long-name-of-a-picture-${at}.bmp?width=1600`,
          wastedBytes: 2_100_000 - at * 90_000,
        })),
      },
    },
    'image-alt': {
      details: {
        type: 'table',
        headings: [{ key: 'node', valueType: 'node', label: 'Failing Elements' }],
        items: [
          node(
            'main > img',
            '<img src="/pictures/outer-light.bmp" class="wide">',
            'Element does not have an alt attribute',
          ),
        ],
      },
    },
  },
};

const failedAudits = [
  buildFailedAudit('image-delivery-insight', {
    title: 'Improve image delivery',
    description:
      'Reducing the download time of images can improve the load time. [Learn more about optimizing image size](https://developer.chrome.com/docs/performance/insights/image-delivery)',
    savings: { largest_contentful_paint: 2400, first_contentful_paint: 150 },
    display_value: 'Est savings of 1,992 KiB',
  }),
  buildFailedAudit('bootup-time', {
    title: 'Reduce JavaScript execution time',
    savings: { total_blocking_time: 410 },
    score: 50,
  }),
  buildFailedAudit('image-alt', {
    title: 'Image elements do not have `[alt]` attributes',
    categories: ['accessibility', 'seo'],
  }),
  buildFailedAudit('deprecations', {
    title: 'Uses deprecated APIs',
    categories: ['best-practices'],
    score: null,
    error_message: 'Required gatherer did not run.',
  }),
];

const field: FieldVitals = {
  scope: 'origin',
  collected_by: 'psi',
  period: { first_date: '2026-10-20', last_date: '2026-11-16' },
  assessment: 'failed',
  largest_contentful_paint: {
    p75: 2900,
    unit: 'millisecond',
    rating: 'needs-improvement',
    distribution: [0.62, 0.25, 0.13],
  },
  interaction_to_next_paint: { p75: 140, unit: 'millisecond', rating: 'good', distribution: [0.88, 0.08, 0.04] },
  cumulative_layout_shift: { p75: 0.31, unit: 'unitless', rating: 'poor', distribution: [0.4, 0.2, 0.4] },
};

export const facts = {
  url,
  scores: { performance: 61, accessibility: 88, 'best-practices': 96, seo: null },
  metrics: {
    largest_contentful_paint: 4900,
    total_blocking_time: 410,
    cumulative_layout_shift: 0.31,
    first_contentful_paint: 1500,
    speed_index: 3600,
    interactive: null,
  },
  failed_audits: failedAudits,
};

export const richResult = (fields: Partial<Result> = {}): Result =>
  buildResult({
    ...facts,
    analyser: { kind: 'google', host: 'pagespeedonline.googleapis.com' },
    final_url: 'https://www.harbour.example/timetable?season=winter&berth=4',
    warnings: ['The page may not be loading as expected because your test URL was redirected.'],
    core_web_vitals: { ...buildResult().core_web_vitals, field },
    cache: { status: 'hit', age: 742, expires_at: '2026-11-21T12:00:00.000Z' },
    lighthouse_result: wholeResult,
    ...fields,
  } as Parameters<typeof buildResult>[0]);

const remote = () => richResult({ lighthouse_result: undefined } as unknown as Partial<Result>);
export const local = () =>
  buildLocalResult({
    ...facts,
    scores: { performance: 35, accessibility: 88, 'best-practices': 92, seo: 90 },
    metrics: { ...facts.metrics, largest_contentful_paint: 7200, total_blocking_time: 1480 },
    failed_audits: [
      ...failedAudits.slice(0, 3),
      buildFailedAudit('errors-in-console', { title: 'Browser errors were logged', categories: ['best-practices'] }),
    ],
  });

/** A comparison with everything that the service may say of one. */
export const comparison = () =>
  buildComparison(remote(), local(), {
    verdict:
      'Lighthouse on this machine scores performance 26 points lower than PageSpeed Insights (35 against 61): −19 by the processor each side imitates (computed).',
    performance: {
      difference: -26,
      rounding: 0.2,
      metrics: {
        total_blocking_time: { points: -21.4 },
        largest_contentful_paint: { points: -5.6 },
        speed_index: { points: 0.8 },
      },
    },
    causes: [
      {
        cause: 'cpu',
        category: 'performance',
        points: -19,
        certainty: 'computed',
        evidence: [{ fact: 'Processor slowed down', psi: 1.2, lighthouse: 4 }],
        explanation: 'The local side slows the processor down 4 times, the remote side 1.2 times.',
      },
      {
        cause: 'chrome_version',
        category: null,
        points: null,
        certainty: 'observed',
        evidence: [
          { fact: 'Browser', psi: 'HeadlessChrome/150.0.7623.114', lighthouse: 'HeadlessChrome/151.0.7681.22' },
          { fact: 'Measured at', psi: '2026-11-20T09:57:41.212Z', lighthouse: '2026-11-20T10:00:00.000Z' },
          {
            fact: 'Final URL',
            psi: 'https://www.harbour.example/timetable/winter/2026/berth-4?utm_campaign=autumn_newsletter',
            lighthouse: 'https://www.harbour.example/timetable/winter/2026/berth-4',
          },
        ],
        explanation: 'The browsers differ.',
      },
      {
        cause: 'run_noise',
        category: 'performance',
        points: -7,
        certainty: 'possible',
        evidence: [],
        explanation: 'Runs differ by themselves.',
      },
    ],
    noise: {
      runs: 3,
      scores: { performance: { min: 33, median: 35, max: 38, spread: 5, psi: 61, psi_inside: false } },
    },
  });

export const pages = ['https://harbour.example/', url, 'https://harbour.example/missing'];
export const batchEntries = [
  { ...buildResult({ url: pages[0] ?? '' }) },
  { ...remote() },
  { url: pages[2], error: buildProblem({ source: 'psi', page_status: 404 }) },
];
