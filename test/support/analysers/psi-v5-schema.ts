/**
 * Closed schema of a PSI v5 answer, from the public description and answers recorded in 2026. It allows only keys that
 * occur there, and requires those that every recorded answer has.
 */
type Schema = Record<string, unknown>;

const text: Schema = { type: 'string', minLength: 1 };
const number: Schema = { type: 'number' };
const integer: Schema = { type: 'integer' };
const flag: Schema = { type: 'boolean' };
const time: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' };
const address: Schema = { type: 'string', pattern: '^https?://' };
const score: Schema = { anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, { type: 'null' }] };
const listOf = (items: Schema, minItems = 0): Schema => ({ type: 'array', items, minItems });
const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
const oneOf = (...values: readonly unknown[]): Schema => ({ enum: values });

/** Requires every property except those whose name ends with a question mark. */
const closed = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name.replace('?', ''), schema])),
  required: Object.keys(properties).filter(name => !name.endsWith('?')),
  additionalProperties: false,
});

const fieldMetric = closed({
  percentile: integer,
  distributions: listOf(closed({ 'min?': integer, 'max?': integer, proportion: number }), 3),
  category: oneOf('FAST', 'AVERAGE', 'SLOW', 'NONE'),
  'median?': integer,
  'metricId?': text,
  'formFactor?': text,
});

const loadingExperience = closed({
  'id?': address,
  'metrics?': mapOf(fieldMetric),
  'overall_category?': oneOf('FAST', 'AVERAGE', 'SLOW', 'NONE'),
  'initial_url?': address,
  'origin_fallback?': oneOf(true),
});

const audit = closed({
  id: text,
  title: text,
  description: text,
  score,
  scoreDisplayMode: oneOf(...['numeric', 'binary', 'manual', 'informative', 'notApplicable', 'error', 'metricSavings']),
  'displayValue?': text,
  'numericValue?': number,
  'numericUnit?': text,
  'metricSavings?': closed({ 'FCP?': number, 'LCP?': number, 'TBT?': number, 'CLS?': number, 'INP?': number }),
  'details?': { type: 'object', properties: { type: text }, required: ['type'] },
  'warnings?': listOf(text),
  'explanation?': text,
  'errorMessage?': text,
});

const category = closed({
  id: text,
  title: text,
  'description?': text,
  score,
  'manualDescription?': text,
  'categoryScoreDisplayMode?': oneOf('gauge', 'fraction'),
  auditRefs: listOf(closed({ id: text, weight: number, 'group?': text, 'acronym?': text }), 1),
});

const lighthouseResult = closed({
  requestedUrl: address,
  finalUrl: address,
  mainDocumentUrl: address,
  finalDisplayedUrl: address,
  lighthouseVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
  userAgent: text,
  fetchTime: time,
  environment: closed({
    networkUserAgent: text,
    hostUserAgent: text,
    benchmarkIndex: number,
    // Only if axe has run.
    'credits?': mapOf(text),
  }),
  runWarnings: listOf(text),
  configSettings: closed({
    emulatedFormFactor: oneOf('mobile', 'desktop'),
    formFactor: oneOf('mobile', 'desktop'),
    locale: text,
    onlyCategories: listOf(text, 1),
    channel: oneOf('lr'),
  }),
  audits: mapOf(audit),
  categories: closed({
    'performance?': category,
    'accessibility?': category,
    'best-practices?': category,
    'seo?': category,
    'agentic-browsing?': category,
  }),
  categoryGroups: mapOf(closed({ title: text, 'description?': text })),
  timing: closed({ total: number }),
  entities: listOf(
    closed({
      name: text,
      'isFirstParty?': flag,
      'isUnrecognized?': flag,
      origins: listOf(text, 1),
      'homepage?': text,
      'category?': text,
    }),
    1,
  ),
  fullPageScreenshot: closed({
    screenshot: closed({
      data: { type: 'string', pattern: '^data:image/webp;base64,' },
      width: integer,
      height: integer,
    }),
    nodes: { type: 'object' },
  }),
  'stackPacks?': listOf(closed({ id: text, title: text, 'iconDataURL?': text, descriptions: mapOf(text) }), 1),
});

export const psiAnswerSchema: Schema = closed({
  captchaResult: oneOf('CAPTCHA_NOT_NEEDED'),
  kind: oneOf('pagespeedonline#result'),
  id: address,
  loadingExperience,
  'originLoadingExperience?': loadingExperience,
  lighthouseResult,
  analysisUTCTimestamp: time,
});
