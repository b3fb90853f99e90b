/** Verdicts on change, and the sentences next to them. */

import { compareKept } from '../../src/explain/change/compare-stored-sides.ts';
import { explainDisturbed } from '../../src/explain/change/disturbed-sides.ts';
import { sayFiles } from '../../src/explain/change/files-in-words.ts';
import type { FoundFileChange } from '../../src/explain/change/shared-conditions/file-changes.ts';
import { explainVersion } from '../../src/explain/change/version-effect.ts';
import { defaultSmallestEffects } from '../../src/explain/statistics/smallest-effect.ts';
import { sayIntervals } from '../../src/presentation/change-words.ts';
import type { NewEntry } from '../../src/storage/results/store.ts';
import { toScored, toSide } from '../support/builders/kept-side.ts';
import { buildResultsComparison } from '../support/builders/results-comparison.ts';
import type { Case } from './case.ts';

const compare = (before: readonly NewEntry[], after: readonly NewEntry[]) =>
  compareKept({
    before: toSide(before, { asked: 'v1' }),
    after: toSide(after, { asked: 'v2' }),
    smallestEffects: defaultSmallestEffects,
    earlier: [],
  });
const sayVerdict = (before: readonly NewEntry[], after: readonly NewEntry[]) => () =>
  compare(before, after).verdict.explanation;

const high = [95, 96, 95, 97, 96];
const low = [80, 82, 81, 80, 83];
const [local] = toScored([1]);
const newerBrowser = local && { analyser: { ...local.analyser, browserVersion: '154.0.0' } };
const reshaped = (entries: readonly NewEntry[], accessibility: number) =>
  entries.map(entry => ({ ...entry, scores: { ...entry.scores, accessibility } }));
const withPaints = (entries: readonly NewEntry[], largest: number | null) =>
  entries.map(entry => ({
    ...entry,
    metrics: { ...entry.metrics, first_contentful_paint: 1000, largest_contentful_paint: largest },
  }));
const grown: FoundFileChange = {
  kind: 'size',
  url: 'hero.png',
  type: 'Image',
  bytes: { before: 150_000, after: 550_000 },
  resourceBytes: { before: 150_000, after: 550_000 },
  cpuMs: { before: 0, after: 0 },
  requests: { before: 1, after: 1 },
};
const sideOf = (disturbed: number) => ({ ...buildResultsComparison().before, runs: 5, disturbed });

export const changeCases: readonly Case[] = [
  [
    'scores 95 to 97, then 80 to 83',
    sayVerdict(toScored(high), toScored(low)),
    'The page got worse: performance score 96 → 81 (−15; between −17 and −12).',
  ],
  [
    'the same the other way round',
    sayVerdict(toScored(low), toScored(high)),
    'The page got better: performance score 81 → 96 (+15; between +12 and +17).',
  ],
  [
    'a newer browser in the second',
    sayVerdict(toScored(high), toScored(low, newerBrowser)),
    'The page got worse: performance score 96 → 81 (−15; between −17 and −12). The browser version also differs and may be a cause.',
  ],
  [
    'equal scores',
    sayVerdict(toScored([96, 96, 96, 96, 96]), toScored([96, 96, 96, 96, 96])),
    'No meaningful difference: any difference is below 1 point.',
  ],
  [
    'one run on each side',
    sayVerdict(toScored([99]), toScored([20])),
    'Undecided: one run cannot separate a change from noise. 7 more runs of the current build (about 1 min 24 s) would show its usual spread.',
  ],
  [
    'scores that overlap',
    sayVerdict(toScored([96, 60, 99, 70, 90]), toScored([91, 66, 97, 58, 80])),
    'Undecided: performance score 90 → 80 (−10; between −38 and +31). 45 more runs of each side (about 1 h 30 min) would show a difference of 11 points.',
  ],
  [
    'a page that no longer paints',
    sayVerdict(withPaints(toScored(high), 2000), withPaints(toScored([null, null, null, null, null]), null)),
    'Undecided: runs after the change lack a performance score and Largest Contentful Paint. Open a run of each side to see why.',
  ],
  [
    'performance down, accessibility up',
    sayVerdict(reshaped(toScored(high), 80), reshaped(toScored(low), 95)),
    'The page got worse: performance score 96 → 81 (−15; between −17 and −12). Better: accessibility score 80 → 95 (+15).',
  ],
  [
    'mobile, then desktop',
    sayVerdict(toScored(high), toScored(low, { strategy: 'desktop' })),
    'The two sides cannot be compared (strategy: mobile → desktop). Measure both with the same settings.',
  ],
  [
    '1 of 5 runs disturbed',
    () => explainDisturbed(sideOf(0), sideOf(1)),
    '1 of 5 runs after the change was disturbed: measure the current build again before you act on this verdict.',
  ],
  [
    'another Lighthouse, no artifacts',
    () => explainVersion({ reason: 'its artifacts are not stored here' }, null),
    'The effect of the Lighthouse version is unknown: its artifacts are not stored here.',
  ],
  ['hero.png of 150 kB, then 550 kB', () => sayFiles([grown]), 'hero.png grew by 400 kB'],
  [
    'intervals of 95 %',
    () => sayIntervals(buildResultsComparison()),
    'The interval contains the difference between the medians with 95 % confidence.',
  ],
];
