import { processForProto } from 'lighthouse/core/lib/proto-preprocessor.js';
import { isLhr, type Lhr } from '../report/lhr.ts';
import type { LoadingExperience } from './field-data.ts';

/** The answer of PSI v5 (`pagespeedonline#result`), as far as we read it. */
export type PsiResult = {
  id?: string;
  loadingExperience?: LoadingExperience;
  originLoadingExperience?: LoadingExperience;
  analysisUTCTimestamp?: string;
  lighthouseResult: Lhr;
};

export const isPsiResult = (body: unknown): body is PsiResult =>
  typeof body === 'object' && body !== null && 'lighthouseResult' in body && isLhr(body.lighthouseResult);

type Fields = Record<string, unknown>;

const pick = (from: object | undefined, keys: readonly string[]): Fields =>
  Object.fromEntries(keys.flatMap(key => (from && key in from ? [[key, (from as Fields)[key]]] : [])));

const mapValues = (from: object, convert: (value: Fields) => Fields): Fields =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, convert(value)]));

/** What PSI's proto keeps of a plain Lighthouse result, in the order it comes over the wire. */
const kept = {
  top: ['requestedUrl', 'finalUrl', 'mainDocumentUrl', 'finalDisplayedUrl', 'lighthouseVersion', 'userAgent'],
  configSettings: ['formFactor', 'locale', 'onlyCategories', 'channel'],
  audit: [
    ...['id', 'title', 'description', 'score', 'scoreDisplayMode', 'displayValue', 'explanation', 'errorMessage'],
    ...['warnings', 'details', 'numericValue', 'numericUnit', 'metricSavings'],
  ],
  category: ['id', 'title', 'description', 'score', 'manualDescription', 'categoryScoreDisplayMode'],
  auditRef: ['id', 'weight', 'group', 'acronym'],
} as const;

const toCategory = (category: Fields): Fields => ({
  ...pick(category, kept.category),
  auditRefs: (category.auditRefs as Fields[]).map(ref => pick(ref, kept.auditRef)),
});

/** The group of hidden audits has no title: over there it is referred to, but not listed. */
const toGroups = (groups: object): Fields =>
  Object.fromEntries(Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0));

const toLighthouseResult = (lhr: Lhr): Fields => {
  const plain = processForProto(lhr as unknown as Parameters<typeof processForProto>[0]) as unknown as Fields & Lhr;
  return {
    ...pick(plain, [...kept.top, 'fetchTime', 'environment', 'runtimeError']),
    runWarnings: plain.runWarnings ?? [],
    configSettings: {
      emulatedFormFactor: plain.configSettings?.formFactor,
      ...pick(plain.configSettings, kept.configSettings),
    },
    audits: mapValues(plain.audits, audit => pick(audit, kept.audit)),
    categories: mapValues(plain.categories, toCategory),
    ...(plain.categoryGroups ? { categoryGroups: toGroups(plain.categoryGroups) } : {}),
    timing: pick(plain.timing as object | undefined, ['total']),
    ...(Array.isArray(plain.stackPacks) && plain.stackPacks.length > 0 ? { stackPacks: plain.stackPacks } : {}),
    ...pick(plain, ['entities', 'fullPageScreenshot']),
  };
};

/**
 * A plain Lighthouse result in the shape PSI v5 gives it. Without field data PSI sends a `loadingExperience` that
 * holds the URL only, and no `originLoadingExperience`; so do we. Every empty string is left out, as over there.
 */
export function toPsiResult(lhr: Lhr): Fields {
  const finalUrl = lhr.finalDisplayedUrl ?? lhr.finalUrl ?? lhr.requestedUrl;
  return {
    captchaResult: 'CAPTCHA_NOT_NEEDED',
    kind: 'pagespeedonline#result',
    id: finalUrl,
    loadingExperience: { initial_url: finalUrl },
    lighthouseResult: toLighthouseResult(lhr),
    analysisUTCTimestamp: lhr.fetchTime,
  };
}
