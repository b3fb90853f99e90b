/**
 * Extracts the facts that determine the simulation of a load from Lighthouse's graph: files with their sizes, which of
 * them ended before the observed paints, CPU time of tasks, and server latencies. Two loads of one page differ only in
 * these facts, so they show whether a difference is caused by the page or by chance.
 */
import type { FileFacts, LoadFacts } from '../../../contract/result/load-facts.ts';
import { cpuShareOf, keyOf, scriptWorkOf } from './change-graph.ts';
import { toFirstRuns, toPlace } from './file-places.ts';
import { collect, type GraphNode, type NetworkNode, type Paints } from './load-graph.ts';

/** Converts to milliseconds, rounded to a hundredth. */
const toMs = (us: number): number => Math.round(us / 10) / 100;

const isOverNetwork = ({ request }: NetworkNode): boolean => /^https?:/.test(request.url);

/** @param root any node of a load's graph */
export function toLoadFacts(
  root: GraphNode,
  paints: Paints,
  { clocked, ...conditions }: Omit<LoadFacts, 'files' | 'otherCpuMs'> & { clocked: ReadonlySet<string> },
): LoadFacts {
  const { requests, tasks } = collect(root);
  const runs = toFirstRuns(tasks);
  const files: Record<string, FileFacts> = {};
  const urls = new Map<string, Set<string>>();
  for (const node of requests.filter(isOverNetwork)) {
    const { url, resourceType = 'Other', transferSize, resourceSize, priority } = node.request;
    const key = keyOf(url);
    const known = files[key];
    urls.set(key, (urls.get(key) ?? new Set()).add(url));
    files[key] = {
      type: known?.type ?? resourceType,
      requests: (known?.requests ?? 0) + 1,
      bytes: (known?.bytes ?? 0) + transferSize,
      resourceBytes: (known?.resourceBytes ?? 0) + (resourceSize ?? 0),
      // The first request with a key represents all of them, because they are moved together.
      priority: known?.priority ?? priority,
      place: known?.place ?? toPlace(node, runs.get(url), paints),
      cpuMs: 0,
    };
  }
  let otherCpuMs = 0;
  for (const task of tasks) {
    const share = cpuShareOf(task, clocked);
    let script = 0;
    for (const [key, of] of urls) {
      const work = share * scriptWorkOf(task, of);
      if (work === 0) continue;
      const file = files[key] as FileFacts;
      files[key] = { ...file, cpuMs: file.cpuMs + toMs(work) };
      script += work;
    }
    otherCpuMs += toMs(Math.max(0, share * task.duration - script));
  }
  return { files, otherCpuMs, ...conditions };
}
