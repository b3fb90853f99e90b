/** Audits whose estimates are about returning visitors: they gain nothing in the measured load. */
const repeatVisits: ReadonlySet<string> = new Set(['cache-insight', 'uses-long-cache-ttl']);

export const isForRepeatVisits = (auditId: string): boolean => repeatVisits.has(auditId);

/** Audits without an estimate that still name a cause. */
const causes: ReadonlySet<string> = new Set([
  'lcp-discovery-insight',
  'cls-culprits-insight',
  'layout-shifts',
  'unsized-images',
]);

export const namesCause = (auditId: string): boolean => causes.has(auditId);
