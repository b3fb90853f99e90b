/** Categories of a result, including agentic browsing, whose audits Lighthouse counts without a score. */
import type { RequestCategory } from '../contract/names.ts';
import type { AgenticBrowsing, Result } from '../contract/result/result.ts';

type Categorised = Pick<Result, 'scores' | 'agentic_browsing'>;

export const hasCategory = ({ scores, agentic_browsing: agentic }: Categorised, name: RequestCategory): boolean =>
  (name === 'agentic-browsing' ? agentic : scores[name]) !== undefined;

/** Formats the number of passed audits, and of those that apply, as `3/5`. */
export const formatFraction = ({ passed, total }: AgenticBrowsing): string => `${passed}/${total}`;

/** Returns the percentage of passed audits; null if none applies. */
export const agenticShare = ({ agentic_browsing: agentic }: Categorised): number | null =>
  agentic && agentic.total > 0 ? (100 * agentic.passed) / agentic.total : null;
