/**
 * The fields of a PSI v5 answer, in the order of recorded answers: all fields in the API's public description and in
 * recorded answers. Other fields of a Lighthouse result are omitted, and a `fields` mask that names them is refused.
 */

/** A value whose parts are not listed: a map, or a table of details. */
export const anything = 'anything';
/** Text, a number, a boolean, or a list of these. */
export const plain = 'plain';

/** Fields of a value, and their own fields. The name `*` matches any key of a map. */
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
  // The public description allows any values in this list.
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

/**
 * Field names by the part of a Lighthouse result that contains them. References to other audits are in the description,
 * but never sent.
 */
export const keptNames = {
  circumstances: Object.keys(circumstances),
  audit: Object.keys(audit),
  auditRef: Object.keys(auditRef),
  category: Object.keys(category).filter(name => name !== 'auditRefs'),
  configSettings: Object.keys(configSettings),
} as const;
