/** Audits whose estimates are about visitors who come back: they win nothing for the load that was measured. */
const repeatVisits: ReadonlySet<string> = new Set(['cache-insight', 'uses-long-cache-ttl']);

export const isForRepeatVisits = (auditId: string): boolean => repeatVisits.has(auditId);

/** Lighthouse estimates nothing for them, and yet they name a cause. */
const causes: ReadonlySet<string> = new Set([
  'lcp-discovery-insight',
  'cls-culprits-insight',
  'layout-shifts',
  'unsized-images',
]);

export const namesCause = (auditId: string): boolean => causes.has(auditId);
