/**
 * `npm run bench:experiments -- --experiments 9 --seconds 1800` runs experiments over HTTP. One variant has a planted
 * change, the other changes nothing. The study counts how often the first is found, and how often the second is decided.
 * With `--busy`, another process uses a CPU during the second half. With `--unchanged`, five variants change nothing, for
 * as many experiments as fit into the seconds. Then the loads of all unchanged arms are assigned to a base, its control
 * and one variant, in random order within each block, which gives many A/A experiments of real loads. Results are added
 * to `experiments.ndjson` and `unchanged.ndjson`; `--seconds 0` only prints the table.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ExperimentAnswer } from '../../src/contract/experiments/answer.ts';
import { type PrimaryMetric, primaryMetrics } from '../../src/contract/experiments/names.ts';
import { judgeExperiment } from '../../src/explain/experiments/judge.ts';
import { shuffle, toRandom } from '../../src/explain/statistics/random.ts';
import { startServiceProcess } from '../processes.ts';
import { experimentKinds } from './change/kinds.ts';
import { changePages, startChangePages } from './change/pages.ts';
import { openLines } from './lines.ts';

const { values } = parseArgs({
  options: {
    experiments: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '0' },
    busy: { type: 'boolean', default: false },
    unchanged: { type: 'boolean', default: false },
    folder: { type: 'string', default: '/tmp/experiments' },
  },
});

type Line = {
  page: string;
  kind: string;
  metric: PrimaryMetric;
  isBusy: boolean;
  planted: string;
  nothing: string;
  differs: boolean;
  /** Values of the unchanged arms, by block. */
  blocks: number[][];
  seconds: number;
};

const metrics: Readonly<Record<string, PrimaryMetric>> = {
  'server +300 ms': 'server_response_time',
  'long task, 1 s': 'total_blocking_time',
};
const metricOf = (kind: string): PrimaryMetric => metrics[kind] ?? 'largest_contentful_paint';

/** Every page once, with the kinds in turn; real and own pages alternate. */
const orders = changePages
  .toSorted((one, other) => (changePages.indexOf(one) % 6) - (changePages.indexOf(other) % 6))
  .map((page, at) => ({ page, kind: experimentKinds[at % experimentKinds.length] ?? experimentKinds[0] }))
  .slice(0, Number(values.experiments));

mkdirSync(values.folder, { recursive: true });
const lines = openLines<Line>(join(values.folder, 'experiments.ndjson'));

type UnchangedLine = Pick<Line, 'page' | 'metric' | 'isBusy' | 'differs' | 'blocks' | 'seconds'> & {
  statuses: string[];
};
const unchangedLines = openLines<UnchangedLine>(join(values.folder, 'unchanged.ndjson'));

/** Uses a CPU until it is killed. */
const startBusy = (): ChildProcess => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });

type Sent = { url: string; metric: PrimaryMetric; variants: readonly object[] };

const changesNothing = (value: number) => ({ name: `nothing ${value}`, headers: { 'x-nothing': `${value}` } });

async function measure(service: { url: string }, sent: Sent): Promise<ExperimentAnswer> {
  const response = await fetch(`${service.url}/experiments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sent),
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  const { id, plan } = (await response.json()) as ExperimentAnswer;
  let busy: ChildProcess | undefined;
  try {
    for (;;) {
      const answer = (await (await fetch(`${service.url}/experiments/${id}`)).json()) as ExperimentAnswer;
      if (values.busy && answer.progress.loads >= plan.loads.first / 2) busy ??= startBusy();
      if (answer.state !== 'queued' && answer.state !== 'running') return answer;
      await new Promise(resolve => setTimeout(resolve, 2000));
    }
  } finally {
    busy?.kill();
  }
}

/** Returns the values of the base, its control and these variants, by block. */
const toBlocks = ({ control }: ExperimentAnswer, unchanged: ExperimentAnswer['variants']): number[][] =>
  control.pairs.flatMap(({ block, base, variant }) => {
    const same = unchanged.flatMap(({ pairs }) => pairs.find(pair => pair.block === block)?.variant ?? []);
    return same.length === unchanged.length ? [[base, variant, ...same]] : [];
  });

const isLate = (() => {
  const endMs = Date.now() + 1000 * Number(values.seconds);
  return () => Date.now() > endMs;
})();

async function measurePlanted(service: { url: string }): Promise<void> {
  for (const { page, kind } of orders) {
    const isDone = lines.all.some(line => line.page === page.name && line.isBusy === values.busy);
    if (!kind || isDone || isLate()) continue;
    const startMs = Date.now();
    const planted = { name: 'planted', url: `${page.url}?plant=${encodeURIComponent(kind.name)}` };
    const variants = [planted, changesNothing(1)];
    const answer = await measure(service, { url: page.url, metric: metricOf(kind.name), variants });
    const [found, nothing] = answer.variants.map(({ status }) => status);
    lines.add({
      page: page.name,
      kind: kind.name,
      metric: answer.metric,
      isBusy: values.busy,
      planted: found ?? '',
      nothing: nothing ?? '',
      differs: answer.control.differs,
      blocks: toBlocks(answer, answer.variants.slice(1)),
      seconds: Math.round((Date.now() - startMs) / 1000),
    });
    console.error(JSON.stringify({ ...lines.all.at(-1), blocks: undefined }));
  }
}

/** Metrics of experiments that change nothing, in turn. */
const unchangedMetrics: readonly PrimaryMetric[] = ['largest_contentful_paint', 'performance', 'total_blocking_time'];

async function measureUnchanged(service: { url: string }): Promise<void> {
  while (!isLate()) {
    const done = unchangedLines.all.length;
    const page = changePages[done % changePages.length] ?? changePages[0];
    const round = Math.floor(done / changePages.length);
    const metric = unchangedMetrics[(done + round) % unchangedMetrics.length] ?? 'performance';
    const url = page?.url ?? '';
    const startMs = Date.now();
    const answer = await measure(service, { url, metric, variants: [1, 2, 3, 4, 5].map(changesNothing) });
    unchangedLines.add({
      page: page?.name ?? '',
      metric,
      isBusy: values.busy,
      statuses: answer.variants.map(({ status }) => status),
      differs: answer.control.differs,
      blocks: toBlocks(answer, answer.variants),
      seconds: Math.round((Date.now() - startMs) / 1000),
    });
    console.error(JSON.stringify({ ...unchangedLines.all.at(-1), blocks: undefined }));
  }
}

async function measureAll(): Promise<void> {
  const site = await startChangePages(experimentKinds);
  const service = await startServiceProcess({ DATA_DIR: join(values.folder, 'data'), TARGETS: 'any' });
  try {
    await (values.unchanged ? measureUnchanged : measurePlanted)(service);
  } finally {
    await service.stop();
    await site.close();
  }
}

const count = (all: readonly Line[], isIt: (line: Line) => boolean): string =>
  `${all.filter(isIt).length} of ${all.length}`;
const isClaim = (status: string): boolean => status === 'better' || status === 'worse';

const drawn = 2000;
const noMetrics = Object.fromEntries(primaryMetrics.map(name => [name, null])) as Record<PrimaryMetric, null>;

/** Judges experiments whose three arms are unchanged loads in a new random order. */
function drawAgain(all: readonly Pick<Line, 'blocks' | 'metric'>[], count: number) {
  const random = toRandom([7]);
  const statuses = Array.from({ length: count }, (_, at) => {
    const { blocks, metric } = all[at % all.length] ?? { blocks: [], metric: 'performance' };
    const loads = blocks.map(block =>
      shuffle([...block], random)
        .slice(0, 3)
        .map(value => ({ metrics: { ...noMetrics, [metric]: value }, machineId: null })),
    );
    const { variants, control } = judgeExperiment(loads, 1, metric);
    return control.differs ? 'differs' : (variants[0]?.status ?? '');
  });
  const shareOf = (isIt: (status: string) => boolean) =>
    `${((100 * statuses.filter(isIt).length) / statuses.length).toFixed(1)} %`;
  return { decided: shareOf(isClaim), same: shareOf(status => status === 'no_difference') };
}

if (Number(values.seconds) > 0) await measureAll();
for (const isBusy of [false, true]) {
  const all = lines.all.filter(line => line.isBusy === isBusy);
  const unchanged = unchangedLines.all.filter(line => line.isBusy === isBusy);
  if (all.length + unchanged.length === 0) continue;
  const again = drawAgain([...all, ...unchanged], drawn);
  const loads = [...all, ...unchanged].reduce((sum, { blocks }) => sum + blocks.flat().length, 0);
  console.log(`${isBusy ? 'busy from the middle' : 'quiet'}:
  planted change found: ${count(all, ({ planted }) => planted === 'worse')} (${[...new Set(all.map(({ kind }) => kind))]
    .map(
      kind =>
        `${kind}: ${count(
          all.filter(line => line.kind === kind),
          ({ planted }) => planted === 'worse',
        )}`,
    )
    .join(', ')})
  variant that changes nothing decided: ${count(all, ({ nothing }) => isClaim(nothing))}, no_difference: ${count(all, ({ nothing }) => nothing === 'no_difference')}
  base differs from itself: ${count(all, ({ differs }) => differs)}
  ${drawn} A/A experiments of ${loads} unchanged loads: decided ${again.decided}, no_difference ${again.same}`);
}
const unchanged = unchangedLines.all.flatMap(({ statuses }) => statuses);
if (unchanged.length > 0)
  console.log(`${unchanged.length} variants that change nothing, in ${unchangedLines.all.length} experiments:
  decided: ${unchanged.filter(isClaim).length}, no_difference: ${unchanged.filter(status => status === 'no_difference').length}
  base differs from itself: ${unchangedLines.all.filter(({ differs }) => differs).length}`);
