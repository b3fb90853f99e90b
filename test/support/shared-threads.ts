/**
 * One thread for whole results, for all services of this process: a thread takes a fifth of a second of a processor to
 * start, and hardly any service of a test has more than one result to read.
 */
import { after } from 'node:test';
import { createThreads, type Threads } from '../../src/analysis/threads/threads.ts';

let threads: Threads | undefined;
after(() => threads?.close());

/** A service that closes leaves it open. */
export function sharedThreads(): Threads {
  threads ??= createThreads();
  return { ...threads, close: async () => {} };
}
