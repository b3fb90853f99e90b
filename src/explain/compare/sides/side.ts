/** A side as it comes in, what it says, and whether both sides ran on one machine. */
import type { Result } from '../../../contract/result/result.ts';
import type { Lhr } from '../../../measure/lhr/lhr.ts';
import { areLimitsApart } from './limits.ts';
import { type SideFacts, toSideFacts } from './side-facts.ts';

/** A result without full data, and the Lighthouse result that it was made of. */
export type Side = { result: Result; lhr: Lhr };

/** Then another benchmark index is other work, not another machine. */
export const isSameMachine = ({ result }: Side, own: Side, isOwnAddress: boolean): boolean => {
  const { kind } = result.analyser;
  const [theirs, ours] = [result.environment.machine_id, own.result.environment.machine_id];
  if (kind === 'embedded') return true;
  if (
    kind === 'google' ||
    areLimitsApart(result.environment.processors ?? null, own.result.environment.processors ?? null)
  )
    return false;
  return theirs && ours ? theirs === ours : isOwnAddress;
};

export const factsOf = ({ result, lhr }: Side): SideFacts => ({
  ...toSideFacts(lhr, result.strategy),
  processors: result.environment.processors ?? null,
  benchmarkUsual: result.environment.benchmark_usual ?? null,
  waitedMs: result.environment.processor_wait?.main_thread_ms ?? null,
});
