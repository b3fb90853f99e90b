import { toFailedAudits } from './failed-audits.ts';
import { fitReport } from './fit-report.ts';
import type { Lhr } from './lhr.ts';
import { toLabVitals, toMetrics } from './metrics.ts';
import type { Analyser, Category, FieldVitals, Report, Strategy } from './report.ts';
import { toScores } from './scores.ts';

export type ReportFacts = {
  source: Report['source'];
  analyser: Analyser;
  /** Canonical URL that was asked for. */
  url: string;
  strategy: Strategy;
  categories: readonly Category[];
  field: FieldVitals | null;
  /** Null where the analyser does not say. */
  blockedRequests: number | null;
};

const toEnvironment = (
  { environment, configSettings, userAgent }: Lhr,
  blockedRequests: number | null,
): Report['environment'] => ({
  user_agent: environment?.hostUserAgent ?? userAgent ?? null,
  benchmark_index: environment?.benchmarkIndex ?? null,
  cpu_slowdown_multiplier: configSettings?.throttling?.cpuSlowdownMultiplier ?? null,
  throttling_method: configSettings?.throttlingMethod ?? null,
  blocked_requests: blockedRequests,
});

/**
 * A Lighthouse result as a Report without full data: small, and the same shape whoever measured.
 * Pure; the result must be a good one (no `runtimeError`, no error status: see page-failure.ts).
 */
export function toReport(lhr: Lhr, facts: ReportFacts): Report {
  const metrics = toMetrics(lhr);
  return fitReport({
    source: facts.source,
    analyser: facts.analyser,
    url: facts.url,
    final_url: lhr.finalDisplayedUrl ?? lhr.finalUrl ?? facts.url,
    strategy: facts.strategy,
    // Other servers write it with an offset, or as they like: it was seen to be a time.
    fetched_at: new Date(lhr.fetchTime).toISOString(),
    lighthouse_version: lhr.lighthouseVersion,
    scores: toScores(lhr, facts.categories),
    metrics,
    core_web_vitals: { lab: toLabVitals(metrics), field: facts.field },
    failed_audits: toFailedAudits(lhr, facts.categories),
    warnings: [...(lhr.runWarnings ?? [])],
    environment: toEnvironment(lhr, facts.blockedRequests),
  });
}
