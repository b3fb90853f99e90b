/** Limits of one request and one response. The page imports this module too, so it imports no library. */

/** Maximum number of URLs of a batch that a client waits for, and of a job. */
export const mostBatchUrls = 100;
export const mostJobUrls = 10_000;

/** Maximum number of pages in a response about a sitemap. */
export const mostSitemapUrls = 1000;

/** Maximum number of pages of each route template in a sample. */
export const maxSample = 100;

/** Maximum length of a text that a worker sends. */
export const maxTextLength = 8_192;

export const maxLabelCharacters = 100;

const truths = new Set(['1', 't', 'y', 'on', 'yes', 'true']);
const falsehoods = new Set(['0', 'f', 'n', 'off', 'no', 'false']);

/** Reads a boolean as pydantic does, case-insensitive; undefined for any other text. Settings and requests share it. */
export function readBooleanWord(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (truths.has(word)) return true;
  return falsehoods.has(word) ? false : undefined;
}

/** Names in requests and results. The page imports this module too, so it imports no library. */

export const strategies = ['mobile', 'desktop'] as const;
export type Strategy = (typeof strategies)[number];

/** Categories whose scores are weighted means of audits. */
export const auditedCategories = ['accessibility', 'best-practices', 'seo'] as const;
export const categoryNames = ['performance', ...auditedCategories] as const;
export type Category = (typeof categoryNames)[number];

/** Categories of a request. Lighthouse gives agentic browsing no score: it counts passed audits. */
export const requestCategories = [...categoryNames, 'agentic-browsing'] as const;
export type RequestCategory = (typeof requestCategories)[number];

/** `lighthouse`: Lighthouse's default settings. `psi`: those of PageSpeed Insights. */
export const profiles = ['lighthouse', 'psi'] as const;
export type Profile = (typeof profiles)[number];

/** CPU throttling of mobile audits: that of the profile, or calibrated by the speed of this machine. */
export const cpuChoices = ['default', 'calibrated'] as const;

export const metricNames = [
  ...(['first_contentful_paint', 'largest_contentful_paint', 'total_blocking_time'] as const),
  ...(['cumulative_layout_shift', 'speed_index', 'interactive', 'server_response_time'] as const),
] as const;
export type MetricName = (typeof metricNames)[number];
export const paintMetrics = ['first_contentful_paint', 'largest_contentful_paint', 'speed_index'] as const;
export const simulatedMetrics = [...paintMetrics, 'total_blocking_time'] as const;

/** A user timing of a page, or the CPU time of its main thread. All are in milliseconds. */
export type CustomMetricName = 'main-thread' | `mark:${string}` | `measure:${string}`;
/**
 * Pattern of such a name. It excludes quotes and backslashes, which the path of a JSON value cannot contain, comparison
 * operators, which end the name in an assertion, and control characters.
 */
export const customMetricPattern = String.raw`^(?:main-thread|(?:mark|measure):(?! )[^\p{C}"\\<>=]{1,100}(?<! ))$`;
const customMetric = new RegExp(customMetricPattern, 'u');
export const isCustomMetricName = (name: string): name is CustomMetricName => customMetric.test(name);

/** Name to which a browser's own services are moved. No page can be there (RFC 2606). */
export const browserOwnHost = 'browser.invalid';

/** Forms of a callback: signed JSON, or a message in words for people. */
export const callbackFormats = ['json', 'slack', 'teams', 'text'] as const;
export type CallbackFormat = (typeof callbackFormats)[number];
export type MessageFormat = Exclude<CallbackFormat, 'json'>;
