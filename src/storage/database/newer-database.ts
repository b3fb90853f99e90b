import { StoreFaultError } from './fault.ts';

/**
 * Refuses a newer database: there is no migration to an older version, and an older program must not write into tables
 * that it does not know.
 */
export const assertNotNewer = (found: number, known: number, location: string, advice: string): void => {
  if (found > known)
    throw new StoreFaultError(
      'newer_database',
      `The database has version ${found}; this Rangelight supports versions up to ${known}. ` +
        `Start a newer Rangelight, or ${advice}.`,
      { detail: location },
    );
};
