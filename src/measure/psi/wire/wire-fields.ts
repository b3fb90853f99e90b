/**
 * The fields of a PSI v5 answer, in the order they come over the wire: what the API's public description names and
 * recorded answers have. What a plain Lighthouse result has next to them is dropped on the way, and a `fields` mask
 * that names anything else is refused.
 */

/** A value whose parts have no names of their own here: a map, or a table of details. */
export const anything = 'anything';
/** Text, a number, a yes or no, or a list of those: nothing is inside. */
export const plain = 'plain';

/** A field and what is inside; the name `*` stands for the free keys of a map. */
export type WireFields = typeof anything | typeof plain | Message;
type Message = { readonly [name: string]: WireFields };

const allPlain = (...names: readonly string[]): Message => Object.fromEntries(names.map(name => [name, plain]));

const audit: Message = {
  ...allPlain('id', 'title', 'description', 'score', 'scoreDisplayMode', 'displayValue', 'explanation', 'errorMessage'),
  warnings: anything,
  details: anything,
  ...allPlain('numericValue', 'numericUnit'),
  metricSavings: allPlain('FCP', 'LCP', 'TBT', 'CLS', 'INP'),
};

const auditRef: Message = allPlain('id', 'weight', 'group', 'acronym');

const category: Message = {
  ...allPlain('id', 'title', 'description', 'score', 'manualDescription', 'categoryScoreDisplayMode'),
  auditRefs: { ...auditRef, ...allPlain('relevantAudits') },
};

const configSettings: Message = allPlain('emulatedFormFactor', 'formFactor', 'locale', 'onlyCategories', 'channel');

const circumstances: Message = {
  ...allPlain('requestedUrl', 'finalUrl', 'mainDocumentUrl', 'finalDisplayedUrl', 'lighthouseVersion', 'userAgent'),
  fetchTime: plain,
  environment: { ...allPlain('networkUserAgent', 'hostUserAgent', 'benchmarkIndex'), credits: anything },
  runtimeError: allPlain('code', 'message'),
};

const lighthouseResult: Message = {
  ...circumstances,
  // A list of any values, by the public description.
  runWarnings: anything,
  configSettings,
  audits: { '*': audit },
  categories: {
    performance: category,
    accessibility: category,
    'best-practices': category,
    seo: category,
    pwa: category,
    'agentic-browsing': category,
  },
  categoryGroups: { '*': allPlain('title', 'description') },
  timing: allPlain('total'),
  i18n: { rendererFormattedStrings: anything },
  stackPacks: { ...allPlain('id', 'title', 'iconDataURL'), descriptions: anything },
  entities: anything,
  fullPageScreenshot: anything,
};

const fieldMetric: Message = {
  ...allPlain('percentile', 'category', 'median', 'metricId', 'formFactor'),
  distributions: allPlain('min', 'max', 'proportion'),
};

const loadingExperience: Message = {
  ...allPlain('id', 'overall_category', 'initial_url', 'origin_fallback'),
  metrics: { '*': fieldMetric },
};

export const answerFields: WireFields = {
  ...allPlain('captchaResult', 'kind', 'id'),
  loadingExperience,
  originLoadingExperience: loadingExperience,
  lighthouseResult,
  analysisUTCTimestamp: plain,
  version: allPlain('major', 'minor'),
};

/** Names by the part of a Lighthouse result they stand in. References to other audits are described, yet never sent. */
export const keptNames = {
  circumstances: Object.keys(circumstances),
  audit: Object.keys(audit),
  auditRef: Object.keys(auditRef),
  category: Object.keys(category).filter(name => name !== 'auditRefs'),
  configSettings: Object.keys(configSettings),
} as const;
