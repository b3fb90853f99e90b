/**
 * One result thread for all services of this process: a thread takes 0.2 s of CPU time to start, and few services of
 * tests have more than one result to read.
 */
import { after } from 'node:test';
import { createThreads, type Threads } from '../../src/analysis/threads/threads.ts';

let threads: Threads | undefined;
after(() => threads?.close());

/** Returns the threads with a `close` that leaves them open. */
export function sharedThreads(): Threads {
  threads ??= createThreads();
  return { ...threads, close: async () => {} };
}
