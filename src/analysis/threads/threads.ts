import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Tinypool } from 'tinypool';
import { AnalysisError, type ErrorCode, shuttingDown } from '../../contract/errors.ts';
import { type Caller, createTurns } from '../../measure/fair-turns.ts';
import type * as tasks from './tasks.ts';

type Tasks = typeof tasks;
type Returned<T> = T extends (...order: never[]) => infer R ? R : never;

/** State of the thread. `stuck`: a task has run for much longer than usual. */
type ThreadStatus = {
  readonly state: 'ok' | 'stuck';
  readonly queued: number;
  /** Number of threads that were replaced, because a task took too much time or memory. */
  readonly replaced: number;
};

/**
 * The tasks of tasks.ts, run in a thread; clients take turns. The bytes passed to `readWireAnswer` and `readUpload` are
 * empty afterwards. A task that takes too much time or memory ends with its thread, which is replaced.
 * @throws AnalysisError for a lost thread (`lostCodes`), `results_unavailable` if too many tasks wait, `shutting_down`;
 *   the reason of the caller's signal, and errors of the task
 */
export type Threads = {
  readonly [Name in keyof Tasks]: (
    order: Parameters<Extract<Tasks[Name], (...order: never[]) => unknown>>[0],
    caller?: Partial<Caller>,
  ) => Promise<Returned<Tasks[Name]>>;
} & {
  status(): ThreadStatus;
  /** Ends the thread without waiting for its task. */
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
 * Heap limit. Two of the largest accepted results take 320 MB when parsed. JavaScript beyond the limit ends the thread,
 * but `JSON.parse` beyond it would end the process: json-bounds.ts keeps it below.
 */
const maxHeapMb = 400;
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
  'writeHar',
] as const satisfies readonly (keyof Tasks)[];

/** Max time of a task. The most expensive input within the bounds takes a fifth of it on a busy machine. */
const usualDeadlineMs = 15_000;
const stuckAfterMs = 5_000;
/** Time that a running task has after its caller left, because a new thread costs more than the rest of most tasks. */
const lastMs = 1_000;
/** Max time for which `close` waits: the thread ends at its next line of JavaScript. */
const closeMs = 1_000;
const mostWaiting = 200;

type ThreadOptions = {
  readonly deadlineMs?: number;
  readonly toTaskFile?: typeof fileOf;
};

/** Codes of tasks whose thread was lost, if they differ from `results_unavailable`. */
const lostCodes: Partial<Record<(typeof names)[number], ErrorCode>> = {
  readUpload: 'payload_too_large',
  readWireAnswer: 'psi_bad_response',
  readLhr: 'lighthouse_unavailable',
  writeWireAnswer: 'lighthouse_unavailable',
};

const lostDetail = 'Reading the Lighthouse result took too much time or memory.';
const isOutOfMemory = (error: unknown) => (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * Runs work on whole Lighthouse results in a single separate thread, in sequence. A second thread would take processor
 * time from running audits.
 */
export function createThreads({ deadlineMs = usualDeadlineMs, toTaskFile = fileOf }: ThreadOptions = {}): Threads {
  const pool = new Tinypool({
    filename: toFile('entry'),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungHeapMb },
    // With Atomics, the thread would wait in a loop that prevents an orderly shutdown.
    useAtomics: false,
  });
  // A thread that ends between two tasks is replaced for the next one.
  pool.on('error', () => {});
  // The pool would forget its queue when it loses a thread, so it never gets a second task.
  const takeTurn = createTurns({ mostWaiting });
  const closing = new AbortController();
  let begunAt: number | undefined;
  let queued = 0;
  let replaced = 0;

  async function runTask(name: (typeof names)[number], order: unknown, signal: AbortSignal): Promise<unknown> {
    const end = new AbortController();
    const late = setTimeout(() => end.abort(), deadlineMs).unref();
    const onLeft = () => void sleep(lastMs, undefined, { ref: false }).then(() => end.abort());
    signal.addEventListener('abort', onLeft, { once: true });
    begunAt = performance.now();
    try {
      const options = { name, filename: toTaskFile(name), transferList: givenAway(name, order), signal: end.signal };
      return await pool.run(order, options);
    } catch (cause) {
      if (closing.signal.aborted) throw closing.signal.reason;
      if (!end.signal.aborted && !isOutOfMemory(cause)) throw cause;
      replaced += 1;
      throw new AnalysisError(lostCodes[name] ?? 'results_unavailable', lostDetail, { cause });
    } finally {
      begunAt = undefined;
      clearTimeout(late);
      signal.removeEventListener('abort', onLeft);
    }
  }

  async function run(name: (typeof names)[number], order: unknown, { client = '', signal }: Partial<Caller> = {}) {
    const either = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    queued += 1;
    try {
      return await takeTurn(() => runTask(name, order, either), { client, signal: either });
    } finally {
      queued -= 1;
    }
  }

  return {
    ...Object.fromEntries(
      names.map(name => [name, (order: unknown, caller?: Partial<Caller>) => run(name, order, caller)]),
    ),
    status: () => ({
      state: begunAt !== undefined && performance.now() - begunAt > stuckAfterMs ? 'stuck' : 'ok',
      queued: Math.max(0, queued - 1),
      replaced,
    }),
    async close() {
      closing.abort(shuttingDown());
      await Promise.race([pool.destroy(), sleep(closeMs)]);
    },
  } as unknown as Threads;
}
