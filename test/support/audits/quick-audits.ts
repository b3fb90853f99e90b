import { usualLimits } from '../../../src/measure/lighthouse/audit-limits.ts';
import type { ServiceOverrides } from '../../../src/service/service.ts';

type Audits = NonNullable<ServiceOverrides['audits']>;

/**
 * An audit as Lighthouse makes it rests for a second before the page counts as loaded, measures the machine for a second,
 * and takes a picture of the whole page, which is another. Most tests look at none of that.
 */
const quick = { quietMs: 50, withoutFullPageScreenshot: true, benchmarkIndex: 1_500 };

export const toQuickAudits = ({ limits, ...audits }: Audits = {}): Audits => ({
  withoutFullPageScreenshot: quick.withoutFullPageScreenshot,
  benchmarkIndex: quick.benchmarkIndex,
  ...audits,
  // On a busy machine a re-audit is late, and the comparison says so: few tests are about that.
  limits: { reAuditMs: 60_000, ...limits, page: { quietMs: quick.quietMs, ...limits?.page } },
});

/** For pages that do something after they are loaded. */
export const toPatientAudits = ({ page, ...limits }: NonNullable<Audits['limits']> = {}): Audits => ({
  limits: { ...limits, page: { ...page, quietMs: usualLimits.page.quietMs } },
});

/** For tests of what an audit measures. */
export const usualAudits: Audits = {
  ...toPatientAudits(),
  withoutFullPageScreenshot: false,
  benchmarkIndex: undefined,
};
