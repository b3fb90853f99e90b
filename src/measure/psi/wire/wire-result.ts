import { processForProto } from 'lighthouse/core/lib/proto-preprocessor.js';
import { isObject } from '../../../contract/result/details.ts';
import { isLhr, type Lhr } from '../../lhr/lhr.ts';
import type { LoadingExperience } from './field-data.ts';
import { keptNames } from './wire-fields.ts';

/** The parts of a PSI v5 answer (`pagespeedonline#result`) that this service reads. */
export type PsiResult = {
  id?: string;
  loadingExperience?: LoadingExperience;
  originLoadingExperience?: LoadingExperience;
  analysisUTCTimestamp?: string;
  lighthouseResult: Lhr;
};

export const isPsiResult = (body: unknown): body is PsiResult => isObject(body) && isLhr(body.lighthouseResult);

type Fields = Record<string, unknown>;

const pick = (from: object | undefined, keys: readonly string[]): Fields =>
  Object.fromEntries(keys.flatMap(key => (from && key in from ? [[key, (from as Fields)[key]]] : [])));

/** Selects lists that are not empty, because PSI sends no empty lists. */
const pickFilled = (from: Fields, keys: readonly string[]): Fields =>
  pick(
    from,
    keys.filter(key => Array.isArray(from[key]) && from[key].length > 0),
  );

const mapValues = (from: object, convert: (value: Fields) => Fields): Fields =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, convert(value)]));

const toCategory = (category: Fields): Fields => ({
  ...pick(category, keptNames.category),
  auditRefs: (category.auditRefs as Fields[]).map(ref => pick(ref, keptNames.auditRef)),
});

/** Removes the group of hidden audits, which has no title. PSI refers to it but does not list it. */
const toGroups = (groups: object): Fields =>
  Object.fromEntries(Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0));

const toLighthouseResult = (lhr: Lhr): Fields => {
  const plain = processForProto(lhr as unknown as Parameters<typeof processForProto>[0]) as unknown as Fields & Lhr;
  return {
    ...pick(plain, keptNames.circumstances),
    runWarnings: plain.runWarnings ?? [],
    configSettings: {
      emulatedFormFactor: plain.configSettings?.formFactor,
      ...pick(plain.configSettings, keptNames.configSettings),
    },
    audits: mapValues(plain.audits, audit => pick(audit, keptNames.audit)),
    categories: mapValues(plain.categories, toCategory),
    ...(plain.categoryGroups ? { categoryGroups: toGroups(plain.categoryGroups) } : {}),
    timing: pick(plain.timing as object | undefined, ['total']),
    ...pickFilled(plain, ['stackPacks', 'entities']),
    ...pick(plain, ['fullPageScreenshot']),
  };
};

/**
 * Converts a Lighthouse result to the format of PSI v5. Without field data, the `loadingExperience` contains only the
 * URL, and there is no `originLoadingExperience`, as in PSI. Empty strings are omitted, as in PSI.
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
