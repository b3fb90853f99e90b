import { toProblem } from '../contract/problem.ts';
import type { Result } from '../contract/result/result.ts';
import type { BothAnalyses } from './analyse-both.ts';
import type { LocalRequest } from './analyse-local.ts';
import type { Outcome } from './outcome.ts';
import type { Recorder } from './records/recorder.ts';

const toSide = (url: string, outcome: Outcome<Result>) =>
  outcome.ok ? outcome.value : { url, error: toProblem(outcome.error) };

/** Both sides and what sets them apart, as it is answered. It is kept where one of them succeeded. */
export async function toComparedBody(
  { url, strategy, profile, label }: Pick<LocalRequest, 'url' | 'strategy' | 'profile' | 'label'>,
  { psi, lighthouse, comparison }: BothAnalyses,
  recorder: Pick<Recorder, 'comparison'>,
) {
  const compared = { url, strategy, psi: toSide(url, psi), lighthouse: toSide(url, lighthouse), comparison };
  return psi.ok || lighthouse.ok ? recorder.comparison(compared, { profile, label }) : compared;
}
