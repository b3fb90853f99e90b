import { extname } from 'node:path';
import { Tinypool } from 'tinypool';
import type * as tasks from './tasks.ts';

type Tasks = typeof tasks;
type Returned<T> = T extends (...order: never[]) => infer R ? R : never;

/** Every task as it stands in tasks.ts, answered by a thread. The bytes for `readWireAnswer` and `readUpload` are empty afterwards. */
export type Threads = {
  readonly [Name in keyof Tasks]: (
    ...order: Parameters<Extract<Tasks[Name], (...order: never[]) => unknown>>
  ) => Promise<Returned<Tasks[Name]>>;
} & {
  close(): Promise<void>;
};

/** In the form we are in ourselves: TypeScript in the checkout, JavaScript in the package. */
const toFile = (name: string): string => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).href;

/** A person waits for the first history: so a thread that starts for it loads nothing else. */
const fileOf = (task: (typeof names)[number]): string => toFile(task === 'writeHistory' ? 'write-history' : 'entry');

/** A thread takes a tenth of a second to start and some 40 MB; an idle service has none. */
const idleMs = 60_000;

/** The largest result that is taken is 32 MB of JSON; parsed it is a few times that. One that is more fails alone. */
const maxHeapMb = 768;
/** By default 48: room that would be held for the objects of one result after another, all of them gone by then. */
const maxYoungHeapMb = 12;

/**
 * An answer from the network is read once, and by the thread alone: its bytes move there. Copied, every one would stay
 * here until the collector has a reason to come. Bytes that are a view of something larger are copied.
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
 * Works on whole Lighthouse results in a thread other than the serving one, one after the other. Audits need the
 * processors: a second thread would disturb what is being measured.
 */
export function createThreads(): Threads {
  const pool = new Tinypool({
    filename: toFile('entry'),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungHeapMb },
    // It would wait in a loop that keeps the thread from closing in order.
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
