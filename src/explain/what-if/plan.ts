/** Plans simulations of a stored load: devices, networks, and the fixes that its audits propose. */
import type { Network, WhatIfOrder } from '../../contract/stored/what-if-order.ts';
import { hasFailed, planFixes } from '../../measure/lhr/fixes.ts';
import { isLhr } from '../../measure/lhr/lhr.ts';

/** From fast to slow: `fast_4g` and `slow_4g` are Lighthouse's, `3g` and `slow_3g` are WebPageTest's. */
export const networks = {
  wired: { rttMs: 10, throughputKbps: 100_000 },
  fast_4g: { rttMs: 40, throughputKbps: 10_240 },
  slow_4g: { rttMs: 150, throughputKbps: 1638.4 },
  '3g': { rttMs: 300, throughputKbps: 1600 },
  slow_3g: { rttMs: 400, throughputKbps: 400 },
} as const satisfies Record<string, Network>;
export type NetworkName = keyof typeof networks;

export const networkNames = Object.keys(networks) as NetworkName[];
export const cpuMultipliers: readonly number[] = [1, 2, 4, 10, 20];
export const thresholds: readonly number[] = [90, 50];

type NotPredicted = { readonly id: string; readonly title: string; readonly reason: string };

/** Plan as plain data, because it comes from the thread that reads Lighthouse results. */
export type WhatIfPlan = {
  readonly order: WhatIfOrder;
  /** Titles of fixes, by audit id. */
  readonly titles: Readonly<Record<string, string>>;
  readonly notPredicted: readonly NotPredicted[];
  /** Inline scripts have this URL. */
  readonly documentUrl?: string | undefined;
};

const reasons: Readonly<Record<string, string>> = {
  'cache-insight': 'A first visit loads every file, however long it is cached.',
  'font-display-insight': 'The simulation does not model when text appears in which font.',
  'cls-culprits-insight': 'CLS is not simulated.',
  'unsized-images': 'CLS is not simulated.',
  'non-composited-animations': 'CLS is not simulated.',
  'dom-size-insight': 'The audit does not report how much work would be saved.',
  'forced-reflow-insight': 'The audit does not report how much work would be saved.',
  'bootup-time': 'The audit does not report how much work would be saved.',
  'mainthread-work-breakdown': 'The audit does not report how much work would be saved.',
  'network-dependency-tree-insight': 'The audit does not report which requests would start sooner.',
  'modern-http-insight': 'The simulation does not change the protocol of a server.',
  redirects: 'The times of the load already include the redirects.',
};

/**
 * @param isDisturbed whether the load waited for a CPU: it is simulated without that wait
 * @returns undefined if the result has no performance score, or a metric without a score
 */
export function planWhatIf(lhr: unknown, isDisturbed = false): WhatIfPlan | undefined {
  const plan = isLhr(lhr) ? planFixes(lhr) : undefined;
  if (!isLhr(lhr) || !plan) return undefined;
  const titleOf = (id: string) => lhr.audits[id]?.title ?? id;
  return {
    order: {
      ...plan,
      withoutWait: isDisturbed,
      cells: networkNames.flatMap(name => cpuMultipliers.map(cpu => ({ ...networks[name], cpu }))),
      networks: networkNames.map(name => networks[name]),
      slowestCpu: Math.max(...cpuMultipliers),
      thresholds: thresholds.map(threshold => threshold / 100),
    },
    documentUrl: lhr.mainDocumentUrl ?? lhr.finalUrl,
    titles: Object.fromEntries(plan.fixes.map(({ id }) => [id, titleOf(id)])),
    notPredicted: Object.entries(reasons)
      .filter(([id]) => hasFailed(lhr.audits[id]) && !plan.fixes.some(fix => fix.id === id))
      .map(([id, reason]) => ({ id, title: titleOf(id), reason })),
  };
}
