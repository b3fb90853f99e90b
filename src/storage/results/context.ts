/** State that the parts of a store share. */
import type { SqlDatabase } from '../database/sql.ts';
import type { ArtifactFolder } from './artifacts.ts';
import type { StoreListener } from './store.ts';

export type StoreContext = {
  readonly database: SqlDatabase;
  readonly folder: ArtifactFolder | undefined;
  /** Id of this machine, which distinguishes its artifacts from those of others. */
  readonly machineId: string;
  /** The clock of this machine. */
  readonly now: () => number;
  readonly onEvent: StoreListener;
};
