/** Waves of faults, and the resources of the service after each. */
import type { FaultName, FaultSite } from '../faults/fault-site.ts';
import { audit, becomes, depart, isAtRest, killDuringAudit, victims } from './audits.ts';
import { descendantsOf, isWorker } from './process-tree.ts';
import { foldersIn, type Held, leftProcesses, type ServiceProcess } from './service-process.ts';

export type Wave = Held & {
  /** Without those of idle workers; the same applies to `resources`. */
  openFiles: number;
  /** Descendants other than workers. */
  processes: number;
  workers: number;
  folders: number;
  seconds: number;
};

/** Fast faults of each kind: refused, aborted, not a page, endless redirects, crashed; and a good page. */
export const manyFaults = ['closed-port', 'reset-in-body', 'pdf', 'redirect-loop', 'crash', 'fine'] as const;

export type WaveSettings = { site: FaultSite; faults: readonly FaultName[] };

/**
 * The caller sets a low LIGHTHOUSE_TIMEOUT, so that the audit of a page that never answers is killed at its deadline.
 */
async function roll(service: ServiceProcess, { site, faults }: WaveSettings): Promise<void> {
  const late = audit(service, site, 'never');
  for (const name of faults) await audit(service, site, name);
  for (const victim of victims) await killDuringAudit(service, site, victim);
  await late;
  await depart(service, site);
}

export async function takeWave(service: ServiceProcess, settings: WaveSettings): Promise<Wave> {
  const begun = performance.now();
  await roll(service, settings);
  await becomes(() => isAtRest(service), 20_000);
  const { openFiles, resources, ...held } = await service.weigh();
  const workers = descendantsOf(service.pid).filter(isWorker).length;
  return {
    ...held,
    ...withoutWorkers({ openFiles, resources }, workers),
    workers,
    processes: leftProcesses(service).length,
    folders: foldersIn(service.folder).length,
    seconds: (performance.now() - begun) / 1000,
  };
}

/** An idle worker has a process and two pipes, standard error and IPC; the number of idle workers varies. */
function withoutWorkers<H extends Pick<Wave, 'openFiles' | 'resources'>>({ openFiles, resources }: H, workers: number) {
  const { PipeWrap = 0, ProcessWrap = 0, ...others } = resources;
  return {
    openFiles: openFiles - 2 * workers,
    resources: { ...others, PipeWrap: PipeWrap - 2 * workers, ProcessWrap: ProcessWrap - workers },
  };
}

const maxHeapGrowthBytes = 2 * 1024 * 1024;

const kindsOf = ({ resources }: Held) => JSON.stringify(resources);

/**
 * Differences from the state after the warm-up.
 * @param baseline the last wave of the warm-up
 * @returns sentences; empty if nothing has leaked
 */
export function findLeaks(baseline: Wave, waves: readonly Wave[]): string[] {
  const last = waves.at(-1);
  if (!last) return ['no wave was measured'];
  const perWave = (last.heapBytes - baseline.heapBytes) / waves.length;
  const found = waves.flatMap((wave, index) => [
    ...(wave.processes > 0 ? [`wave ${index + 1}: ${wave.processes} processes left`] : []),
    ...(wave.folders > 0 ? [`wave ${index + 1}: ${wave.folders} folders left`] : []),
    ...(wave.workers > 2 ? [`wave ${index + 1}: ${wave.workers} workers at rest`] : []),
    ...(wave.openFiles === baseline.openFiles
      ? []
      : [`wave ${index + 1}: ${wave.openFiles} open files, ${baseline.openFiles} before`]),
    ...(kindsOf(wave) === kindsOf(baseline)
      ? []
      : [`wave ${index + 1}: holds ${kindsOf(wave)}, before ${kindsOf(baseline)}`]),
  ]);
  return perWave < maxHeapGrowthBytes
    ? found
    : [...found, `the heap grew by ${(perWave / 1024 / 1024).toFixed(1)} MB a wave`];
}
