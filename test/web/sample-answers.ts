/** Sample answers with everything that the page can draw. */
import type { FieldVitals } from '../../src/contract/result/metrics.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { buildComparison, buildFailedAudit, buildLocalResult, buildProblem, buildResult } from './reports.ts';

export const url = 'https://harbour.example/timetable?season=winter&berth=4';

/** One gray pixel. */
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const node = (selector: string, snippet: string, explanation: string) => ({
  node: {
    type: 'node',
    lhId: '1-2-IMG',
    selector,
    snippet,
    explanation: `Fix any of the following:\n  ${explanation}`,
  },
});

const longScript = '/scripts/timetable-with-a-rather-long-name-of-its-bundle.4f7a91c0e2.js';
const other = (scoreDisplayMode: string, title: string, fields: object = {}) => ({
  title,
  description: `What it is about. [Learn more](https://developer.chrome.com/docs/lighthouse/).`,
  score: scoreDisplayMode === 'binary' || scoreDisplayMode === 'metricSavings' ? 1 : null,
  scoreDisplayMode,
  ...fields,
});
const refs = (...ids: readonly string[]) => ({ auditRefs: ids.map(id => ({ id, weight: 1 })) });

const harbour = 'https://www.harbour.example';
const requestItem = (path: string, resourceType: string, at: readonly [number, number], fields: object = {}) => ({
  url: path.startsWith('https:') ? path : `${harbour}${path}`,
  resourceType,
  networkRequestTime: at[0],
  networkEndTime: at[1],
  transferSize: 4000 + at[1] * 40,
  resourceSize: 9000 + at[1] * 80,
  statusCode: 200,
  priority: 'High',
  protocol: 'h2',
  mimeType: 'text/plain',
  cache: 'none',
  ...fields,
});

export const wholeResult = {
  categories: {
    performance: {
      auditRefs: [
        { id: 'largest-contentful-paint', weight: 25, group: 'metrics' },
        ...refs(
          'image-delivery-insight',
          'network-dependency-tree-insight',
          'document-latency-insight',
          'duplicated-javascript-insight',
        ).auditRefs,
        ...refs('unsized-images', 'viewport-insight').auditRefs,
        { id: 'network-requests', weight: 0, group: 'hidden' },
      ],
    },
    accessibility: refs('image-alt', 'color-contrast', 'video-caption', 'focus-traps'),
    'best-practices': refs('deprecations', 'is-on-https', 'csp-xss'),
    seo: refs('image-alt', 'document-title', 'structured-data'),
  },
  entities: [
    { name: 'harbour.example', isFirstParty: true, isUnrecognized: true, origins: [harbour] },
    { name: 'Tide Tables Inc.', origins: ['https://cdn.tides.example'] },
    { name: 'Lighthouse Ads', origins: ['https://ads.example'] },
  ],
  fullPageScreenshot: {
    screenshot: { data: pixel, width: 412, height: 2200 },
    nodes: { '1-2-IMG': { left: 0, top: 96, width: 412, height: 260 } },
  },
  audits: {
    'document-latency-insight': other('metricSavings', 'Document request latency', {
      details: { type: 'checklist', items: { a: { label: 'Server responds quickly (observed 41 ms)', value: true } } },
    }),
    'duplicated-javascript-insight': other('metricSavings', 'Duplicated JavaScript'),
    'unsized-images': other('informative', 'Image elements do not have explicit `width` and `height`', {
      displayValue: '2 images found',
    }),
    'viewport-insight': other('notApplicable', 'Optimize viewport for mobile'),
    'color-contrast': other('binary', 'Background and foreground colors have a sufficient contrast ratio'),
    'video-caption': other('notApplicable', '`<video>` elements contain a `<track>` element with `[kind="captions"]`'),
    'focus-traps': other('manual', 'User focus is not accidentally trapped in a region'),
    'is-on-https': other('binary', 'Uses HTTPS'),
    'csp-xss': other('informative', 'Ensure CSP is effective against XSS attacks'),
    'document-title': other('binary', 'Document has a `<title>` element'),
    'structured-data': other('manual', 'Structured data is valid'),
    'network-dependency-tree-insight': {
      details: {
        type: 'list',
        items: [
          {
            type: 'list-section',
            value: {
              type: 'network-tree',
              longestChain: { duration: 980 },
              chains: {
                '1': {
                  url: `${harbour}/timetable?season=winter&berth=4`,
                  navStartToEndTime: 240,
                  transferSize: 13_600,
                  isLongest: true,
                  children: {
                    '2': {
                      url: `${harbour}/style/harbour.css`,
                      navStartToEndTime: 610,
                      transferSize: 28_400,
                      children: {},
                    },
                    '3': {
                      url: harbour + longScript,
                      navStartToEndTime: 980,
                      transferSize: 43_200,
                      isLongest: true,
                      children: {},
                    },
                  },
                },
              },
            },
          },
          {
            type: 'list-section',
            title: 'Preconnected origins',
            description:
              '[preconnect](https://developer.chrome.com/docs/lighthouse/) hints help the browser connect early.',
            value: { type: 'text', value: 'no origins were preconnected' },
          },
        ],
      },
    },
    'script-treemap-data': {
      details: {
        type: 'treemap-data',
        nodes: [
          {
            name: harbour + longScript,
            resourceBytes: 312_400,
            encodedBytes: 43_200,
            unusedBytes: 184_000,
            children: [
              {
                name: 'node_modules',
                resourceBytes: 240_400,
                unusedBytes: 171_000,
                children: [
                  { name: 'chart/index.js', resourceBytes: 180_400, unusedBytes: 151_000 },
                  { name: 'dates/locales.js', resourceBytes: 60_000, unusedBytes: 20_000 },
                ],
              },
              { name: 'src/timetable.ts', resourceBytes: 72_000, unusedBytes: 13_000 },
            ],
          },
          {
            name: 'https://cdn.tides.example/v3/tides.js',
            resourceBytes: 121_800,
            encodedBytes: 60_400,
            unusedBytes: 30_000,
          },
          { name: `${harbour}/timetable`, resourceBytes: 2400, encodedBytes: 700, children: [] },
        ],
      },
    },
    'final-screenshot': { details: { type: 'screenshot', timing: 3000, data: pixel } },
    'lcp-breakdown-insight': {
      details: {
        type: 'list',
        items: [
          {
            type: 'table',
            items: [
              { subpart: 'timeToFirstByte', duration: 189.2 },
              { subpart: 'resourceLoadDelay', duration: 412.6 },
              { subpart: 'resourceLoadDuration', duration: 1630 },
              { subpart: 'elementRenderDelay', duration: 84.1 },
            ],
          },
          {
            type: 'node',
            lhId: '1-2-IMG',
            nodeLabel: 'The outer light at night',
            selector: 'main > figure.wide > img.outer-light',
            snippet: '<img src="/pictures/outer-light.bmp" class="outer-light" alt="The outer light at night">',
          },
        ],
      },
    },
    'render-blocking-insight': { details: { type: 'table', items: [{ url: `${harbour}/style/harbour.css` }] } },
    'network-requests': {
      details: {
        type: 'table',
        items: [
          requestItem('/timetable?season=winter&berth=4', 'Document', [2, 240], {
            priority: 'VeryHigh',
            mimeType: 'text/html',
          }),
          requestItem('/style/harbour.css', 'Stylesheet', [250, 610], { priority: 'VeryHigh', mimeType: 'text/css' }),
          requestItem(longScript, 'Script', [252, 980]),
          requestItem('https://cdn.tides.example/v3/tides.js', 'Script', [255, 1410], { priority: 'Low' }),
          requestItem('/fonts/beacon.woff2', 'Font', [620, 860], { mimeType: 'font/woff2' }),
          requestItem('/pictures/outer-light.bmp', 'Image', [640, 2280], {
            transferSize: 2_110_000,
            mimeType: 'image/bmp',
          }),
          requestItem('https://ads.example/pixel.gif', 'Image', [1500, 1720], { priority: 'VeryLow', statusCode: 404 }),
          requestItem('/api/departures', 'Fetch', [1430, 1900], { mimeType: 'application/json' }),
          requestItem('/favicon.ico', 'Other', [2300, 2340], { cache: 'disk', transferSize: 0 }),
          requestItem('https://ads.example/never', 'XHR', [1510, 1511], { statusCode: -1, networkEndTime: undefined }),
        ],
      },
    },
    'bootup-time': {
      details: {
        type: 'table',
        items: [
          {
            url: harbour + longScript,
            total: 1410,
            scripting: 1210,
            scriptParseCompile: 96,
          },
          { url: 'https://cdn.tides.example/v3/tides.js', total: 322, scripting: 290, scriptParseCompile: 18 },
        ],
      },
    },
    'third-parties-insight': {
      details: {
        type: 'table',
        items: [
          {
            entity: 'Tide Tables Inc.',
            mainThreadTime: 322,
            transferSize: 60_400,
            subItems: { type: 'subitems', items: [{ url: 'https://cdn.tides.example/v3/tides.js' }] },
          },
          {
            entity: 'Lighthouse Ads',
            mainThreadTime: 0,
            transferSize: 72_800,
            subItems: {
              type: 'subitems',
              items: [{ url: 'https://ads.example/pixel.gif' }, { url: 'https://ads.example/never' }],
            },
          },
        ],
      },
    },
    metrics: {
      details: {
        type: 'debugdata',
        items: [
          {
            observedFirstContentfulPaint: 640,
            observedLargestContentfulPaint: 2316,
            observedLastVisualChange: 2420,
          },
        ],
      },
    },
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
        items: [
          { url: `${harbour}/pictures/outer-light.bmp`, wastedBytes: 2_110_000 },
          ...Array.from({ length: 13 }, (_, at) => ({
            url: `https://harbour.example/pictures/2026/a-rather-long-name-of-a-picture-${at}.bmp?width=1600`,
            wastedBytes: 2_100_000 - at * 90_000,
          })),
        ],
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
    points: 12.3,
  }),
  buildFailedAudit('bootup-time', {
    title: 'Reduce JavaScript execution time',
    savings: { total_blocking_time: 410 },
    score: 50,
    points: 6,
  }),
  buildFailedAudit('network-dependency-tree-insight', {
    title: 'Network dependency tree',
    metrics: ['largest_contentful_paint'],
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

const range = (min: number, median: number, max: number) => ({ min, median, max, spread: max - min });

/** A result with a disturbed run, the usual range of its page, and late content. */
export const disturbedResult = (): Result =>
  richResult({
    warnings: [
      'This run was disturbed: main-thread tasks waited 1400 ms for a CPU while another audit ran on this machine.',
    ],
    disturbed: true,
    disturbance: {
      kinds: ['processor_wait'],
      denied: ['total_blocking_time', 'interactive'],
      performance: 87,
      total_blocking_time: 120,
    },
    late_content: { appeared_ms: 2610, filled_before: 12, largest_paint: 'body > footer.site-footer' },
    label: 'build-42',
    spread: {
      results: 12,
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-19T00:00:00.000Z',
      scores: { performance: range(84, 87, 90), accessibility: range(88, 88, 88) },
      metrics: { largest_contentful_paint: range(2100, 2300, 4800), cumulative_layout_shift: range(0.01, 0.02, 0.2) },
    },
  });

export const keptId = '01a201e3-ac0c-7234-9a1b-bd2e414329fe';
const self = `/results/${keptId}`;

/** A stored result as the service answers it: without the full Lighthouse result, which has its own URL. */
export const keptResult = (): Result => ({
  ...remote(),
  id: keptId,
  label: 'build-42',
  links: {
    self,
    report: `${self}/report`,
    screenshot: `${self}/screenshot`,
    trace: `${self}/trace`,
    network_log: `${self}/network-log`,
  },
});

const remote = () => richResult({ lighthouse_result: undefined } as unknown as Partial<Result>);
export const local = () =>
  buildLocalResult({
    ...facts,
    scores: { performance: 35, accessibility: 88, 'best-practices': 92, seo: 90 },
    metrics: { ...facts.metrics, largest_contentful_paint: 7200, total_blocking_time: 1480 },
    failed_audits: [
      ...failedAudits.slice(0, 4),
      buildFailedAudit('errors-in-console', { title: 'Browser errors were logged', categories: ['best-practices'] }),
    ],
  });

/** A comparison with every field that the service may answer. */
export const comparison = () =>
  buildComparison(remote(), local(), {
    explanation:
      'Local Lighthouse scores 35, Google 61. CPU throttling (4× instead of 1.2×) explains 19 of the 26 points.',
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
        explanation: 'CPU throttling is 1.2× on Google and 4× in local Lighthouse.',
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

const keptSide = (result: Result, at: number): Result => {
  const id = `${keptId.slice(0, -1)}${at}`;
  const links = { self: `/results/${id}`, report: `/results/${id}/report`, screenshot: `/results/${id}/screenshot` };
  return { ...result, id, links };
};

/** The same comparison with both sides stored. */
export const keptComparison = () => {
  const { psi, lighthouse, ...rest } = comparison();
  return { ...rest, psi: keptSide(psi, 1), lighthouse: keptSide(lighthouse, 2), id: keptId };
};

/** The full local result: other scripts, and no advertisement. */
export const localWhole = {
  ...wholeResult,
  audits: {
    ...wholeResult.audits,
    'network-requests': {
      details: {
        type: 'table',
        items: [
          ...wholeResult.audits['network-requests'].details.items.filter(({ url: asked }) => !asked.includes('ads.')),
          requestItem('/scripts/consent.js', 'Script', [300, 700]),
        ],
      },
    },
  },
};

export const pages = ['https://harbour.example/', url, 'https://harbour.example/missing'];
export const batchEntries = [
  { ...buildResult({ url: pages[0] ?? '' }) },
  { ...remote() },
  { url: pages[2], error: buildProblem({ source: 'psi', page_status: 404 }) },
];
