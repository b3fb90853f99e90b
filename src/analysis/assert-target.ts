import { AnalysisError, type Source } from '../contract/errors.ts';
import type { Analyser } from '../measure/analyser.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';

const refuse = (reason: string, source: Source): never => {
  throw new AnalysisError('target_forbidden', reason, { source });
};

/** @throws AnalysisError `target_forbidden` of source `lighthouse` */
export function assertLocalTarget(policy: TargetPolicy, url: string): void {
  const verdict = policy.judgeUrl(url);
  if (!verdict.allowed) refuse(verdict.reason, 'lighthouse');
}

/** @throws AnalysisError `target_forbidden` of source `psi` */
export function assertRemoteTarget(
  { policy, analyser }: { policy: TargetPolicy; analyser: Pick<Analyser, 'kind'> },
  url: string,
): void {
  // Google could not reach the page, and would learn a private host name.
  if (analyser.kind === 'google' && !policy.isPublicUrl(url))
    refuse('Only public pages can be sent to Google: use /lighthouse for pages on your own network.', 'psi');
  const verdict = policy.judgeUrl(url);
  if (!verdict.allowed) refuse(verdict.reason, 'psi');
}
