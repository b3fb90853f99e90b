/**
 * How often the verdict finds changes planted into real loads: with the rules before loads were simulated under shared
 * conditions, and now. bench/studies/change-loads.ts and change-pairs.ts record the pairs.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainAlike } from '../../src/explain/change/explain.ts';
import { judgeAlike } from '../../src/explain/change/shared-conditions/judge-alike.ts';
import { compareSets, type MeasuredRun, type SetComparison } from '../../src/explain/statistics/compare-sets.ts';
import { medianOf, toSorted } from '../../src/explain/statistics/values.ts';
import { heldOutKinds, tableKinds } from '../studies/change/kinds.ts';
import type { RecordedPair } from '../studies/change/recorded.ts';
import { printTable, toPercent } from './table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The last commit before loads were simulated under shared conditions. */
const formerCommit = '7fa979c';

/** Loads the rules of that commit from the repository. */
async function loadFormerRules(): Promise<typeof compareSets> {
  const folder = mkdtempSync(join(tmpdir(), 'former-rules-'));
  const archive = execFileSync('git', ['archive', formerCommit, 'src/change', 'src/contract/names.ts'], {
    cwd: root,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return (await import(join(folder, 'src/change/compare-sets.ts'))).compareSets;
}

const secondsPerRun = 8;

type Status = SetComparison['verdict']['status'];

/** Reimplements `differences.ts` of that commit: different machine speeds prevented a verdict. */
function isSpeedApart({ loads }: RecordedPair): boolean {
  const [one = 1, other = 1] = [loads.before, loads.after].map(side =>
    medianOf(toSorted(side.map(({ facts }) => facts.benchmarkIndex))),
  );
  return Math.max(one, other) / Math.min(one, other) > 1.2;
}

type Judged = {
  readonly pair: RecordedPair;
  readonly former: Status;
  readonly now: Status;
  /** The sentence that the service would answer. */
  readonly explanation: string;
};

/** @param runs number of runs of each side that are used */
async function judgePairs(file: string, runs = 5): Promise<Judged[]> {
  const formerRules = await loadFormerRules();
  const pairs = readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as RecordedPair);
  return pairs.map(pair => {
    const [before, after] = [pair.loads.before.slice(0, runs), pair.loads.after.slice(0, runs)];
    const measured = (side: typeof before) => side.map(({ entry }) => entry as MeasuredRun);
    const former = isSpeedApart(pair) ? 'undecided' : formerRules(measured(before), measured(after)).verdict.status;
    const { compared, files } = judgeAlike({ before, after }, { falseAlarms: 0.02 });
    const explanation = explainAlike(
      { compared, runs, history: 0, pace: secondsPerRun },
      { measured: compareSets(measured(before), measured(after)), files, differences: [] },
    );
    return { pair, former, now: compared.verdict.status, explanation };
  });
}

/** Prints the first answer of each kind and status. */
export async function printSentences(file: string): Promise<void> {
  const told = new Set<string>();
  for (const { pair, now, former, explanation } of await judgePairs(file)) {
    const key = `${pair.kind}, ${now}`;
    if (told.has(key)) continue;
    told.add(key);
    console.log(`- **${key}** (before: ${former}; ${pair.page}): ${explanation.replaceAll('\u00a0', ' ')}`);
  }
}

const statuses: readonly Status[] = ['worse', 'better', 'no_difference', 'undecided'];
const say = (all: readonly Status[]): string =>
  statuses.map(status => toPercent(all.filter(one => one === status).length, all.length)).join(' / ');

/** Prints the percentage of pairs with each status, by kind of change. */
export async function printPlantedLoads(file: string, runs = 5): Promise<void> {
  if (!existsSync(file)) return void console.log(`${file} is not there: record it with bench/studies/change-loads.ts`);
  const judged = await judgePairs(file, runs);
  const kinds = ['unchanged', ...[...tableKinds, ...heldOutKinds].map(({ name }) => name)];
  const names = [...new Set(judged.map(({ pair }) => pair.kind))].sort(
    (a, b) => kinds.indexOf(a) - kinds.indexOf(b) || (a < b ? -1 : 1),
  );
  printTable(
    `Real loads, ${runs} a side: worse / better / no_difference / undecided, percent`,
    ['planted', 'pairs', 'pages', `rules of ${formerCommit}`, 'now'],
    names.map(name => {
      const of = judged.filter(({ pair }) => pair.kind === name);
      return [
        ...[name, String(of.length), String(new Set(of.map(({ pair }) => pair.page)).size)],
        ...[say(of.map(({ former }) => former)), say(of.map(({ now }) => now))],
      ];
    }),
  );
}
