import { statfsSync } from 'node:fs';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ResultCache } from '../../storage/cache/result-cache.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import type { Reading } from './metrics.ts';

type Sources = {
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

const toNumber = (is: boolean): number => (is ? 1 : 0);

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
  { name: 'fleet_instances', help: 'Instances in the fleet', read: () => status().instances },
  {
    name: 'fleet_reachable',
    help: '1 if this instance belongs to the fleet, 0 if it cannot reach the database',
    read: () => toNumber(status().isReachable),
  },
  {
    name: 'fleet_audit_slots',
    help: 'Maximum number of concurrent audits, on all machines',
    read: () => status().slots,
  },
  { name: 'fleet_audits_running', help: 'Running audits, on all machines', read: () => status().running },
  { name: 'fleet_audits_queued', help: 'Audits waiting for any machine', read: () => status().waiting },
  { name: 'database_connections', help: 'Connections to the database of the fleet', read: () => connections().open },
  {
    name: 'database_connections_idle',
    help: 'Open connections to the database that are idle',
    read: () => connections().idle,
  },
  { name: 'database_waiting', help: 'Queries waiting for a connection', read: () => connections().waiting },
];

const toJobsReadings = (backlog: NonNullable<Sources['jobs']>): Reading[] => [
  { name: 'jobs_unfinished', help: 'Unfinished jobs', read: () => backlog().jobs },
  { name: 'job_pages_unfinished', help: 'Unfinished pages of jobs', read: () => backlog().pages },
  { name: 'jobs_stalled', help: 'Unfinished jobs that no running instance takes', read: () => backlog().stalled },
  {
    name: 'schedules_late',
    help: 'Schedules that are at least five minutes late',
    read: () => backlog().lateSchedules,
  },
];

const toSlotReadings = (local: Sources['local']): Reading[] => [
  { name: 'audits_running', help: 'Running local audits', read: () => local.status().running },
  { name: 'audits_queued', help: 'Local audits waiting for a slot', read: () => local.status().queued },
  { name: 'audit_slots', help: 'Maximum number of concurrent local audits', read: () => local.status().parallel_limit },
];

/** Returns the values that the parts of the service report. */
export const toReadings = ({ hasSlots, local, cache, store, dataDir, jobs, fleet }: Sources): Reading[] => [
  ...(fleet ? toFleetReadings(fleet) : []),
  ...(jobs ? toJobsReadings(jobs) : []),
  {
    name: 'audits_available',
    help: '1 if local audits are possible',
    read: () => toNumber(local.status().available),
  },
  ...(hasSlots ? toSlotReadings(local) : []),
  { name: 'cache_entries', help: 'Results in the /psi cache', read: () => cache.status().entries },
  { name: 'cache_bytes', help: 'Size of the /psi cache in bytes', read: () => cache.status().bytes },
  ...(store
    ? [
        { name: 'results_entries', help: 'Stored results', read: () => store.status().entries },
        { name: 'results_bytes', help: 'Size of the stored results in bytes', read: () => store.status().bytes },
        {
          name: 'artifacts_bytes',
          help: 'Size of the stored artifacts in bytes',
          read: () => store.status().artifactBytes,
        },
        {
          name: 'results_waiting',
          help: 'Results waiting for the database to accept them',
          read: () => store.status().waiting,
        },
        {
          name: 'results_lost_total',
          help: 'Results that were lost: neither written nor held for a retry',
          isCounter: true,
          read: () => store.status().lost,
        },
        {
          name: 'store_damaged',
          help: '1 from when this process finds the database file damaged until it restarts',
          read: () => toNumber(store.status().damage !== null),
        },
        {
          name: 'store_moved_aside_total',
          help: 'Damaged database files that were replaced by a sound copy',
          isCounter: true,
          read: () => store.status().movedAside,
        },
        {
          name: 'results_writable',
          help: '1 if new results can be stored',
          read: () => toNumber(store.status().isWritable),
        },
        {
          name: 'retention_sweeps',
          help: 'Retention sweeps of this instance',
          read: () => store.status().sweeps,
        },
        {
          name: 'retention_refused',
          help: '1 while no entry is removed by age because the clock is in doubt',
          read: () => toNumber(store.status().clockDoubt !== null),
        },
      ]
    : []),
  ...(dataDir === undefined
    ? []
    : [{ name: 'disk_free_bytes', help: 'Free bytes on the disk of DATA_DIR', read: () => readFreeBytes(dataDir) }]),
];
