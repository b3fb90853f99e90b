/** Opens the parts of a service that an import needs: its store, and the thread that reads Lighthouse results. */
import type { Logger } from 'pino';
import { openRecords } from '../analysis/records/open-records.ts';
import { createThreads } from '../analysis/threads/threads.ts';
import type { Settings } from '../settings/settings.ts';
import { openDatabase } from './join-fleet.ts';
import { readMachineId } from './machine-id.ts';

/**
 * Opens the parts. `store` is undefined if the settings disable it.
 * @throws StoreFaultError if the database is of a newer version
 */
export async function openImporter(settings: Settings, log: Logger) {
  const postgres = await openDatabase(settings);
  const threads = createThreads();
  const options = { log, postgres, isAlone: true, onRemoved: () => {} };
  const { store, recorder, sweep, close } = await openRecords(settings, readMachineId(settings.dataDir), options);
  return {
    store,
    recorder,
    threads,
    sweep,
    async close() {
      await threads.close();
      await close();
      await postgres?.close();
    },
  };
}
