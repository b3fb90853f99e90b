/** Files of which each is a little larger on one side, and all together far larger: another quality of pictures, another build. */
import { ratioOf } from '../numbers.ts';
import { isFailed, type LoadedFile } from '../sides/loaded-files.ts';
import { evidenceOf, type LoadDifference, sayBytes, slight, sure } from './load-difference.ts';
import { isComposed, type SharedFile } from './shared-files.ts';

/** No two loads get files under the same names that differ by so much; a little more or less is a build in between. */
const limits = [
  { ratio: 1.25, least: 100_000, weight: sure },
  { ratio: 1.1, least: 50_000, weight: slight },
] as const;

/** Of a film it depends on how much was buffered. */
const isWhole = (file: LoadedFile): boolean => !isFailed(file) && !isComposed(file) && file.type !== 'Media';

export function toAllSharedBytes(files: readonly SharedFile[]): LoadDifference[] {
  const whole = files.filter(({ psi, lighthouse }) => isWhole(psi) && isWhole(lighthouse));
  const theirs = whole.reduce((sum, { psi }) => sum + psi.bytes, 0);
  const ours = whole.reduce((sum, { lighthouse }) => sum + lighthouse.bytes, 0);
  const actual = ratioOf(theirs, ours) ?? 1;
  const reached = limits.find(({ ratio, least }) => actual >= ratio && Math.abs(theirs - ours) >= least);
  if (!reached) return [];
  return [
    {
      kind: 'shared_bytes',
      evidence: evidenceOf('shared_bytes', theirs, ours),
      words: `the files that both sides loaded have ${sayBytes(theirs)} on the remote side and ${sayBytes(ours)} on this side`,
      weight: reached.weight,
    },
  ];
}
