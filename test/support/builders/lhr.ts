/** Lighthouse results for tests. They are valid by default, so a test names only the fields it is about. */
import type { Lhr, LhrAudit, LhrCategory } from '../../../src/measure/lhr/lhr.ts';

type AuditFields = Partial<LhrAudit>;
type AuditRef = LhrCategory['auditRefs'][number];

export const buildAudit = (id: string, fields: AuditFields = {}): LhrAudit => ({
  id,
  title: `Title of ${id}`,
  description: `Description of ${id}`,
  score: 1,
  scoreDisplayMode: 'binary',
  ...fields,
});

export const buildRef = (id: string, weight = 1, group?: string): AuditRef => ({
  id,
  weight,
  ...(group === undefined ? {} : { group }),
});

export const buildCategory = (
  id: string,
  auditRefs: readonly AuditRef[] = [],
  score: number | null = 1,
): LhrCategory => ({
  id,
  title: `Title of ${id}`,
  score,
  auditRefs,
});

const keyed = <T extends { id?: string }>(parts: readonly T[]): Record<string, T> =>
  Object.fromEntries(parts.map(part => [part.id, part]));

type LhrFields = Partial<Omit<Lhr, 'audits' | 'categories'>> & {
  audits?: readonly LhrAudit[];
  categories?: readonly LhrCategory[];
};

export const buildLhr = ({ audits = [], categories = [], ...fields }: LhrFields = {}): Lhr => ({
  lighthouseVersion: '13.5.0',
  requestedUrl: 'https://example.com/',
  finalDisplayedUrl: 'https://example.com/',
  fetchTime: '2026-11-20T10:00:00.000Z',
  runWarnings: [],
  audits: keyed(audits),
  categories: keyed(categories),
  ...fields,
});

const timing = (id: string, numericValue: number): LhrAudit =>
  buildAudit(id, {
    scoreDisplayMode: 'numeric',
    displayValue: `${numericValue} ms`,
    numericValue,
    numericUnit: 'millisecond',
  });

export const metricRefs: readonly AuditRef[] = [
  { id: 'first-contentful-paint', weight: 10, group: 'metrics', acronym: 'FCP' },
  { id: 'largest-contentful-paint', weight: 25, group: 'metrics', acronym: 'LCP' },
  { id: 'total-blocking-time', weight: 30, group: 'metrics', acronym: 'TBT' },
  { id: 'cumulative-layout-shift', weight: 25, group: 'metrics', acronym: 'CLS' },
  { id: 'speed-index', weight: 10, group: 'metrics', acronym: 'SI' },
  { id: 'interactive', weight: 0, group: 'hidden', acronym: 'TTI' },
  { id: 'server-response-time', weight: 0, group: 'hidden' },
];

export const buildMetricAudits = (): LhrAudit[] => [
  timing('first-contentful-paint', 900),
  timing('largest-contentful-paint', 1200),
  timing('total-blocking-time', 0),
  buildAudit('cumulative-layout-shift', {
    scoreDisplayMode: 'numeric',
    displayValue: '0.01',
    numericValue: 0.01,
    numericUnit: 'unitless',
  }),
  timing('speed-index', 1500),
  timing('interactive', 1300),
  timing('server-response-time', 80),
];

/** A result with the metrics of a good page. */
export const buildMeasuredLhr = ({ audits = [], categories = [], ...fields }: LhrFields = {}): Lhr =>
  buildLhr({
    audits: [...buildMetricAudits(), ...audits],
    categories: [buildCategory('performance', metricRefs), ...categories],
    ...fields,
  });

/**
 * A result with every part that Lighthouse 13.5 writes, including those that PSI drops. The shape follows
 * core/runner.js and types/lhr/*.d.ts; the content is made up.
 */
export const buildPlainLhr = () => ({
  lighthouseVersion: '13.5.0',
  requestedUrl: 'http://example.com/',
  mainDocumentUrl: 'https://example.com/',
  finalDisplayedUrl: 'https://example.com/#top',
  finalUrl: 'https://example.com/',
  fetchTime: '2026-11-20T10:00:00.000Z',
  gatherMode: 'navigation',
  runWarnings: ['The page may not be loading as expected.'],
  userAgent: 'Mozilla/5.0 HeadlessChrome/153.0.0.0',
  environment: {
    networkUserAgent: 'Mozilla/5.0 Mobile',
    hostUserAgent: 'Mozilla/5.0 HeadlessChrome/153.0.0.0',
    benchmarkIndex: 2780,
    credits: { 'axe-core': '4.12.1' },
  },
  audits: {
    'first-contentful-paint': {
      id: 'first-contentful-paint',
      title: 'First Contentful Paint',
      description: 'Marks the time at which the first text or image is painted.',
      score: 0.99,
      scoreDisplayMode: 'numeric',
      numericValue: 900.5,
      numericUnit: 'millisecond',
      displayValue: '0.9 s',
      scoringOptions: { p10: 1800, median: 3000 },
    },
    'image-alt': {
      id: 'image-alt',
      title: 'Image elements have `[alt]` attributes',
      description: '',
      score: null,
      scoreDisplayMode: 'notApplicable',
    },
    'unused-css-rules': {
      id: 'unused-css-rules',
      title: 'Reduce unused CSS',
      description: 'Reduce unused rules.',
      score: 0,
      scoreDisplayMode: 'metricSavings',
      numericValue: 0,
      numericUnit: 'millisecond',
      displayValue: '',
      warnings: [],
      metricSavings: { FCP: 0, LCP: 150 },
      details: {
        type: 'opportunity',
        items: [{ url: '', wastedBytes: 10 }, { url: 'https://example.com/\ud800.css' }],
        headings: [],
        overallSavingsMs: 0,
      },
      guidanceLevel: 1,
      replacesAudits: ['unminified-css'],
      scoringOptions: { p10: 0, median: 0 },
    },
    deprecations: {
      id: 'deprecations',
      title: 'Uses deprecated APIs',
      description: 'Deprecated APIs will be removed.',
      score: null,
      scoreDisplayMode: 'error',
      errorMessage: 'Required SourceMaps gatherer did not run.',
      errorStack: 'Error: at core/runner.js:1:1',
      explanation: 'No source maps.',
    },
  },
  configSettings: {
    output: 'json',
    maxWaitForFcp: 15000,
    maxWaitForLoad: 35000,
    formFactor: 'mobile',
    throttling: { rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 1.2 },
    throttlingMethod: 'simulate',
    screenEmulation: { mobile: true, width: 412, height: 823, deviceScaleFactor: 1.75, disabled: false },
    emulatedUserAgent: 'Mozilla/5.0 Mobile',
    auditMode: false,
    gatherMode: false,
    locale: 'en-US',
    onlyAudits: null,
    onlyCategories: ['performance', 'accessibility'],
    skipAudits: ['modern-http-insight', 'bf-cache'],
    channel: 'lr',
  },
  categories: {
    performance: {
      id: 'performance',
      title: 'Performance',
      supportedModes: ['navigation', 'timespan', 'snapshot'],
      score: 0.99,
      auditRefs: [
        {
          id: 'first-contentful-paint',
          weight: 10,
          group: 'metrics',
          acronym: 'FCP',
          relevantAudits: ['render-blocking-insight'],
        },
        { id: 'unused-css-rules', weight: 0, group: 'diagnostics' },
        { id: 'deprecations', weight: 0 },
      ],
    },
    accessibility: {
      id: 'accessibility',
      title: 'Accessibility',
      description: 'These checks highlight opportunities.',
      manualDescription: 'These items address areas.',
      categoryScoreDisplayMode: 'gauge',
      supportedModes: ['navigation', 'snapshot'],
      score: null,
      auditRefs: [{ id: 'image-alt', weight: 10, group: 'a11y-names-labels' }],
    },
  },
  categoryGroups: {
    metrics: { title: 'Metrics' },
    hidden: { title: '' },
    webmcp: { title: 'WebMCP', description: 'Tools for agents.' },
  },
  stackPacks: [] as unknown[],
  entities: [{ name: 'example.com', isFirstParty: true, isUnrecognized: true, origins: ['https://example.com'] }],
  fullPageScreenshot: { screenshot: { data: 'data:image/webp;base64,AAAA', width: 412, height: 823 }, nodes: {} },
  timing: { entries: [{ startTime: 1, name: 'lh:config', duration: 2, entryType: 'measure' }], total: 6543.21 },
  i18n: { rendererFormattedStrings: { errorLabel: 'Error!' }, icuMessagePaths: {} },
});
