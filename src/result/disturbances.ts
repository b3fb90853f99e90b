import type { Result } from '../contract/result/result.ts';
import { isStrange, toBlocking } from './blocking.ts';
import type { Lhr } from './lhr.ts';

type Environment = Result['environment'];

/** One machine, left alone, gives indices that differ less. */
const slowShare = 0.6;

/** Whether the machine was far slower than it usually is. */
export const wasSlow = ({ benchmark_index: index, benchmark_usual: usual }: Environment): boolean =>
  typeof index === 'number' && typeof usual === 'number' && index < slowShare * usual;

const sayIndex = (index: number | null): string => Math.round(index ?? 0).toLocaleString('en-US');

const sayOthers = (count: number): string => (count === 1 ? 'another audit' : `${count} other audits`);

/** What disturbed a run that was measured here, in sentences for a person; empty for a quiet one. */
export function sayDisturbances(lhr: Lhr, environment: Environment): string[] {
  const { benchmark_index: index, benchmark_usual: usual = null, concurrent_audits: beside = null } = environment;
  const blocking = beside === null ? null : toBlocking(lhr);
  const isDisturbed = isStrange(blocking) && (!blocking.isOfPage || wasSlow(environment));
  return [
    ...(wasSlow(environment)
      ? [
          `This run may have been disturbed: when the machine was timed it was slower than usual (benchmark index ${sayIndex(index)}, usually ${sayIndex(usual)}), so times may be too long.`,
        ]
      : []),
    ...(isDisturbed
      ? [
          `This run was disturbed: it has ${Math.round(blocking.totalMs)} ms of blocking time without long scripts${beside ? ` while ${sayOthers(beside)} ran on this machine` : ''}, so the score may be too low.`,
        ]
      : []),
  ];
}
