/** Judges what the service said about a page, by the row of the page and by plain Lighthouse. */
import { categories, type Said } from './plain.ts';
import type { Page } from './site.ts';

export type Verdict = {
  /** Reasons why the service was wrong; empty if it was right. */
  wrong: string[];
  /** Whether plain Lighthouse did better. */
  isWorse: boolean;
  isSlower: boolean;
};

/** Plain Lighthouse is the yardstick for pages that are to be measured, not for those that are to be refused. */
function findWorse(ours: Said, plain: Said): string[] {
  if (plain.outcome !== 'measured') return [];
  if (ours.outcome !== 'measured') return [`plain Lighthouse measured it`];
  const lacking = categories.filter(name => plain.scores[name] != null && ours.scores[name] == null);
  const erred = ours.erred.filter(id => !plain.erred.includes(id));
  return [
    ...lacking.map(name => `no score for ${name}`),
    ...(erred.length > 0 ? [`failed audits: ${erred.join(', ')}`] : []),
    ...(plain.hasMarker && !ours.hasMarker ? ['plain Lighthouse saw more of the page'] : []),
  ];
}

function findWrong(page: Page, ours: Said, isExpected: boolean): string[] {
  const { pageStatus, says, isMarked, isRetryable } = page;
  return [
    ...(isExpected ? [] : [`expected ${[page.expected].flat().join(' or ')}`]),
    ...(ours.pageStatus === pageStatus || pageStatus === undefined ? [] : [`expected page_status ${pageStatus}`]),
    ...(isRetryable === undefined || ours.isRetryable === isRetryable ? [] : [`expected retryable ${isRetryable}`]),
    ...(isMarked && ours.outcome === 'measured' && !ours.hasMarker ? ['measured without its script'] : []),
    ...(says && ![ours.detail ?? '', ...ours.warnings].some(text => says.test(text)) ? [`does not say ${says}`] : []),
  ];
}

export function judge(page: Page, ours: Said, plain: Said | undefined): Verdict {
  const expected: readonly string[] = [page.expected].flat();
  const worse = plain && expected.includes('measured') ? findWorse(ours, plain) : [];
  return {
    wrong: [...findWrong(page, ours, expected.includes(ours.outcome)), ...worse],
    isWorse: worse.length > 0,
    isSlower: plain !== undefined && ours.seconds > 1.1 * plain.seconds + 1,
  };
}
