/**
 * `node bench/studies/change-loads.ts --seconds 150 --pages 4` records real loads of twelve pages, unchanged and with
 * planted changes, through the real service, one load at a time. Five consecutive loads of a page and kind are a block.
 * It records as many whole blocks as the time allows, and continues there when it is called again. Each load is a line
 * of `loads.ndjson` in the folder; its artifacts are in the service's store in the same folder.
 */
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServiceProcess } from '../processes.ts';
import { heldOutKinds, type Kind, tableKinds, unchanged } from './change/kinds.ts';
import { changePages, startChangePages } from './change/pages.ts';
import type { RecordedLoad } from './change/recorded.ts';
import { createControlGroup } from './control-group.ts';
import { openLines } from './lines.ts';
import { measureAt, toLoadValues } from './load-values.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '150' },
    /** Number of pages, own and real ones alternately. */
    pages: { type: 'string', default: '12' },
    folder: { type: 'string', default: '/tmp/change-loads' },
    /** `table`, `held-out`, `unchanged`, `busy` or `speeds` */
    set: { type: 'string', default: 'table' },
    /** Blocks of each page in the sets `unchanged` and `busy`; a pair takes two. */
    blocks: { type: 'string', default: '2' },
    kinds: { type: 'string' },
  },
});

const runsPerBlock = 5;
const endMs = Date.now() + 1000 * Number(values.seconds);
mkdirSync(values.folder, { recursive: true });
const lines = openLines<RecordedLoad>(join(values.folder, 'loads.ndjson'));

type Block = { page: (typeof changePages)[number]; kind: Kind; block: string; cpuShare: number | null };

const inTurn = (() => {
  const [real, ownPages] = [changePages.filter(({ isReal }) => isReal), changePages.filter(({ isReal }) => !isReal)];
  return real.flatMap((page, at) => [ownPages[at] ?? page, page]).slice(0, Number(values.pages));
})();

const toBlocks = (kinds: readonly Kind[], cpuShare: number | null = null): Block[] =>
  inTurn.flatMap(page =>
    kinds.map(kind => ({
      page,
      kind,
      cpuShare,
      block: [page.name, kind.name, ...(cpuShare === null ? [] : [`${cpuShare} CPU`]), 0].join(' / '),
    })),
  );

const chosen = (kinds: readonly Kind[]): readonly Kind[] =>
  values.kinds ? kinds.filter(({ name }) => name.includes(values.kinds ?? '')) : kinds;
const plans: Readonly<Record<string, () => Block[]>> = {
  unchanged: () => toNeighbours(false),
  busy: () => toNeighbours(true),
  table: () => toBlocks([unchanged, ...chosen(tableKinds)]),
  'held-out': () => toBlocks(chosen(heldOutKinds)),
  speeds: () => [...toBlocks([unchanged, ...chosen(tableKinds)], 0.8), ...toBlocks([unchanged], 0.5)],
};

/** The blocks of a page follow each other. */
const toNeighbours = (isBusy: boolean): Block[] =>
  inTurn.flatMap(page =>
    Array.from({ length: Number(values.blocks) }, (_, round) => ({
      page,
      kind: unchanged,
      cpuShare: null,
      block: [page.name, unchanged.name, ...(isBusy ? ['busy'] : []), round].join(' / '),
    })),
  );

const toOpen = (blocks: readonly Block[]) =>
  blocks.filter(({ block }) => lines.all.filter(line => line.block === block).length < runsPerBlock);
const open = toOpen(plans[values.set]?.() ?? []);
console.error(`${open.length} blocks are missing`);

const site = await startChangePages();
const limit = open[0]?.cpuShare ? createControlGroup({ cpu: open[0].cpuShare }) : undefined;
const service = await startServiceProcess(
  {
    DATA_DIR: join(values.folder, 'data'),
    TARGETS: 'any',
    KEEP_ARTIFACTS: '60000',
    KEEP_SIZE: '8000',
    LIGHTHOUSE_TIMEOUT: '120',
  },
  limit ? { prefix: limit.prefix } : {},
);
// The first audit also compiles the worker's code, so its load is not recorded.
await measureAt(service, inTurn[0]?.url ?? '').catch(() => {});

let longestMs = 45_000;
for (const { page, kind, block, cpuShare } of open.filter(({ cpuShare }) => cpuShare === open[0]?.cpuShare)) {
  if (Date.now() + longestMs > endMs) break;
  const startMs = Date.now();
  site.plant(kind);
  let done = lines.all.filter(line => line.block === block).length;
  while (done < runsPerBlock && Date.now() < endMs + 20_000) {
    const result = await measureAt(service, page.url, { label: block.slice(0, 100) }).catch(error => {
      console.error(`${block}: ${error.message}`);
      return undefined;
    });
    done += 1;
    if (!result?.id) continue;
    lines.add({
      page: page.name,
      kind: kind.name,
      block,
      cpuShare,
      isBusy: values.set === 'busy',
      id: result.id,
      time: new Date().toISOString(),
      benchmarkIndex: result.environment.benchmark_index,
      machineLoad: Number((loadavg()[0] ?? 0).toFixed(2)),
      values: toLoadValues(result),
    });
  }
  longestMs = Math.max(longestMs, Date.now() - startMs);
  console.error(`${block}: ${((Date.now() - startMs) / 1000).toFixed(0)} s`);
}
await service.stop();
await site.close();
limit?.close();
