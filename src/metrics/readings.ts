import type { ResultCache } from '../cache/result-cache.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import type { ResultStore } from '../results/store.ts';
import type { Reading } from './metrics.ts';

type Sources = {
  local: Pick<LocalAnalyser, 'status'>;
  cache: Pick<ResultCache, 'status'>;
  /** Undefined where the service keeps nothing. */
  store: Pick<ResultStore, 'status'> | undefined;
  /** Undefined where nothing is shared with other instances. */
  fleet?: FleetSources | undefined;
};

type FleetSources = {
  status: () => { isReachable: boolean; instances: number };
  /** Connections of this instance to what the fleet shares. */
  connections: () => { open: number; idle: number; waiting: number };
};

const toNumber = (is: boolean): number => (is ? 1 : 0);

const toFleetReadings = ({ status, connections }: FleetSources): Reading[] => [
  { name: 'fleet_instances', help: 'Instances that are there', read: () => status().instances },
  {
    name: 'fleet_reachable',
    help: '1 where this instance is one of the fleet, 0 where it cannot reach the database',
    read: () => toNumber(status().isReachable),
  },
  { name: 'database_connections', help: 'Connections to what the fleet shares', read: () => connections().open },
  { name: 'database_connections_idle', help: 'Of those, that nobody uses', read: () => connections().idle },
  { name: 'database_waiting', help: 'Questions that wait for a connection', read: () => connections().waiting },
];

/** What the parts of the service know of themselves. */
export const toReadings = ({ local, cache, store, fleet }: Sources): Reading[] => [
  ...(fleet ? toFleetReadings(fleet) : []),
  {
    name: 'audits_available',
    help: '1 where local audits are possible',
    read: () => toNumber(local.status().available),
  },
  { name: 'audits_running', help: 'Local audits that run', read: () => local.status().running },
  { name: 'audits_queued', help: 'Local audits that wait for a slot', read: () => local.status().queued },
  { name: 'audit_slots', help: 'Local audits that may run at once', read: () => local.status().parallel_limit },
  { name: 'cache_entries', help: 'Results in the cache of /psi', read: () => cache.status().entries },
  { name: 'cache_bytes', help: 'Bytes of the cache of /psi', read: () => cache.status().bytes },
  ...(store
    ? [
        { name: 'results_entries', help: 'Results that are kept', read: () => store.status().entries },
        { name: 'results_bytes', help: 'Bytes of the kept results', read: () => store.status().bytes },
        { name: 'artifacts_bytes', help: 'Bytes of the kept traces', read: () => store.status().artifactBytes },
        {
          name: 'results_waiting',
          help: 'Results in memory that the database could not take yet',
          read: () => store.status().waiting,
        },
        {
          name: 'results_writable',
          help: '1 where new results can be kept',
          read: () => toNumber(store.status().isWritable),
        },
      ]
    : []),
];
