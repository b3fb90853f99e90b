/**
 * The fields of a PSI v5 answer, in the order they come over the wire: what the API's public description names and
 * recorded answers have. What a plain Lighthouse result has beside them is dropped on the way, and a `fields` mask
 * that names anything else is refused.
 */

/** A value whose parts have no names of their own here: a plain value, a map, or a table of details. */
export const anything = 'anything';

/** A field and what is inside; the name `*` stands for the free keys of a map. */
export type WireFields = typeof anything | { readonly [name: string]: WireFields };

const named = (...names: readonly string[]): { readonly [name: string]: WireFields } =>
  Object.fromEntries(names.map(name => [name, anything]));

const audit = named(
  ...['id', 'title', 'description', 'score', 'scoreDisplayMode', 'displayValue', 'explanation', 'errorMessage'],
  ...['warnings', 'details', 'numericValue', 'numericUnit', 'metricSavings'],
);

const auditRef = named('id', 'weight', 'group', 'acronym');

const category = {
  ...named('id', 'title', 'description', 'score', 'manualDescription', 'categoryScoreDisplayMode'),
  auditRefs: { ...auditRef, ...named('relevantAudits') },
};

const configSettings = named('emulatedFormFactor', 'formFactor', 'locale', 'onlyCategories', 'channel');

const circumstances = named(
  ...['requestedUrl', 'finalUrl', 'mainDocumentUrl', 'finalDisplayedUrl', 'lighthouseVersion', 'userAgent'],
  ...['fetchTime', 'environment', 'runtimeError'],
);

const lighthouseResult = {
  ...circumstances,
  ...named('runWarnings'),
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
  ...named('categoryGroups'),
  timing: named('total'),
  ...named('i18n', 'stackPacks', 'entities', 'fullPageScreenshot'),
};

export const answerFields: WireFields = {
  ...named('captchaResult', 'kind', 'id', 'loadingExperience', 'originLoadingExperience'),
  lighthouseResult,
  ...named('analysisUTCTimestamp', 'version'),
};

/** Names by the part of a Lighthouse result they stand in. References to other audits are described, yet never sent. */
export const keptNames = {
  circumstances: Object.keys(circumstances),
  audit: Object.keys(audit),
  auditRef: Object.keys(auditRef),
  category: Object.keys(category).filter(name => name !== 'auditRefs'),
  configSettings: Object.keys(configSettings),
} as const;
