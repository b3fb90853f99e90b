import { usualLimits } from '../../../src/measure/lighthouse/audit-limits.ts';
import type { ServiceOverrides } from '../../../src/service/service.ts';

type Audits = NonNullable<ServiceOverrides['audits']>;

/**
 * By default Lighthouse waits a second until the page counts as loaded, benchmarks the machine for a second, and takes
 * about another for the full-page screenshot. Most tests need none of the three.
 */
const quick = { quietMs: 50, withoutFullPageScreenshot: true, benchmarkIndex: 1_500 };

export const toQuickAudits = ({ limits, ...audits }: Audits = {}): Audits => ({
  withoutFullPageScreenshot: quick.withoutFullPageScreenshot,
  benchmarkIndex: quick.benchmarkIndex,
  ...audits,
  // A re-audit is late on a busy machine, and the comparison reports that. Few tests are about it.
  limits: { reAuditMs: 60_000, ...limits, page: { quietMs: quick.quietMs, ...limits?.page } },
});

/** For pages that do something after they have loaded. */
export const toPatientAudits = ({ page, ...limits }: NonNullable<Audits['limits']> = {}): Audits => ({
  limits: { ...limits, page: { ...page, quietMs: usualLimits.page.quietMs } },
});

const hourMs = 3_600_000;

/**
 * For tests of a client that ends its audit: with LIGHTHOUSE_TIMEOUT=3600, nothing else ends the audit of a page that
 * never answers.
 */
export const endlessAudits: Audits = {
  limits: { page: { firstPaintMs: hourMs, loadMs: hourMs, documentMs: hourMs } },
};

/** For tests of an audit's measurements. */
export const usualAudits: Audits = {
  ...toPatientAudits(),
  withoutFullPageScreenshot: false,
  benchmarkIndex: undefined,
};
