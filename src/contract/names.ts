/** The names that requests and results are made of. Free of any library: pages import it, too. */

export const strategies = ['mobile', 'desktop'] as const;
export type Strategy = (typeof strategies)[number];

export const categoryNames = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
export type Category = (typeof categoryNames)[number];

/** `lighthouse`: the command's own settings. `psi`: those PageSpeed Insights runs with. */
export const profiles = ['lighthouse', 'psi'] as const;
export type Profile = (typeof profiles)[number];

/** How much the processor of a phone is slowed down: as the profile has it, or as the speed of this machine asks for. */
export const cpuChoices = ['usual', 'calibrated'] as const;
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
