import { UsageError } from '../../../src/cli/input/usage-error.ts';

/** The faults of a command line; an empty list if it is valid. */
export function usageFaultsOf(readCommand: () => unknown): readonly string[] {
  try {
    readCommand();
  } catch (error) {
    if (error instanceof UsageError) return error.faults;
    throw error;
  }
  return [];
}
