/** Scripts that worked far longer on one side, in files of both sides or in the document itself. */
import { ratioOf } from '../numbers.ts';
import { evidenceOf, type LoadDifference, sure } from './load-difference.ts';
import type { LoadPair } from './load-pair.ts';
import type { SharedFile } from './shared-files.ts';

const scriptRatio = 3;
const leastScriptMs = 150;

/** The time of a script differs with the processor, too: it counts when it does each way, by the clock and by the speed. */
export const isOtherWork = (theirs: number, ours: number, speedRatios: readonly number[]): boolean =>
  [1, ...speedRatios]
    .map(ratio => theirs * ratio)
    .every(scaled => Math.abs(scaled - ours) >= leastScriptMs && (ratioOf(scaled, ours) ?? 1) >= scriptRatio);

/** Scripts in the document itself are no file of their own. */
export const toScripts = (files: readonly SharedFile[], pair: LoadPair): LoadDifference[] =>
  [
    ...files.map(({ psi, lighthouse, name, key }) => ({
      name,
      key,
      all: [psi.scriptMs, lighthouse.scriptMs] as const,
    })),
    {
      ...{ name: 'the script of the document', key: 'document' },
      all: [pair.psi.documentScriptMs, pair.lighthouse.documentScriptMs] as const,
    },
  ]
    .filter(({ all }) => isOtherWork(...all, pair.speedRatios))
    .map(({ name, key, all }) => {
      const [theirs, ours] = [Math.round(all[0]), Math.round(all[1])];
      return {
        kind: `script ${key}`,
        evidence: evidenceOf(`script_ms ${name}`, theirs, ours),
        words: `${name} ran for ${theirs} ms on the remote side and for ${ours} ms on this side`,
        weight: sure,
      };
    });
