import { UsageError } from '../../../src/cli/input/usage-error.ts';

/** What is wrong with the words of a command; nothing where it is read. */
export function usageFaultsOf(readCommand: () => unknown): readonly string[] {
  try {
    readCommand();
  } catch (error) {
    if (error instanceof UsageError) return error.faults;
    throw error;
  }
  return [];
}
