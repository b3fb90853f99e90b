import type { LeftOut } from '../../contract/result/environment.ts';
import type { PageLimits } from './messages.ts';

/* What an audit need not gather for the categories that are asked for. Lighthouse gathers it all the same. */

/** Agentic browsing reads what axe finds, too. */
const usesAxe = (name: string): boolean => name === 'accessibility' || name === 'agentic-browsing';

/**
 * Of the axe rules only accessibility has use for all. A picture of the whole page shows where elements stand that
 * audits name; those of SEO are known by their text.
 */
export const toLeftOut = (categories: readonly string[]): LeftOut[] => [
  ...(categories.every(name => name === 'seo') ? ['full_page_screenshot' as const] : []),
  ...(categories.includes('seo') && !categories.some(usesAxe) ? ['other_axe_rules' as const] : []),
];

/** How long everything about an audit is waited for, next to LIGHTHOUSE_TIMEOUT. No setting: tests wait less. */
export type AuditLimits = {
  page: PageLimits;
  /** Until a new worker has imported Lighthouse, which takes about a second. */
  startMs: number;
  /** From a worker's answer until its browser is gone. */
  idleMs: number;
  /** What a worker gets to end its browser and itself before both are killed. */
  politeMs: number;
  /**
   * For re-audits, together: four of them take well under 2 s; with a fifth of a processor more than ten times that.
   */
  reAuditMs: number;
  /** After which a browser that waits for its page is replaced by a fresh one. */
  spareMs: number;
  /** When no audit is possible, what a person mends is noticed within this time. */
  retryMs: number;
};

export type LimitChanges = Partial<Omit<AuditLimits, 'page'>> & { page?: Partial<PageLimits> };

export const usualLimits: AuditLimits = {
  // The first three are Lighthouse's own. A document that has not started to arrive when Lighthouse waits for a paint no
  // longer is not measured; its own scripts may keep a page busy for 60 s.
  page: {
    firstPaintMs: 30_000,
    loadMs: 45_000,
    quietMs: 1_000,
    documentMs: 31_000,
    silentMs: 5_000,
    hungMs: 30_000,
    hungLaterMs: 65_000,
    beatMs: 1_000,
  },
  startMs: 60_000,
  idleMs: 10_000,
  politeMs: 2_000,
  reAuditMs: 30_000,
  spareMs: 600_000,
  retryMs: 30_000,
};

/** @throws when a limit is no time that a timer can hold */
export function toLimits({ page, ...others }: LimitChanges = {}): AuditLimits {
  const limits = { ...usualLimits, ...others, page: { ...usualLimits.page, ...page } };
  for (const [name, value] of Object.entries({ ...limits, ...limits.page, page: 1 }))
    if (!Number.isSafeInteger(value) || value < 1 || value > 0x7fff_ffff) throw new RangeError(`${name}: ${value}`);
  return limits;
}
