import type { LeftOut } from '../../contract/result/environment.ts';
import type { PageLimits } from './messages.ts';

/* Artifacts that the requested categories do not need. Lighthouse would gather them anyway. */

/** Returns whether a category uses axe. Agentic browsing does too. */
const usesAxe = (name: string): boolean => name === 'accessibility' || name === 'agentic-browsing';

/**
 * Returns the artifacts that these categories do not need. Only categories that use axe need all its rules. The
 * full-page screenshot shows where elements are, but the elements of SEO audits are identified by their text.
 */
export const toLeftOut = (categories: readonly string[]): LeftOut[] => [
  ...(categories.every(name => name === 'seo') ? ['full_page_screenshot' as const] : []),
  ...(categories.includes('seo') && !categories.some(usesAxe) ? ['other_axe_rules' as const] : []),
];

/** Timeouts of an audit in addition to LIGHTHOUSE_TIMEOUT. They are not settings; tests shorten them. */
export type AuditLimits = {
  page: PageLimits;
  /** Max time for a new worker to import Lighthouse, which takes about a second. */
  startMs: number;
  /** Max time between a worker's answer and the end of its browser. */
  idleMs: number;
  /** Time for a worker to end its browser and itself before both are killed. */
  politeMs: number;
  /**
   * Max time for all re-audits of a load together. Four take less than 2 s, but more than 20 s with a fifth of a CPU.
   */
  reAuditMs: number;
  /** Age at which a spare browser is replaced by a fresh one. */
  spareMs: number;
  /** Interval between tries while no audit is possible. A repair is noticed within this time. */
  retryMs: number;
};

export type LimitChanges = Partial<Omit<AuditLimits, 'page'>> & { page?: Partial<PageLimits> };

export const usualLimits: AuditLimits = {
  // The first three limits are Lighthouse's own. A document that has not arrived when Lighthouse stops waiting for a
  // paint is not measured.
  page: {
    firstPaintMs: 30_000,
    loadMs: 45_000,
    quietMs: 1_000,
    documentMs: 31_000,
    silentMs: 5_000,
    hungMs: 30_000,
    beatMs: 1_000,
  },
  startMs: 60_000,
  idleMs: 10_000,
  politeMs: 2_000,
  reAuditMs: 30_000,
  spareMs: 600_000,
  retryMs: 30_000,
};

/** @throws if a limit is too long for a timer */
export function toLimits({ page, ...others }: LimitChanges = {}): AuditLimits {
  const limits = { ...usualLimits, ...others, page: { ...usualLimits.page, ...page } };
  for (const [name, value] of Object.entries({ ...limits, ...limits.page, page: 1 }))
    if (!Number.isSafeInteger(value) || value < 1 || value > 0x7fff_ffff) throw new RangeError(`${name}: ${value}`);
  return limits;
}
