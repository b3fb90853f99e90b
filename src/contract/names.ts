/** How much one request may ask for, and one answer give. Free of any library: pages import it, too. */

/** URLs of a batch that is answered while its client waits, and of one that is a job. */
export const mostBatchUrls = 100;
export const mostJobUrls = 10_000;

/** Pages of one answer about a sitemap. */
export const mostSitemapUrls = 1000;

/** Of what a result is kept under. */
export const maxLabelCharacters = 100;

const truths = new Set(['1', 't', 'y', 'on', 'yes', 'true']);
const falsehoods = new Set(['0', 'f', 'n', 'off', 'no', 'false']);

/** A boolean in words, in any case, as pydantic reads it; undefined for any other text. Settings and requests share it. */
export function readBooleanWord(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (truths.has(word)) return true;
  return falsehoods.has(word) ? false : undefined;
}

/** The names that requests and results are made of. Free of any library: pages import it, too. */

export const strategies = ['mobile', 'desktop'] as const;
export type Strategy = (typeof strategies)[number];

export const categoryNames = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
export type Category = (typeof categoryNames)[number];

/** What a request may name. Lighthouse gives agentic browsing no score: it counts the audits that passed. */
export const requestCategories = [...categoryNames, 'agentic-browsing'] as const;
export type RequestCategory = (typeof requestCategories)[number];

/** `lighthouse`: the command's own settings. `psi`: those PageSpeed Insights runs with. */
export const profiles = ['lighthouse', 'psi'] as const;
export type Profile = (typeof profiles)[number];

/** How much the processor of a phone is slowed down: as the profile has it, or as the speed of this machine asks for. */
export const cpuChoices = ['default', 'calibrated'] as const;
export type CpuChoice = (typeof cpuChoices)[number];

export const metricNames = [
  'first_contentful_paint',
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
  'speed_index',
  'interactive',
  'server_response_time',
] as const;
export type MetricName = (typeof metricNames)[number];
