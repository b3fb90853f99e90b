/** The tasks of the result thread, run in the test's own thread, for tests of other units. */
import * as tasks from '../../../src/analysis/threads/tasks.ts';
import type { Threads } from '../../../src/analysis/threads/threads.ts';

export const sameThread = {
  ...Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [name, async (order: never) => task(order as never)]),
  ),
  close: async () => {},
} as unknown as Threads;
