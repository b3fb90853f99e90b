/** Repeats queries until the database is available again, so that no measurement is lost. */
import { isLasting, StoreFaultError } from '../../storage/database/fault.ts';
import type { SqlDatabase, Statement } from '../../storage/database/sql.ts';
import { pause } from './job-stop.ts';

const pauseMs = 1000;

export type PatientDatabase = {
  /** @throws the signal's reason; a permanent fault */
  ask<T>(read: (database: SqlDatabase) => Promise<T>): Promise<T>;
  write(statements: readonly Statement[]): Promise<readonly number[]>;
};

/** @param signal stops the retries */
export function createPatientDatabase(database: SqlDatabase, signal: AbortSignal): PatientDatabase {
  const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof StoreFaultError) || isLasting(error.code)) throw error;
        await pause(pauseMs, signal);
      }
    }
  };
  return {
    ask: read => patiently(() => read(database)),
    write: statements => patiently(() => database.write(statements)),
  };
}
