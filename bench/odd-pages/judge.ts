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

/** Lighthouse may report an error of the whole page, and give scores all the same. */
function findWorse(ours: Said, plain: Said): string[] {
  const scored = categories.filter(name => typeof plain.scores[name] === 'number');
  if (scored.length === 0) return [];
  if (ours.outcome !== 'measured') return ['plain Lighthouse gave scores'];
  const lacking = scored.filter(name => typeof ours.scores[name] !== 'number');
  const erred = ours.erred.filter(id => !plain.erred.includes(id));
  return [
    ...(lacking.length > 0 ? [`no score for ${lacking.join(', ')}`] : []),
    ...(erred.length > 0 ? [`failed audits: ${erred.join(', ')}`] : []),
    ...(plain.hasMarker && !ours.hasMarker ? ['plain Lighthouse saw more of the page'] : []),
  ];
}

function findUnexpected({ expected, pageStatus, says, isMarked, isRetryable }: Page, ours: Said): string[] {
  const outcomes: readonly string[] = [expected].flat();
  const unexpected = outcomes.includes(ours.outcome) ? [] : [`expected ${outcomes.join(' or ')}`];
  const isMeasured = ours.outcome === 'measured';
  if (isMeasured && isMarked && !ours.hasMarker) unexpected.push('measured without its script');
  if (!isMeasured && pageStatus !== undefined && ours.pageStatus !== pageStatus)
    unexpected.push(`expected page_status ${pageStatus}`);
  if (isRetryable !== undefined && ours.isRetryable !== isRetryable)
    unexpected.push(`expected retryable ${isRetryable}`);
  if (says && ![ours.detail ?? '', ...ours.warnings].some(text => says.test(text)))
    unexpected.push(`does not say ${says}`);
  return unexpected;
}

export function judge(page: Page, ours: Said, plain: Said | undefined): Verdict {
  const unexpected = findUnexpected(page, ours);
  // An error that is expected is right, even if plain Lighthouse gives scores to what a browser does not show.
  const isToBeMeasured = [page.expected].flat().includes('measured');
  const isRefusal = ours.outcome !== 'measured' && unexpected.length === 0;
  const worse = plain && isToBeMeasured && !isRefusal ? findWorse(ours, plain) : [];
  return {
    wrong: [...unexpected, ...worse],
    isWorse: worse.length > 0,
    isSlower: plain !== undefined && ours.seconds > 1.1 * plain.seconds + 1,
  };
}
