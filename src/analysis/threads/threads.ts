import { extname } from 'node:path';
import { Tinypool } from 'tinypool';
import type * as tasks from './tasks.ts';

type Tasks = typeof tasks;
type Returned<T> = T extends (...order: never[]) => infer R ? R : never;

/**
 * The tasks of tasks.ts, run in a thread. The bytes passed to `readWireAnswer` and `readUpload` are empty afterwards.
 */
export type Threads = {
  readonly [Name in keyof Tasks]: (
    ...order: Parameters<Extract<Tasks[Name], (...order: never[]) => unknown>>
  ) => Promise<Returned<Tasks[Name]>>;
} & {
  close(): Promise<void>;
};

/** Uses the extension of this module: TypeScript in the checkout, JavaScript in the package. */
const toFile = (name: string): string => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).href;

/**
 * Loads history code from its own file: a user waits for the first history, and a new thread should load nothing else.
 */
const fileOf = (task: (typeof names)[number]): string => toFile(task === 'writeHistory' ? 'write-history' : 'entry');

/** Idle time after which a thread ends. Starting one takes a tenth of a second and about 40 MB. */
const idleMs = 60_000;

/**
 * Heap limit: the largest accepted result is 32 MB of JSON, and a few times that when parsed. A larger one fails alone.
 */
const maxHeapMb = 768;
/**
 * Limit of the young generation, 48 MB by default: the default would retain memory of results that are already garbage.
 */
const maxYoungHeapMb = 12;

/**
 * Transfers bytes from the network to the thread, because only the thread reads them. A copy would remain here until
 * the next garbage collection. Views of larger buffers are copied.
 */
function givenAway(name: (typeof names)[number], order: unknown): ArrayBuffer[] {
  if (name !== 'readWireAnswer' && name !== 'readUpload') return [];
  const { bytes } = order as Parameters<typeof tasks.readUpload>[0];
  return bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];
}

const names = [
  'readLhr',
  'readWireAnswer',
  'writeWireAnswer',
  'readCached',
  'compare',
  'drawReport',
  'drawComparison',
  'readUpload',
  'writeHistory',
  'compareKept',
  'planWhatIf',
  'readRequests',
  'readScreenshot',
  'readAudit',
] as const satisfies readonly (keyof Tasks)[];

/**
 * Runs work on whole Lighthouse results in a single separate thread, in sequence. A second thread would take processor
 * time from running audits.
 */
export function createThreads(): Threads {
  const pool = new Tinypool({
    filename: toFile('entry'),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungHeapMb },
    // With Atomics, the thread would wait in a loop that prevents an orderly shutdown.
    useAtomics: false,
  });
  const run = Object.fromEntries(
    names.map(name => [
      name,
      (order: unknown) => pool.run(order, { name, filename: fileOf(name), transferList: givenAway(name, order) }),
    ]),
  );
  return { ...run, close: () => pool.destroy() } as unknown as Threads;
}
