/**
 * `npm run bench:calibrated -- --runs 10 --share 0.5 --file calibrated.ndjson` measures how `cpu=calibrated` changes
 * the scores of a CPU-limited machine and of an unlimited one. Two services on this machine audit each page
 * alternately; one is in a control group with a share of one CPU. Each load has both scores, so the two are comparable.
 * An interrupted study continues.
 */
import { parseArgs } from 'node:util';
import type { Result } from '../../src/contract/result/result.ts';
import { percentile } from '../measure.ts';
import { startServiceProcess } from '../processes.ts';
import { createControlGroup } from './control-group.ts';
import { openLines } from './lines.ts';
import { measureAt } from './load-values.ts';
import { startCalibrationPages } from './study-pages.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    share: { type: 'string', default: '0.5' },
    file: { type: 'string', default: 'calibrated.ndjson' },
  },
});
const [runs, share] = [Number(values.runs), Number(values.share)];

type Machine = 'unlimited' | 'limited';
type Line = {
  page: string;
  machine: Machine;
  index: number;
  multiplier: number;
  calibrated: number;
  usual: number;
};
const machines = ['unlimited', 'limited'] as const;
const lines = openLines<Line>(values.file);
const of = (page: string, machine: Machine) => lines.all.filter(line => line.page === page && line.machine === machine);

function toLine(page: string, machine: Machine, { environment, scores, default_cpu: usual }: Result): Line | undefined {
  const { calibration, cpu_slowdown_multiplier: multiplier } = environment;
  const { performance } = scores;
  if (!calibration || !usual || multiplier === null) return undefined;
  if (typeof performance !== 'number' || typeof usual.performance !== 'number') return undefined;
  return {
    page,
    machine,
    index: calibration.benchmark_index,
    multiplier,
    calibrated: performance,
    usual: usual.performance,
  };
}

const say = (all: readonly number[]): string =>
  [0.5, 0.25, 0.75].map(at => Number(percentile(all, at).toFixed(1))).join(' / ');

type Score = 'usual' | 'calibrated';
const medianOf = (page: string, machine: Machine, score: Score) =>
  percentile(
    of(page, machine).map(line => line[score]),
    0.5,
  );
/**
 * The gap is the difference of the machines' medians, the spread the range from the 10th to the 90th percentile of all
 * loads.
 */
const gapOf = (page: string, score: Score) => medianOf(page, 'unlimited', score) - medianOf(page, 'limited', score);
function spreadOf(page: string, score: Score): number {
  const all = machines.flatMap(machine => of(page, machine).map(line => line[score]));
  return percentile(all, 0.9) - percentile(all, 0.1);
}

const limit = createControlGroup({ cpu: share });
const site = await startCalibrationPages();
const services = {
  unlimited: await startServiceProcess({ TARGETS: 'any', LIGHTHOUSE_TIMEOUT: '180' }),
  limited: await startServiceProcess({ TARGETS: 'any', LIGHTHOUSE_TIMEOUT: '180' }, { prefix: limit.prefix }),
};
try {
  const measure = (machine: Machine, url: string) => measureAt(services[machine], url, { cpu: 'calibrated' });
  // The first audit of a machine calibrates it and reads cold files, so it does not count.
  for (const machine of machines) for (const { url } of site.pages) await measure(machine, url);
  for (let run = 0; run < runs; run += 1)
    for (const { name, url } of site.pages)
      for (const machine of machines) {
        if (of(name, machine).length > run) continue;
        const line = toLine(name, machine, await measure(machine, url));
        if (line) lines.add(line);
        console.error(`  ${run + 1} of ${runs}: ${JSON.stringify(line ?? `${name}: no second score`)}`);
      }
  console.log(`\n${runs} runs of each in turn, limited to ${share} of a processor: median / quartiles\n`);
  console.log('| page | machine | index | multiplier | usual score | calibrated score |\n|---|---|---|---|---|---|');
  for (const { name } of site.pages)
    for (const machine of machines) {
      const all = of(name, machine);
      const cells = (['index', 'multiplier', 'usual', 'calibrated'] as const).map(key =>
        say(all.map(line => line[key])),
      );
      console.log(`| ${name} | ${machine} | ${cells.join(' | ')} |`);
    }
  console.log('\n| page | points between the machines: usual | calibrated | 10 to 90 % of all: usual | calibrated |');
  console.log('|---|---|---|---|---|');
  const rows = site.pages.map(({ name }) => [
    ...(['usual', 'calibrated'] as const).map(score => Math.abs(gapOf(name, score))),
    ...(['usual', 'calibrated'] as const).map(score => spreadOf(name, score)),
  ]);
  site.pages.forEach(({ name }, at) => {
    console.log(`| ${name} | ${rows[at]?.join(' | ')} |`);
  });
  const sums = [0, 1, 2, 3].map(at => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const shareOf = (usual = 0, calibrated = 0) => (usual === 0 ? 'no spread' : (calibrated / usual).toFixed(2));
  console.log(
    `\nCalibrated over usual, at most 0.5 is wanted: ${shareOf(sums[0], sums[1])} between the machines, ${shareOf(sums[2], sums[3])} of all`,
  );
} finally {
  await Promise.all(Object.values(services).map(service => service.stop()));
  limit.close();
  await site.close();
}
