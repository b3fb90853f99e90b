/** From two sides of kept runs to the answer: what changed, whether it matters, and whether the page is the cause. */
import { zstdDecompressSync } from 'node:zlib';
import { compareSets, type MeasureComparison, type MeasuredRun, type SetComparison } from '../change/compare-sets.ts';
import type { MeasureName, SmallestEffects } from '../change/smallest-effect.ts';
import type { Difference, ResultsComparison } from '../contract/kept/change.ts';
import type { ChangeVerdict, MeasureChange } from '../contract/kept/change-verdict.ts';
import { categoryNames } from '../contract/names.ts';
import { isLhr, type Lhr } from '../result/lhr.ts';
import type { FullResult } from '../results/store.ts';
import { toDifferences } from './differences.ts';
import { explain, explainDisturbed, explainVersion } from './explain.ts';
import { toFlippedAudits } from './flipped-audits.ts';
import { type KeptSide, toComparedSide } from './kept-side.ts';
import { toRequestChanges } from './request-changes.ts';
import { readRunSettings } from './run-settings.ts';
import { type AgainOutcome, toVersionEffect } from './version-effect.ts';

export type KeptOrder = {
  readonly before: KeptSide;
  readonly after: KeptSide;
  readonly smallestEffects: SmallestEffects;
  /** Sets of runs from before, each of one request: how far the runs of this page spread. */
  readonly earlier: readonly (readonly MeasuredRun[])[];
  /** Where the versions of Lighthouse differ: loads of the older side, audited again. */
  readonly again?: AgainOutcome | undefined;
};

/** As much as the JSON of the largest result that is taken. */
const maxBytes = 64 * 1024 * 1024;

/** Undefined where it is not there, or is no Lighthouse result. */
function readFull(full: FullResult | null): Lhr | undefined {
  if (full === null) return undefined;
  try {
    const json = full.coding === 'zstd' ? zstdDecompressSync(full.bytes, { maxOutputLength: maxBytes }) : full.bytes;
    const lhr: unknown = JSON.parse(Buffer.from(json).toString('utf8'));
    return isLhr(lhr) ? lhr : undefined;
  } catch {
    return undefined;
  }
}

function unitOf(name: MeasureName): MeasureChange['unit'] {
  if ((categoryNames as readonly string[]).includes(name)) return 'point';
  return name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond';
}

const toMeasures = (compared: Readonly<Partial<Record<MeasureName, MeasureComparison>>>) =>
  Object.fromEntries(
    Object.entries(compared).map(([name, { interval, ...measure }]): [string, MeasureChange] => [
      name,
      { unit: unitOf(name as MeasureName), ...measure, interval: interval && [...interval] },
    ]),
  );

/** A difference that is not the page's keeps from every verdict about the page. */
function toVerdict(compared: SetComparison, differences: readonly Difference[], runs: number): ChangeVerdict {
  const { status, more_runs, decided_by, against } = compared.verdict;
  const isPrevented = differences.some(({ effect }) => effect === 'no_verdict');
  return {
    status: isPrevented ? 'undecided' : status,
    explanation: explain(compared, differences, runs),
    more_runs: isPrevented ? null : more_runs,
    by_numbers: status,
    decided_by: [...decided_by],
    against: [...against],
  };
}

export function compareKept({ before, after, smallestEffects, earlier, again }: KeptOrder): ResultsComparison {
  const compared = compareSets(before.entries, after.entries, { smallestEffects, earlier });
  const [settingsBefore, settingsAfter] = [before, after].map(side => side.summaries.map(readRunSettings)) as [
    ReturnType<typeof readRunSettings>[],
    ReturnType<typeof readRunSettings>[],
  ];
  const differences = toDifferences(
    { entries: before.entries, settings: settingsBefore },
    { entries: after.entries, settings: settingsAfter },
  );
  const [lhrBefore, lhrAfter] = [readFull(before.shown.full), readFull(after.shown.full)];
  const lhrs = lhrBefore && lhrAfter && { before: lhrBefore, after: lhrAfter };
  const changes = { scores: toMeasures(compared.scores), metrics: toMeasures(compared.metrics) };
  const weights = again && 'runs' in again && (again.side === 'before' ? lhrAfter : lhrBefore);
  const version = again && 'runs' in again ? toVersionEffect(again, changes, weights || undefined) : null;
  const verdict = toVerdict(compared, differences, Math.min(before.entries.length, after.entries.length));
  const [sideBefore, sideAfter] = [toComparedSide(before), toComparedSide(after)];
  const notes = explainDisturbed(sideBefore, sideAfter) + explainVersion(again, version);
  return {
    before: sideBefore,
    after: sideAfter,
    verdict: { ...verdict, explanation: verdict.explanation + notes },
    differences,
    version,
    ...changes,
    audits: lhrs
      ? toFlippedAudits({ lhr: lhrs.before, settings: settingsBefore }, { lhr: lhrs.after, settings: settingsAfter })
      : null,
    requests: lhrs ? toRequestChanges(lhrs.before, lhrs.after) : null,
  };
}
