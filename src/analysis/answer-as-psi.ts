import { AnalysisError } from '../errors.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import { toPsiResult } from '../psi/result.ts';
import type { Category, Strategy } from '../report/report.ts';
import type { TargetPolicy } from '../targets/policy.ts';

export type PsiQuestion = { url: string; strategy: Strategy; categories: readonly Category[]; locale: string };

/**
 * Answers what PSI v5 is asked, from this machine: its presets in the local pool, its shape for the result.
 * @throws AnalysisError; the signal's reason when the caller left
 */
export async function answerAsPsi(
  { policy, local }: { policy: TargetPolicy; local: LocalAnalyser },
  question: PsiQuestion,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const verdict = policy.judgeUrl(question.url);
  if (!verdict.allowed) throw new AnalysisError('target_forbidden', verdict.reason);
  const { lhr } = await local.audit({ ...question, profile: 'psi' }, signal);
  return toPsiResult(lhr);
}
