/**
 * Parts that several instances share, on the connections of this one. This module is imported only if DATABASE_URL is
 * set.
 */
import type { Postgres } from '../storage/database/postgres/postgres.ts';
import { createFleetDatabase, type FleetDatabase } from './database.ts';
import { createNotices, type Notices } from './notices.ts';
import { createFleetAnalyser, type FleetAnalyser, type FleetSettings } from './queue/fleet-analyser.ts';
import { createSharedState, type SharedState, type SharedStateSettings } from './shared/shared-state.ts';

export type Fleet = {
  readonly database: FleetDatabase;
  readonly notices: Notices;
  createAnalyser(settings: Omit<FleetSettings, 'database' | 'notices'>): Promise<FleetAnalyser>;
  createSharedState(settings: Omit<SharedStateSettings, 'database' | 'notices'>): SharedState;
  /** Closes the parts, after the parts that use them are closed. The connections remain open. */
  close(): Promise<void>;
};

export function openFleet(postgres: Postgres): Fleet {
  const database = createFleetDatabase(postgres);
  const notices = createNotices(database);
  return {
    database,
    notices,
    createAnalyser: settings => createFleetAnalyser({ ...settings, database, notices }),
    createSharedState: settings => createSharedState({ ...settings, database, notices }),
    async close() {
      await notices.close();
      await database.close();
    },
  };
}
