import { statfsSync } from 'node:fs';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import type { ResultCache } from '../storage/cache/result-cache.ts';
import type { ResultStore } from '../storage/results/store.ts';
import type { Reading } from './metrics.ts';

type ReadingSources = {
  /** Whether this machine has slots. If not, it reports no values of slots, which would repeat those of others. */
  hasSlots: boolean;
  local: Pick<LocalAnalyser, 'status'>;
  cache: Pick<ResultCache, 'status'>;
  /** Undefined if the service stores no results. */
  store: Pick<ResultStore, 'status'> | undefined;
  /** Undefined if the service writes nothing to this machine's disk. */
  dataDir?: string | undefined;
  /** Undefined if this instance works on no jobs. */
  jobs?: (() => { jobs: number; pages: number; stalled: number; lateSchedules: number }) | undefined;
  /** Undefined if the instance shares no data with others. */
  fleet?: FleetSources | undefined;
};

type FleetSources = {
  status: () => { isReachable: boolean; instances: number; slots: number; running: number; waiting: number };
  /** Connections of this instance to the shared database. */
  connections: () => { open: number; idle: number; waiting: number };
};

const gauge = (name: string, help: string, read: () => number | boolean): Reading => ({
  name,
  help,
  read: () => Number(read()),
});
const counter = (...reading: Parameters<typeof gauge>): Reading => ({ ...gauge(...reading), isCounter: true });

/** Returns the free bytes of a folder; NaN if it cannot be read, because zero would mean a full disk. */
const readFreeBytes = (folder: string): number => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
};

const toFleetReadings = ({ status, connections }: FleetSources): Reading[] => [
  gauge('fleet_instances', 'Instances in the fleet', () => status().instances),
  gauge(
    'fleet_reachable',
    '1 if this instance belongs to the fleet, 0 if it cannot reach the database',
    () => status().isReachable,
  ),
  gauge('fleet_audit_slots', 'Maximum number of concurrent audits, on all machines', () => status().slots),
  gauge('fleet_audits_running', 'Running audits, on all machines', () => status().running),
  gauge('fleet_audits_queued', 'Audits waiting for any machine', () => status().waiting),
  gauge('database_connections', 'Connections to the database of the fleet', () => connections().open),
  gauge('database_connections_idle', 'Open connections to the database that are idle', () => connections().idle),
  gauge('database_waiting', 'Queries waiting for a connection', () => connections().waiting),
];

const toJobsReadings = (backlog: NonNullable<ReadingSources['jobs']>): Reading[] => [
  gauge('jobs_unfinished', 'Unfinished jobs', () => backlog().jobs),
  gauge('job_pages_unfinished', 'Unfinished pages of jobs', () => backlog().pages),
  gauge('jobs_stalled', 'Unfinished jobs that no running instance takes', () => backlog().stalled),
  gauge('schedules_late', 'Schedules that are at least five minutes late', () => backlog().lateSchedules),
];

const toSlotReadings = (local: ReadingSources['local']): Reading[] => [
  gauge('audits_running', 'Running local audits', () => local.status().running),
  gauge('audits_queued', 'Local audits waiting for a slot', () => local.status().queued),
  gauge('audit_slots', 'Maximum number of concurrent local audits', () => local.status().parallel_limit),
];

/** Returns the values that the parts of the service report. */
export const toReadings = ({ hasSlots, local, cache, store, dataDir, jobs, fleet }: ReadingSources): Reading[] => [
  ...(fleet ? toFleetReadings(fleet) : []),
  ...(jobs ? toJobsReadings(jobs) : []),
  gauge('audits_available', '1 if local audits are possible', () => local.status().available),
  ...(hasSlots ? toSlotReadings(local) : []),
  gauge('cache_entries', 'Results in the /psi cache', () => cache.status().entries),
  gauge('cache_bytes', 'Size of the /psi cache in bytes', () => cache.status().bytes),
  ...(store
    ? [
        gauge('results_entries', 'Stored results', () => store.status().entries),
        gauge('results_bytes', 'Size of the stored results in bytes', () => store.status().bytes),
        gauge('artifacts_bytes', 'Size of the stored artifacts in bytes', () => store.status().artifactBytes),
        gauge('results_waiting', 'Results waiting for the database to accept them', () => store.status().waiting),
        counter(
          'results_lost_total',
          'Results that were lost: neither written nor held for a retry',
          () => store.status().lost,
        ),
        gauge(
          'store_damaged',
          '1 from when this process finds the database file damaged until it restarts',
          () => store.status().damage !== null,
        ),
        counter(
          'store_moved_aside_total',
          'Damaged database files that were replaced by a sound copy',
          () => store.status().movedAside,
        ),
        gauge('results_writable', '1 if new results can be stored', () => store.status().isWritable),
        gauge('retention_sweeps', 'Retention sweeps of this instance', () => store.status().sweeps),
        gauge(
          'retention_refused',
          '1 while no entry is removed by age because the clock is in doubt',
          () => store.status().clockDoubt !== null,
        ),
      ]
    : []),
  ...(dataDir === undefined
    ? []
    : [gauge('disk_free_bytes', 'Free bytes on the disk of DATA_DIR', () => readFreeBytes(dataDir))]),
];
