import { AnalysisError } from '../errors.ts';
import type { Profile } from '../lighthouse/messages.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import { assertMeasured } from '../report/page-failure.ts';
import type { Category, Report, Strategy } from '../report/report.ts';
import { toReport } from '../report/to-report.ts';
import type { TargetPolicy } from '../targets/policy.ts';

export type LocalRequest = { url: string; strategy: Strategy; categories: readonly Category[] };

export type LocalAnalysis = {
  report: Report;
  /** The whole Lighthouse result as JSON text. */
  lighthouseResult: string;
};

export type AnalyseLocal = (request: LocalRequest, signal: AbortSignal) => Promise<LocalAnalysis>;

const locale = 'en-US';
const profile: Profile = 'lighthouse';

/**
 * Measures a page with Lighthouse on this machine.
 * @throws AnalysisError of source `lighthouse`; the signal's reason when the caller left
 */
export function createAnalyseLocal({ policy, local }: { policy: TargetPolicy; local: LocalAnalyser }): AnalyseLocal {
  return async (request, signal) => {
    const verdict = policy.judgeUrl(request.url);
    if (!verdict.allowed) throw new AnalysisError('target_forbidden', verdict.reason, { source: 'lighthouse' });
    const { text, lhr, blockedRequests } = await local.audit({ ...request, profile, locale }, signal);
    assertMeasured(lhr, 'lighthouse_unavailable');
    const report = toReport(lhr, {
      ...request,
      source: 'lighthouse',
      analyser: { kind: 'local' },
      field: null,
      blockedRequests,
    });
    return { report, lighthouseResult: text };
  };
}
