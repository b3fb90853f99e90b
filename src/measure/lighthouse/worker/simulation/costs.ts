/**
 * Simulates a load with each of its fixes alone: those that audits propose, and those of single files, without the work
 * of a script, the bytes of a picture, or a third party.
 */
import type { RunnerResult } from 'lighthouse';
import { EntityClassification } from 'lighthouse/core/computed/entity-classification.js';
import type { Cost, Fix, FixOrder, Simulated } from '../../../../contract/stored/what-if-order.ts';
import { planFixes } from '../../../lhr/fixes.ts';
import type { Lhr } from '../../../lhr/lhr.ts';
import { findTaken, isUsable, makeFixes } from './changes.ts';
import { scriptEvents } from './clock-loops.ts';
import { type Artifacts, type ComputedCache, type CpuNode, collect } from './load-graph.ts';
import { refusalOf } from './removals.ts';
import { takeHeaviest } from './search.ts';
import { openSimulation, type Simulation } from './simulate-load.ts';

/** A fix, and the files that it concerns, largest first. */
type FileFix = Fix & Pick<Cost, 'files' | 'bytes' | 'mainThreadMs'>;

type CostEvent = { name: string; pid: number; args?: { data?: Record<string, unknown> } };

/** Returns the URL of the image that is the main frame's largest contentful paint; undefined for text. */
function findLargestImage(traceEvents: readonly CostEvent[]): string | undefined {
  const largest = traceEvents.findLast(
    ({ name, args }) => name === 'largestContentfulPaint::Candidate' && args?.data?.isMainFrame !== false,
  );
  const nodeId = largest?.args?.data?.nodeId;
  const image = traceEvents.findLast(
    ({ name, pid, args }) =>
      name === 'LargestImagePaint::Candidate' && pid === largest?.pid && args?.data?.DOMNodeId === nodeId,
  );
  const url = image?.args?.data?.imageUrl;
  return typeof url === 'string' ? url : undefined;
}

/** Max number of files of each kind that are simulated, and the least that they transfer or work at the load's CPU. */
const most = { scripts: 8, thirdParties: 6, pictures: 5, named: 3 };
const leastWorkMs = 50;
const leastPictureBytes = 20_000;
const leastPartyBytes = 10_000;

/** Max length of a URL: longer ones are left out. */
const maxUrl = 2000;
const isNamed = (url: string): boolean => /^https?:/.test(url) && url.length <= maxUrl;

/** Returns the milliseconds that each script runs, by URL; inline scripts have the URL of their document. */
function toWorkOf(tasks: readonly CpuNode[]): Map<string, number> {
  const work = new Map<string, number>();
  for (const { childEvents } of tasks) {
    const ends = new Map<string, number>();
    for (const { name, ts, dur = 0, args } of childEvents) {
      const url = args.data?.url;
      if (!url || !scriptEvents.has(name) || ts < (ends.get(url) ?? 0)) continue;
      ends.set(url, ts + dur);
      work.set(url, (work.get(url) ?? 0) + dur / 1000);
    }
  }
  return work;
}

const noFiles = { files: [], bytes: 0, mainThreadMs: 0 };

/** Returns fixes of single files and third parties that no audit proposes: the heaviest of each kind. */
async function toFileFixes(
  { URL: pageUrl, DevtoolsLog: devtoolsLog }: Artifacts,
  { context, copyGraph, own }: Simulation,
  largestImage: string | undefined,
): Promise<FileFix[]> {
  const { entityByUrl, isFirstParty } = await EntityClassification.request({ URL: pageUrl, devtoolsLog }, context);
  const nodes = collect(copyGraph());
  const work = toWorkOf(nodes.tasks);
  const bytes = new Map<string, number>();
  for (const { request } of nodes.requests)
    bytes.set(request.url, (bytes.get(request.url) ?? 0) + request.transferSize);
  const bytesOf = (url: string): number => bytes.get(url) ?? 0;
  const workOf = (url: string): number => (work.get(url) ?? 0) * own.cpu;
  const partyOf = (url: string): string | undefined => (isFirstParty(url) ? undefined : entityByUrl.get(url)?.name);
  const toSizes = (urls: readonly string[]) => ({
    bytes: urls.reduce((sum, url) => sum + bytesOf(url), 0),
    mainThreadMs: urls.reduce((sum, url) => sum + workOf(url), 0),
  });
  const weightOf = ({ bytes: size, mainThreadMs }: FileFix) => mainThreadMs + (8 * size) / own.throughputKbps;
  const scripts = [...work.keys()]
    .filter(url => workOf(url) >= leastWorkMs && isNamed(url) && partyOf(url) === undefined)
    .map((url): FileFix => ({ id: `script:${url}`, idle: [url], files: [url], ...toSizes([url]) }));
  const pictures = nodes.requests
    .filter(({ request }) => request.resourceType === 'Image' && isNamed(request.url))
    .map(({ request: { url } }) => url)
    .filter((url, at, all) => bytesOf(url) >= leastPictureBytes && all.indexOf(url) === at)
    .map(
      (url): FileFix => ({
        id: `picture:${url}`,
        savedBytes: { [url]: bytesOf(url) },
        files: [url],
        ...toSizes([url]),
      }),
    );
  const parties = [...Map.groupBy(bytes.keys(), partyOf)].flatMap(([name, urls]): FileFix[] => {
    if (name === undefined) return [];
    const files = urls.toSorted((one, other) => workOf(other) - workOf(one) || bytesOf(other) - bytesOf(one));
    const sizes = toSizes(urls);
    if (sizes.mainThreadMs < leastWorkMs && sizes.bytes < leastPartyBytes) return [];
    const own = new Set(urls);
    // A third party that the page needs costs the work of its scripts.
    const isNeeded = refusalOf(findTaken(nodes, own).requests, { urls: own, largestImage, isFirstParty }) !== undefined;
    return [{ id: `third-party:${name}`, ...(isNeeded ? { idle: urls } : { without: urls }), ...sizes, files }];
  });
  return [
    ...takeHeaviest(scripts, weightOf, most.scripts),
    ...takeHeaviest(parties, weightOf, most.thirdParties),
    ...takeHeaviest(pictures, weightOf, most.pictures),
    { id: 'main-thread', onlyScripts: true, ...noFiles },
  ];
}

/** @throws if Lighthouse cannot read the load */
export async function openLoad(artifacts: Artifacts, order: FixOrder, computedCache?: ComputedCache) {
  const simulation = await openSimulation(artifacts, order, computedCache);
  const { own, paints, copyGraph, simulate } = simulation;
  const unchanged = copyGraph();
  const nodes = collect(unchanged);
  const largestImage = findLargestImage(artifacts.Trace.traceEvents as CostEvent[]);
  const usable = order.fixes.filter(fix => isUsable(nodes, fix, largestImage)).map(fix => ({ ...fix, ...noFiles }));
  return {
    simulation,
    base: simulate(unchanged, own),
    largestImage,
    /** Fixes that change this load: of audits first. */
    fixes: [...usable, ...(await toFileFixes(artifacts, simulation, largestImage))],
    withFixes(fixes: readonly Fix[]): Simulated {
      const graph = copyGraph();
      const effect = makeFixes(collect(graph), fixes, {
        paints,
        ...(largestImage === undefined ? {} : { largestImage }),
      });
      return simulate(graph, own, effect);
    },
  };
}
export type CostedLoad = Awaited<ReturnType<typeof openLoad>>;

/** Least points that make a fix of a single file a finding. */
const leastPoints = 0.5;

const isOfFile = ({ id }: Pick<Fix, 'id'>): boolean => id === 'main-thread' || id.includes(':');
const pictureAudit = 'image-delivery-insight';

/**
 * Leaves out fixes that repeat others: a picture that its audit also names counts once, as the fix that gains more.
 */
function withoutRepeats(costs: readonly (Cost & { readonly fix: FileFix })[]): (Cost & { readonly fix: FileFix })[] {
  const gaining = costs.filter(cost => !isOfFile(cost.fix) || cost.points >= leastPoints);
  const ofAudit = gaining.find(({ id }) => id === pictureAudit);
  const pictures = gaining.filter(({ id }) => id.startsWith('picture:'));
  const most = Math.max(0, ...pictures.map(({ points }) => points));
  if (!ofAudit || most === 0) return gaining;
  if (most > 1.25 * ofAudit.points + leastPoints) return gaining.filter(cost => cost !== ofAudit);
  return gaining.filter(cost => !cost.fix.savedBytes || cost === ofAudit || !cost.id.startsWith('picture:'));
}

/**
 * Simulates each fix alone, the heaviest scripts first.
 * @param isLate returns whether to leave out the remaining fixes
 */
export function costAlone(
  { base, fixes, withFixes }: Pick<CostedLoad, 'base' | 'fixes' | 'withFixes'>,
  isLate: () => boolean = () => false,
) {
  const { score: _, ...before } = base;
  const costs = fixes
    .toSorted((one, other) => other.mainThreadMs - one.mainThreadMs)
    .flatMap(fix => {
      if (isLate()) return [];
      const after = withFixes([fix]);
      return [
        {
          fix,
          id: fix.id,
          points: 100 * (after.score - base.score),
          saved: Object.fromEntries(
            Object.entries(before).map(([name, ms]) => [name, ms - after[name as keyof typeof before]]),
          ) as Cost['saved'],
          files: fix.files.filter(isNamed).slice(0, most.named),
          bytes: fix.bytes,
          mainThreadMs: fix.mainThreadMs,
        },
      ];
    });
  return withoutRepeats(costs);
}

/** Returns the fixes of a load without repetitions. */
export const chooseFixes = (load: CostedLoad): Fix[] => costAlone(load).map(({ fix }) => fix);

/**
 * Max CPU time in milliseconds, and as a share of the audit so far: a fix takes a few, and a tenth of a second on a page
 * with ten thousands of tasks, whose audit takes half a minute. The time of a clock would name other fixes on a busy
 * machine. Without a simulation, audits still have an estimate.
 */
const limits = { usualMs: 300, share: 0.05, mostMs: 3000 };

const toLimitMs = (auditMs: number): number =>
  Math.min(limits.mostMs, Math.max(limits.usualMs, limits.share * auditMs));

/**
 * Returns what a measured load would gain from each fix alone, on the same graph as its audits.
 * @param withoutWait whether to simulate the load as if it had never waited for a CPU
 * @returns undefined if the load was not simulated, or cannot be simulated again in time
 */
export async function toCosts(
  { artifacts, lhr }: Pick<RunnerResult, 'artifacts' | 'lhr'>,
  { computedCache, withoutWait }: { computedCache: ComputedCache; withoutWait: boolean },
): Promise<Cost[] | undefined> {
  const plan = planFixes(lhr as unknown as Lhr);
  if (!plan || lhr.configSettings.throttlingMethod !== 'simulate' || !artifacts.Trace) return undefined;
  try {
    const begun = process.cpuUsage();
    const isLate = (): boolean => {
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1000 > toLimitMs(lhr.timing.total);
    };
    const load = await openLoad(artifacts as Artifacts, { ...plan, withoutWait }, computedCache);
    const costs = costAlone(load, isLate).map(({ fix: _, ...cost }) => cost);
    return costs.length === 0 && isLate() ? undefined : costs;
  } catch {
    return undefined;
  }
}
