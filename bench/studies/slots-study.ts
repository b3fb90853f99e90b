/**
 * `npm run bench:slots`: what a second audit beside it does to an audit, on four pages: each alone, then two of it at
 * once. Prints the drift of every metric, and how often the warning of a disturbed run was right.
 * `npm run bench:slots -- --runs 30 --file slots.ndjson`: about 40 minutes; after an interruption it goes on.
 */
import { parseArgs } from 'node:util';
import type { Result } from '../../src/contract/result/result.ts';
import { startServiceProcess } from '../processes.ts';
import { openLines } from './lines.ts';
import { type LoadValues, measureAt, sayQuartiles, toLoadValues, toQuartiles, valueNames } from './load-values.ts';
import { type StudyPage, startStudyPages } from './study-pages.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '30' }, file: { type: 'string', default: 'slots-study.ndjson' } },
});
const runs = Number(values.runs);

type Line = {
  page: string;
  slots: 1 | 2;
  values: LoadValues;
  /** By its wait for a processor, or by the index of the machine at best. */
  warned: 'was' | 'may' | 'no';
  /** What the warning says that the load scores without the wait. */
  without: number | null;
  beside: number | null;
};
const lines = openLines<Line>(values.file);
const of = (page: string, slots: Line['slots']) => lines.all.filter(line => line.page === page && line.slots === slots);

const toWarned = (warnings: readonly string[]): Line['warned'] => {
  if (warnings.some(warning => warning.startsWith('This run was disturbed'))) return 'was';
  return warnings.some(warning => warning.startsWith('This run may have been disturbed')) ? 'may' : 'no';
};

const toLine = (page: string, slots: Line['slots'], result: Result): Line => ({
  ...{ page, slots, values: toLoadValues(result) },
  warned: toWarned(result.warnings),
  without: result.environment.processor_wait?.without?.performance ?? null,
  beside: result.environment.concurrent_audits ?? null,
});

/** A run that a person would call disturbed: so much below the median of those that ran alone, or so much more blocked. */
const off = { points: 2, blockingMs: 50 };

const isOff = ({ values: { score, TBT } }: Line, alone: readonly Line[]): boolean => {
  const quiet = alone.map(line => line.values);
  return (
    toQuartiles(quiet, 'score').median - score > off.points || TBT - toQuartiles(quiet, 'TBT').median > off.blockingMs
  );
};

const toDriftRows = ({ name }: StudyPage): string[] => {
  const [alone, beside] = ([1, 2] as const).map(slots => of(name, slots).map(line => line.values));
  return valueNames.map(value => {
    const [one, two] = [toQuartiles(alone ?? [], value), toQuartiles(beside ?? [], value)];
    return `| ${name} | ${value} | ${sayQuartiles(value, one)} | ${sayQuartiles(value, two)} |`;
  });
};

function toWarningRow(name: string, slots: Line['slots']): string {
  const all = of(name, slots);
  const alone = of(name, 1);
  const count = (test: (line: Line) => boolean) => all.filter(test).length;
  const offOf = (kind: Line['warned']) => count(line => line.warned === kind && isOff(line, alone));
  const cells = (['was', 'may', 'no'] as const).map(
    kind => `${offOf(kind)} of ${count(({ warned }) => warned === kind)}`,
  );
  const { median } = toQuartiles(
    alone.map(line => line.values),
    'score',
  );
  const isClose = ({ warned, without }: Line) => warned === 'was' && Math.abs((without ?? 0) - median) <= off.points;
  return `| ${name} | ${slots} | ${cells.join(' | ')} | ${count(isClose)} of ${count(({ warned }) => warned === 'was')} |`;
}

const site = await startStudyPages();
const service = await startServiceProcess({ TARGETS: 'any' });
try {
  for (const { url } of site.pages) await measureAt(service, url);
  for (let run = 0; run < runs; run += 1)
    for (const { name, url } of site.pages) {
      if (of(name, 1).length <= run) lines.add(toLine(name, 1, await measureAt(service, url)));
      if (of(name, 2).length <= 2 * run)
        for (const result of await Promise.all([measureAt(service, url), measureAt(service, url)]))
          lines.add(toLine(name, 2, result));
      console.error(`  ${run + 1} of ${runs}: ${name}`);
    }
  console.log(`\n${runs} runs alone, and as many pairs at once: median (quartiles); times in ms\n`);
  console.log('| page | | alone | beside another |\n|---|---|---|---|');
  for (const page of site.pages) console.log(toDriftRows(page).join('\n'));
  console.log(
    `\nA run is off when it scores more than ${off.points} points less than the median of those alone, or blocks ${off.blockingMs} ms more.\n`,
  );
  console.log(
    '| page | at once | off, of those told as disturbed | … as perhaps disturbed | … as neither | told score within 2 points of those alone |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const { name } of site.pages) for (const slots of [1, 2] as const) console.log(toWarningRow(name, slots));
} finally {
  await service.stop();
  await site.close();
}
