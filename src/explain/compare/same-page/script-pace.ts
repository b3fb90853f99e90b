/** How much longer the scripts of both sides took on one of them, where all did alike: then it is no script's own work. */
import { ratioOf } from '../numbers.ts';
import type { LoadFacts } from '../sides/load-facts.ts';
import { isFailed, type LoadedFile } from '../sides/loaded-files.ts';

/** Shorter ones are measured too roughly. */
const leastMs = 20;
const sameBytesRatio = 1.2;
/** So many scripts, and of all of them such a share, lie so near to the one in the middle. */
const agreement = { least: 3, share: 0.7, ratio: 1.5 };

const isTimed = (file: LoadedFile): boolean => !isFailed(file) && file.scriptMs >= leastMs;

const timesOf = ({ files: theirs }: LoadFacts, { files: ours }: LoadFacts): number[] =>
  [...(theirs ?? [])].flatMap(([key, file]) => {
    const own = ours?.get(key);
    if (!own || !isTimed(file) || !isTimed(own)) return [];
    return (ratioOf(file.bytes, own.bytes) ?? 1) <= sameBytesRatio ? [own.scriptMs / file.scriptMs] : [];
  });

/** How many times as long every script took on this side; null where they do not agree, or are too few. */
export function toScriptPace(psi: LoadFacts, lighthouse: LoadFacts): number | null {
  const times = timesOf(psi, lighthouse).toSorted((a, b) => a - b);
  const middle = times[times.length >> 1] ?? 1;
  const near = times.filter(time => (ratioOf(time, middle) ?? 1) <= agreement.ratio).length;
  return near >= agreement.least && near >= agreement.share * times.length ? middle : null;
}
