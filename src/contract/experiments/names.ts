/** Names and limits of experiments. The page imports them too, so this module imports no library. */

import { type CustomMetricName, simulatedMetrics } from '../names.ts';

export const experimentBounds = {
  variants: 5,
  patterns: 50,
  replacements: 20,
  recipes: 20,
  headers: 20,
  bodyBytes: 1024 * 1024,
  /** Maximum length of a pattern, a header's value, or a text to find. */
  textCharacters: 8192,
} as const;

export const recipeNames = [
  'defer',
  'async',
  'preload',
  'lazy-loading',
  'eager-loading',
  'fetch-priority',
  'font-display',
  'single-point-of-failure',
  'find-and-replace',
] as const;
export type RecipeName = (typeof recipeNames)[number];

export const fontDisplays = ['auto', 'block', 'swap', 'fallback', 'optional'] as const;

export const primaryMetrics = ['performance', ...simulatedMetrics, 'server_response_time'] as const;
export type PrimaryMetric = (typeof primaryMetrics)[number] | CustomMetricName;

export const throttlingMethods = ['simulate', 'devtools'] as const;
export type ThrottlingMethod = (typeof throttlingMethods)[number];
