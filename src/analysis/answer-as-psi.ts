import { AnalysisError } from '../contract/errors.ts';
import type { RequestCategory, Strategy } from '../contract/names.ts';
import type { Bytes } from '../measure/lhr/measured.ts';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import type { FieldMask } from '../measure/psi/wire/field-mask.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';
import type { Threads } from './threads/threads.ts';

export type PsiQuestion = {
  url: string;
  strategy: Strategy;
  categories: readonly RequestCategory[];
  /** Whether the PWA category was requested, which Lighthouse removed and PSI v5 still lists. */
  isPwaAsked: boolean;
  /** BCP 47 language tag, such as `en-US`. */
  locale: string;
  fields: FieldMask;
  /** Indentation of the answer in spaces; 0 for one line. */
  indent: number;
};

export type PsiSources = {
  policy: TargetPolicy;
  local: Pick<LocalAnalyser, 'audit'>;
  threads: Pick<Threads, 'writeWireAnswer'>;
};

/**
 * Answers a PSI v5 request from this machine: measured locally with PSI's presets, in the format of PSI v5.
 * @returns the answer as JSON
 * @throws AnalysisError; the signal's reason when the client disconnected
 */
export async function answerAsPsi(
  { policy, local, threads }: PsiSources,
  { url, strategy, categories, isPwaAsked, locale, fields, indent }: PsiQuestion,
  { client, signal }: { client: string | undefined; signal: AbortSignal },
): Promise<Bytes> {
  const verdict = policy.judgeUrl(url);
  if (!verdict.allowed) throw new AnalysisError('target_forbidden', verdict.reason);
  const audit = { url, strategy, categories, locale, profile: 'psi' } as const;
  const { value } = await local.audit(
    audit,
    (bytes, conditions) => threads.writeWireAnswer({ bytes, strategy, conditions, fields, isPwaAsked, indent }),
    signal,
    { client },
  );
  return value.answer;
}
