/** Two halves of a comparison that ran on one machine at once are what each was disturbed by. */
import type { Result } from '../../../contract/result/result.ts';
import { nameOtherHalf } from '../../../measure/lhr/disturbances.ts';
import { ranTogether } from './ran-together.ts';

const isBesideOne = ({ environment }: Result): boolean => environment.concurrent_audits === 1;

/** Both results, with warnings that name the other half if that was the only other audit. */
export function withOtherHalf(psi: Result, lighthouse: Result): { psi: Result; lighthouse: Result } {
  const [one, other] = [psi.environment.boot_id, lighthouse.environment.boot_id];
  const isOneMachine = typeof one === 'string' && one === other;
  const isNamed = (result: Result) => isOneMachine && ranTogether([psi, lighthouse]) && isBesideOne(result);
  const named = (result: Result): Result => (isNamed(result) ? { ...result, warnings: nameOtherHalf(result) } : result);
  return { psi: named(psi), lighthouse: named(lighthouse) };
}
