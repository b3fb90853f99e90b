import { statfsSync } from 'node:fs';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ResultCache } from '../../storage/cache/result-cache.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import type { Reading } from './metrics.ts';

type Sources = {
  /** Whether this machine has slots: one without would say again what the others say of theirs. */
  hasSlots: boolean;
  local: Pick<LocalAnalyser, 'status'>;
  cache: Pick<ResultCache, 'status'>;
  /** Undefined where the service keeps nothing. */
  store: Pick<ResultStore, 'status'> | undefined;
  /** Undefined where nothing is written to this machine's disk. */
  dataDir?: string | undefined;
  /** Undefined where this instance looks after none. */
  jobs?: (() => { jobs: number; pages: number; stalled: number; lateSchedules: number }) | undefined;
  /** Undefined where nothing is shared with other instances. */
  fleet?: FleetSources | undefined;
};

type FleetSources = {
  status: () => { isReachable: boolean; instances: number; slots: number; running: number; waiting: number };
  /** Connections of this instance to what the fleet shares. */
  connections: () => { open: number; idle: number; waiting: number };
};

const toNumber = (is: boolean): number => (is ? 1 : 0);

/** Not a number where the folder cannot be asked: no room left would be another thing. */
const readFreeBytes = (folder: string): number => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
};

const toFleetReadings = ({ status, connections }: FleetSources): Reading[] => [
  { name: 'fleet_instances', help: 'Instances that are there', read: () => status().instances },
  {
    name: 'fleet_reachable',
    help: '1 where this instance is one of the fleet, 0 where it cannot reach the database',
    read: () => toNumber(status().isReachable),
  },
  { name: 'fleet_audit_slots', help: 'Audits that may run at once on all machines', read: () => status().slots },
  { name: 'fleet_audits_running', help: 'Audits that run on all machines', read: () => status().running },
  { name: 'fleet_audits_queued', help: 'Audits that wait for any machine', read: () => status().waiting },
  { name: 'database_connections', help: 'Connections to what the fleet shares', read: () => connections().open },
  { name: 'database_connections_idle', help: 'Of those, that nobody uses', read: () => connections().idle },
  { name: 'database_waiting', help: 'Questions that wait for a connection', read: () => connections().waiting },
];

const toJobsReadings = (backlog: NonNullable<Sources['jobs']>): Reading[] => [
  { name: 'jobs_unfinished', help: 'Jobs that have not ended', read: () => backlog().jobs },
  { name: 'job_pages_unfinished', help: 'Pages of jobs that have not ended', read: () => backlog().pages },
  { name: 'jobs_stalled', help: 'Unfinished jobs that no running instance takes', read: () => backlog().stalled },
  {
    name: 'schedules_late',
    help: 'Schedules that should have started a run five minutes ago',
    read: () => backlog().lateSchedules,
  },
];

const toSlotReadings = (local: Sources['local']): Reading[] => [
  { name: 'audits_running', help: 'Local audits that run', read: () => local.status().running },
  { name: 'audits_queued', help: 'Local audits that wait for a slot', read: () => local.status().queued },
  { name: 'audit_slots', help: 'Local audits that may run at once', read: () => local.status().parallel_limit },
];

/** What the parts of the service know of themselves. */
export const toReadings = ({ hasSlots, local, cache, store, dataDir, jobs, fleet }: Sources): Reading[] => [
  ...(fleet ? toFleetReadings(fleet) : []),
  ...(jobs ? toJobsReadings(jobs) : []),
  {
    name: 'audits_available',
    help: '1 where local audits are possible',
    read: () => toNumber(local.status().available),
  },
  ...(hasSlots ? toSlotReadings(local) : []),
  { name: 'cache_entries', help: 'Results in the cache of /psi', read: () => cache.status().entries },
  { name: 'cache_bytes', help: 'Bytes of the cache of /psi', read: () => cache.status().bytes },
  ...(store
    ? [
        { name: 'results_entries', help: 'Results that are kept', read: () => store.status().entries },
        { name: 'results_bytes', help: 'Bytes of the kept results', read: () => store.status().bytes },
        { name: 'artifacts_bytes', help: 'Bytes of the kept traces', read: () => store.status().artifactBytes },
        {
          name: 'results_waiting',
          help: 'Results that the database could not take yet',
          read: () => store.status().waiting,
        },
        {
          name: 'results_lost_total',
          help: 'Results that could neither be written nor wait',
          isCounter: true,
          read: () => store.status().lost,
        },
        {
          name: 'store_damaged',
          help: '1 where this process found the file of the database damaged, until it is started again',
          read: () => toNumber(store.status().damage !== null),
        },
        {
          name: 'store_moved_aside_total',
          help: 'Damaged files of the database that were replaced by a sound copy',
          isCounter: true,
          read: () => store.status().movedAside,
        },
        {
          name: 'results_writable',
          help: '1 where new results can be kept',
          read: () => toNumber(store.status().isWritable),
        },
        {
          name: 'retention_sweeps',
          help: 'How often this instance looked for what is too old or too much',
          read: () => store.status().sweeps,
        },
        {
          name: 'retention_refused',
          help: '1 while nothing is removed by its age, because the clock is in doubt',
          read: () => toNumber(store.status().clockDoubt !== null),
        },
      ]
    : []),
  ...(dataDir === undefined
    ? []
    : [{ name: 'disk_free_bytes', help: 'Room left on the disk of DATA_DIR', read: () => readFreeBytes(dataDir) }]),
];
