import { AnalysisError, type Source } from '../contract/errors.ts';
import type { PsiAnalyser } from '../measure/analyser.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';

const refuse = (reason: string, source: Source): never => {
  throw new AnalysisError('target_forbidden', reason, { source });
};

/** @throws AnalysisError `target_forbidden` of source `lighthouse` */
export function assertLocalTarget(policy: Pick<TargetPolicy, 'judgeUrl'>, url: string): void {
  const verdict = policy.judgeUrl(url);
  if (!verdict.allowed) refuse(verdict.reason, 'lighthouse');
}

export type Judging = { policy: Pick<TargetPolicy, 'judgeUrl' | 'isPublicUrl'>; analyser: Pick<PsiAnalyser, 'kind'> };

/** @throws AnalysisError `target_forbidden` of source `psi` */
export function assertRemoteTarget({ policy, analyser }: Judging, url: string): void {
  // Google could not reach the page, and would learn a private host name.
  if (analyser.kind === 'google' && !policy.isPublicUrl(url))
    refuse('Only public pages can be sent to Google: use /lighthouse for pages on your own network.', 'psi');
  const verdict = policy.judgeUrl(url);
  if (!verdict.allowed) refuse(verdict.reason, 'psi');
}

/** The sides that measure a page: only the PSI analyser, or at least this machine. */
export type MeasuredBy = 'psi' | 'lighthouse' | 'compare' | 'experiment';

/** Returns why this instance does not measure a page; undefined if it does. */
export function refusalOf({ policy, analyser }: Judging, kind: MeasuredBy, url: string): AnalysisError | undefined {
  try {
    if (kind === 'psi') assertRemoteTarget({ policy, analyser }, url);
    else assertLocalTarget(policy, url);
    return undefined;
  } catch (error) {
    if (error instanceof AnalysisError) return error;
    throw error;
  }
}
