/**
 * `npm run bench:verdicts` prints the verdicts of `/compare` for planted causes, and for none. Plants without a browser
 * take a second.
 * `--mixed` combines each plant with something that is not a difference (half a minute).
 * `--real` adds real comparisons of two services, 10 to 15 s each (8 minutes in all).
 * `--blind 100` compares pages with themselves 100 times, half of them alongside other audits (30 to 40 minutes).
 * `--pairs 8` runs each unchanged page 8 times and compares each remote load with each local one.
 * `--file verdicts.ndjson` stores the rows of `--real` and `--blind`, so that an interrupted run continues.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Comparison } from '../../src/contract/analysis/comparison.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { Side } from '../../src/explain/compare/side.ts';
import type { Lhr } from '../../src/measure/lhr/lhr.ts';
import { comparePlant, isRight } from '../../test/compare/laboratory/compare-plant.ts';
import { mixPlants } from '../../test/compare/laboratory/mixed.ts';
import { moreRealPlants } from '../../test/compare/laboratory/more-real-plants.ts';
import { plants } from '../../test/compare/laboratory/plants.ts';
import { realCauses } from '../../test/compare/laboratory/real-causes.ts';
import { isRightlyTold, type RealPlant, realPlants, toPlantQuery } from '../../test/compare/laboratory/real-plants.ts';
import { startLaboratory } from '../../test/compare/laboratory/site.ts';
import { withQuery } from '../../test/support/asking/ask.ts';
import { compareSides, planFor } from '../../test/support/builders/compared.ts';
import { percentile } from '../measure.ts';
import { type BlindPair, blindPages, runBlindPairs, statedIn, toBlindTable } from './blind-pairs.ts';
import { openLines } from './lines.ts';

const { values } = parseArgs({
  options: {
    mixed: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
    blind: { type: 'string', default: '0' },
    pairs: { type: 'string', default: '0' },
    file: { type: 'string' },
  },
});

/** The first statement: about the page, or both scores with the sentence after them. */
const firstOf = (verdict: string): string => {
  const [first = '', second = ''] = verdict.split(/(?<=\.) (?=[A-Z])/);
  return (first.startsWith('Local Lighthouse scores ') ? `${first} ${second}` : first)
    .replace(/^The two sides did not load the same page: /, 'other page: ')
    .replaceAll('/same-many/', '/')
    .replace(/^Local Lighthouse scores (\d+), .*? (\d+)\./, '… $1 against $2:')
    .replace(/\.$/, '')
    .replaceAll('|', '/');
};

/** Maximum line length in documents. */
const maxLine = 120;

function toRow(planted: string, { explanation }: Pick<Comparison, 'explanation'>, right: boolean): string {
  const end = ` | ${right ? 'yes' : '**no**'} |`;
  const row = `| ${planted} | ${firstOf(explanation)}`;
  return row.length + end.length <= maxLine ? row + end : `${row.slice(0, maxLine - end.length - 1).trimEnd()}…${end}`;
}

const printTable = (title: string, rows: readonly string[]): void => {
  const wrong = rows.filter(row => row.endsWith('**no** |')).length;
  console.log(`\n${title}: ${rows.length - wrong} of ${rows.length} right\n`);
  console.log(['| planted | first statement | right |', '|---|---|---|', ...rows].join('\n'));
};

type Kept = Result & { lighthouse_result: Lhr };
type Compared = { psi: Result; lighthouse: Result; comparison: Comparison };
type MaybeFailed = { error?: Problem };
/** A comparison in which a side may have failed. */
type Part = { psi: MaybeFailed; lighthouse: MaybeFailed; comparison: Comparison | null };

const ask = async <Body>(target: string): Promise<Body> => {
  const response = await fetch(target, { headers: { 'cache-control': 'no-cache' } });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
};

const toTarget = (service: { url: string }, plant: RealPlant): string =>
  service.url + withQuery('/compare', toPlantQuery(plant));

/** Reads the stored result of one side of a comparison, with its full Lighthouse result. */
async function readSide(service: { url: string }, { id }: Result): Promise<Side> {
  const { lighthouse_result: lhr, ...result } = await ask<Kept>(`${service.url}/results/${id}?detailed=true`);
  return { lhr, result };
}

async function comparePairs(service: { url: string }, plant: RealPlant, count: number): Promise<string> {
  const sides: { psi: Side; lighthouse: Side }[] = [];
  for (let at = 0; at < count; at += 1) {
    const { psi, lighthouse } = await ask<Compared>(toTarget(service, plant));
    sides.push({ psi: await readSide(service, psi), lighthouse: await readSide(service, lighthouse) });
    console.error(`  ${plant.name}: ${at + 1} of ${count}`);
  }
  const all = sides.flatMap(({ psi }) =>
    sides.map(({ lighthouse }) => {
      const outcome =
        planFor(psi, lighthouse).length > 0 ? { reason: 'the pair was not one request' } : { results: [] };
      return compareSides(psi, lighthouse, { outcome, askedAtMs: Date.parse(psi.result.fetched_at) });
    }),
  );
  const gaps = all.map(({ scores }) => Math.abs(scores.performance?.difference ?? 0));
  const stated = all.filter(comparison => statedIn(comparison).length > 0);
  const seen = all.filter(({ causes }) => causes.some(({ cause }) => cause === 'simulation'));
  const [half, most] = [0.5, 0.95].map(share => percentile(gaps, share));
  return `| ${plant.planted} | ${all.length} | ${half} | ${most} | ${Math.max(...gaps)} | ${seen.length} | ${stated.length} |`;
}

type RealLine = { kind: 'real'; name: string; row: string };
const kept = openLines<RealLine | BlindPair>(
  values.file ?? join(tmpdir(), `rangelight-verdicts-${process.pid}.ndjson`),
);

const plantsOfLoads = [...realPlants, ...moreRealPlants, ...realCauses];

/** Compares each plant once; rows of an earlier run are reused. */
async function compareReal(service: { url: string }): Promise<string[]> {
  const rows: string[] = [];
  for (const plant of plantsOfLoads) {
    const seen = kept.all.find(line => line.kind === 'real' && line.name === plant.name) as RealLine | undefined;
    if (!seen) {
      const { comparison, psi, lighthouse } = await ask<Part>(toTarget(service, plant));
      // A side without a result has an error instead.
      const told = comparison?.explanation ?? psi.error?.detail ?? lighthouse.error?.detail ?? '';
      const row = toRow(plant.planted, { explanation: told }, isRightlyTold(plant, told));
      kept.add({ kind: 'real', name: plant.name, row });
      console.error(`  ${row}`);
      if (row.endsWith('**no** |')) console.error(`    ${told}`);
      rows.push(row);
    } else rows.push(seen.row);
  }
  return rows;
}

async function compareBlind(service: { url: string }): Promise<void> {
  const pairs = kept.all.filter(line => line.kind === 'blind');
  const lines = {
    all: pairs,
    add(line: BlindPair) {
      pairs.push(line);
      kept.add(line);
    },
  };
  await runBlindPairs(service, { count: Number(values.blind), lines, ask });
  console.log(`\nNothing planted, pair by pair\n\n${toBlindTable(pairs)}`);
}

async function runReal(): Promise<void> {
  const hooks: (() => Promise<void> | void)[] = [];
  const folder = join(tmpdir(), `rangelight-verdicts-${process.pid}`);
  const bySide = (name: string) => plantsOfLoads.find(plant => plant.name === name);
  const scope = { after: (hook: () => Promise<void> | void) => void hooks.unshift(hook) };
  try {
    const service = await startLaboratory(scope, bySide, { DATA_DIR: folder });
    if (values.real) printTable('Real loads', await compareReal(service));
    if (Number(values.blind) > 0) await compareBlind(service);
    const rows: string[] = [];
    for (const plant of blindPages)
      if (Number(values.pairs) > 0) rows.push(await comparePairs(service, plant, Number(values.pairs)));
    if (rows.length > 0)
      console.log(
        [
          '\nNothing planted: points between the scores, and what was stated beyond noise\n',
          '| page | pairs | median | 95 % | most | told as simulation | false statements |',
          '|---|---|---|---|---|---|---|',
          ...rows,
        ].join('\n'),
      );
  } finally {
    for (const hook of hooks) await hook();
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const [cause, rows] of Object.entries(plants))
  printTable(
    cause,
    rows.map(plant => {
      const comparison = comparePlant(plant);
      return toRow(plant.name, comparison, isRight(plant, comparison));
    }),
  );
if (values.mixed) {
  const mixed = mixPlants(Object.values(plants).flat());
  const wrong = mixed.filter(({ isRight }) => !isRight);
  console.log(`\nWith something beside them: ${mixed.length - wrong.length} of ${mixed.length} right`);
  for (const { name, verdict } of wrong) console.log(`- ${name}: ${verdict}`);
}
if (values.real || Number(values.blind) > 0 || Number(values.pairs) > 0) await runReal();
