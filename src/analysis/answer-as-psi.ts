import { AnalysisError } from '../errors.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import { applyFieldMask, type FieldMask } from '../psi/field-mask.ts';
import { toPsiResult } from '../psi/result.ts';
import type { Lhr } from '../report/lhr.ts';
import type { Category, Strategy } from '../report/report.ts';
import type { TargetPolicy } from '../targets/policy.ts';

/** PSI v5 has one more than our own operations: how well a page serves programs that act for a person. */
export type PsiCategory = Category | 'agentic-browsing';

export type PsiQuestion = {
  url: string;
  strategy: Strategy;
  categories: readonly PsiCategory[];
  /** A category that Lighthouse has given up and v5 still lists. */
  isPwaAsked: boolean;
  /** BCP 47, such as `en-US`. */
  locale: string;
  fields: FieldMask;
};

const pwaWarning = 'The category PWA was left out: Lighthouse has no audits for it any more.';

const withWarning = (lhr: Lhr): Lhr => ({ ...lhr, runWarnings: [...(lhr.runWarnings ?? []), pwaWarning] });

/**
 * Answers what PSI v5 is asked, from this machine: its presets in the local pool, its shape for the result.
 * @throws AnalysisError; the signal's reason when the caller left
 */
export async function answerAsPsi(
  { policy, local }: { policy: TargetPolicy; local: LocalAnalyser },
  { url, strategy, categories, isPwaAsked, locale, fields }: PsiQuestion,
  signal: AbortSignal,
): Promise<unknown> {
  const verdict = policy.judgeUrl(url);
  if (!verdict.allowed) throw new AnalysisError('target_forbidden', verdict.reason);
  const { lhr } = await local.audit({ url, strategy, categories, locale, profile: 'psi' }, signal);
  return applyFieldMask(fields, toPsiResult(isPwaAsked ? withWarning(lhr) : lhr));
}
