import { AnalysisError } from '../errors.ts';
import type { LocalAnalyser, LocalAudit } from '../lighthouse/pool.ts';
import { fitReport } from '../report/fit-report.ts';
import type { Lhr } from '../report/lhr.ts';
import { assertMeasured } from '../report/page-failure.ts';
import type { Category, Profile, Report, Strategy } from '../report/report.ts';
import { chooseRun, toRuns } from '../report/runs.ts';
import { toReport } from '../report/to-report.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { toAnalysisError } from './outcome.ts';
import type { OnProgress } from './progress.ts';

export type LocalRequest = {
  url: string;
  strategy: Strategy;
  categories: readonly Category[];
  /** How often the page is measured. */
  runs: number;
  profile: Profile;
};

export type LocalAnalysis = {
  report: Report;
  /** The whole Lighthouse result as JSON text, and the same parsed. */
  lighthouseResult: string;
  lhr: Lhr;
  /** What to audit again, where that was asked for and can be. Whoever asked releases it. */
  artifacts: string | undefined;
};

export type LocalOptions = { keepArtifacts?: boolean; onProgress?: OnProgress | undefined };

export type AnalyseLocal = (
  request: LocalRequest,
  signal: AbortSignal,
  options?: LocalOptions,
) => Promise<LocalAnalysis>;

const locale = 'en-US';

/**
 * Measures a page with Lighthouse on this machine, once or several times in turn, and reports one of the runs.
 * @throws AnalysisError of source `lighthouse`; the signal's reason when the caller left
 */
export function createAnalyseLocal({ policy, local }: { policy: TargetPolicy; local: LocalAnalyser }): AnalyseLocal {
  const toLocalReport = (request: LocalRequest, { lhr, blockedRequests }: LocalAudit): Report =>
    toReport(lhr, { ...request, source: 'lighthouse', analyser: { kind: 'local' }, field: null, blockedRequests });

  async function measure(
    request: LocalRequest,
    signal: AbortSignal,
    { keepArtifacts = false, onProgress }: LocalOptions,
  ): Promise<LocalAudit> {
    const { url, strategy, categories, profile } = request;
    const audit = await local.audit({ url, strategy, categories, profile, locale }, signal, {
      keepArtifacts,
      onProgress: onProgress && (progress => onProgress({ source: 'lighthouse', strategy, ...progress })),
    });
    try {
      assertMeasured(audit.lhr, 'lighthouse_unavailable');
      return audit;
    } catch (error) {
      await release([audit]);
      throw error;
    }
  }

  const release = (audits: readonly LocalAudit[]) =>
    Promise.all(audits.map(({ artifacts }) => artifacts && local.release(artifacts)));

  /**
   * One after the other, each at the end of the line: runs at once would disturb each other, and take all places from
   * others. The first has to succeed; a later one that fails is only missing.
   */
  async function measureAll(request: LocalRequest, signal: AbortSignal, options: LocalOptions) {
    const audits = [await measure(request, signal, options)];
    try {
      for (let run = 2; run <= request.runs; run += 1) {
        const audit = await measure(request, signal, options).catch(toAnalysisError);
        signal.throwIfAborted();
        if (!(audit instanceof AnalysisError)) audits.push(audit);
      }
      return audits;
    } catch (error) {
      await release(audits);
      throw error;
    }
  }

  return async (request, signal, options = {}) => {
    const verdict = policy.judgeUrl(request.url);
    if (!verdict.allowed) throw new AnalysisError('target_forbidden', verdict.reason, { source: 'lighthouse' });
    const audits = await measureAll(request, signal, options);
    const chosen = chooseRun(audits.map(({ lhr }) => lhr));
    const audit = audits[chosen.index] as LocalAudit;
    await release(audits.filter(other => other !== audit));
    const report = toLocalReport(request, audit);
    const reports = audits.map(each => (each === audit ? report : toLocalReport(request, each)));
    const runs = request.runs > 1 ? { runs: toRuns(reports, { asked: request.runs, chosen }) } : {};
    const { text, lhr, artifacts } = audit;
    return { report: fitReport({ ...report, ...runs }), lighthouseResult: text, lhr, artifacts };
  };
}
