/**
 * Resources of one audit: a worker, a folder, network access, and a browser that loads one page. When an audit ends, a
 * spare browser is started for the next one.
 */
import type { AuditLimits } from '../audit-limits.ts';
import type { BrowserLaunch, ReAuditOrder, TimedAudit } from '../messages.ts';
import { type Base, type BasesSettings, createBases, type WantedBrowser } from './browser-base.ts';
import type { OrderHooks, WorkerHandle, WorkerResult } from './worker-handle.ts';
import { WorkerFailure } from './worker-process.ts';
import type { Workers } from './workers.ts';

/* Running browsers that have loaded nothing. Each waits in its worker for the next audit. */

type Spare = Base & { worker: WorkerHandle };

type WaitingSpare = Spare & { stale: NodeJS.Timeout };

const isSame = (launch: BrowserLaunch, { executablePath, env, sandbox }: WantedBrowser): boolean =>
  launch.browser.executablePath === executablePath &&
  launch.browser.sandbox === sandbox &&
  JSON.stringify(launch.browser.env) === JSON.stringify(env);

/** @param whenStale called for a spare browser that has waited too long; `later` lets it wait again */
function createSpares(staleMs: number, whenStale: (spare: Spare) => 'later' | 'taken') {
  const waiting: WaitingSpare[] = [];

  function remove(spare: WaitingSpare): Spare {
    clearTimeout(spare.stale);
    waiting.splice(waiting.indexOf(spare), 1);
    const { stale: _, ...found } = spare;
    return found;
  }

  return {
    add(spare: Spare): void {
      const onStale = () => {
        if (whenStale(spare) === 'later') stale.refresh();
        else remove(own);
      };
      const stale = setTimeout(onStale, staleMs).unref();
      const own = { ...spare, stale };
      waiting.push(own);
    },

    take(): Spare | undefined {
      const spare = waiting.findLast(({ worker }) => worker.isUsable);
      return spare && remove(spare);
    },

    takeAll: (): Spare[] => [...waiting].map(remove),

    /**
     * Removes and returns unusable spare browsers: their worker or network access has ended, or different settings are
     * wanted.
     */
    takeUnwanted: (wanted: WantedBrowser): Spare[] =>
      waiting
        .filter(({ worker, launch, gate }) => !worker.isUsable || !isSame(launch, wanted) || !gate.isUsable)
        .map(remove),
  };
}

export type BrowserCell = Base & {
  /** The worker, which may still be starting. */
  worker: Promise<WorkerHandle>;
  /** Whether the browser is already running. */
  isStarted: boolean;
};

export type Done<T> = {
  /** Value read from the worker's result. */
  value: T;
  /** Settles when the order's browser and folder are removed, shortly after the result. Never rejects. */
  cleared: Promise<void>;
};

/** Reads the result of a worker. @throws if the result is not what was requested */
export type ReadWorkerResult<T> = (result: WorkerResult) => T | Promise<T>;

/** A page to measure, and the function that reads the result. */
export type CellTask<T> = { audit: TimedAudit; read: ReadWorkerResult<T> } & OrderHooks;

const readNothing: ReadWorkerResult<undefined> = ({ bytes }) => {
  if (bytes.length > 0) throw new Error('there was nothing to measure');
};

export type CellsSettings = BasesSettings & {
  workers: Workers;
  limits: AuditLimits;
  /** Whether a browser is started in advance. */
  hasSpare: boolean;
  log: (event: string, facts: Record<string, unknown>) => void;
};

/** Converts a timeout to a failure of the page, for an audit whose page did not respond. */
const toHung = (error: unknown): unknown =>
  error instanceof DOMException && error.name === 'TimeoutError'
    ? new WorkerFailure('audit', 'The page stopped responding.', 'PAGE_HUNG')
    : error;

export function createCells({ workers, limits, hasSpare, log, ...settings }: CellsSettings) {
  const { folders } = settings;
  /** Pending clean-ups, which the service waits for when it stops. */
  const uncleared = new Set<Promise<void>>();
  const stopping = new AbortController();

  function keepTrack<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => {},
      () => {},
    );
    uncleared.add(settled);
    void settled.then(() => uncleared.delete(settled));
    return work;
  }

  const bases = createBases(settings, keepTrack);
  const spares = createSpares(limits.spareMs, spare => {
    // Spares are not renewed during an audit, because starting a browser takes half a second of processor time.
    if (uncleared.size > 0) return 'later';
    void keepTrack(renew(spare)).catch(() => {});
    return 'taken';
  });

  /** Prepares the next browser. A failure, such as a full disk, does not affect the running audit. */
  async function openNext(wanted: WantedBrowser, worker: WorkerHandle): Promise<Base | undefined> {
    if (!hasSpare || !workers.isFit(worker)) return undefined;
    return bases.open(wanted, stopping.signal).catch(() => undefined);
  }

  /** Replaces a spare browser that is no longer fresh, because it has waited too long. */
  async function renew(spare: Spare): Promise<void> {
    const { browser } = spare.launch;
    const base = await bases.open(browser, stopping.signal).catch(async error => {
      await endAll([spare]);
      throw error;
    });
    try {
      await spare.worker.run({ limits: limits.page, spare: base.launch }, stopping.signal);
    } catch (error) {
      await Promise.all([spare.worker.kill(), bases.close(base)]);
      throw error;
    } finally {
      await bases.close(spare);
    }
    await putAway(spare.worker, base, true);
  }

  /** Stores the worker and the next browser for reuse, unless they cannot be trusted. */
  async function putAway(worker: WorkerHandle, next: Base | undefined, isTrusted: boolean): Promise<void> {
    if (isTrusted) await worker.whenIdle();
    const isKept = isTrusted && workers.isFit(worker) && worker.hasSpare;
    if (next && isKept) return spares.add({ ...next, worker });
    await (isTrusted ? workers.putBack(worker) : worker.kill());
    if (next) await bases.close(next);
  }

  const endAll = (unwanted: readonly Spare[]): Promise<unknown> =>
    Promise.all(
      unwanted.map(async spare => {
        await spare.worker.kill();
        await bases.close(spare);
      }),
    );

  /** @throws WorkerFailure */
  async function readAnswer<T>(worker: WorkerHandle, result: WorkerResult, read: ReadWorkerResult<T>): Promise<T> {
    try {
      return await read(result);
    } catch (error) {
      log('a worker was killed', { worker: worker.pid, reason: 'its result is none', err: error });
      throw new WorkerFailure('audit', 'the audit worker sent an invalid result and was killed');
    }
  }

  async function runIn<T>(
    { worker: starting, isStarted, ...base }: BrowserCell,
    { audit, read, ...hooks }: CellTask<T>,
    signal: AbortSignal,
  ): Promise<Done<T>> {
    const { launch } = base;
    const worker = await starting.catch(async error => {
      await bases.close(base);
      throw error;
    });
    if (!launch.browser.sandbox) log('audit without sandbox', { worker: worker.pid });
    const next = await openNext(launch.browser, worker);
    const clear = async (isTrusted: boolean) => {
      base.gate.close();
      await putAway(worker, next, isTrusted);
      await folders.remove(launch.folder);
    };
    try {
      const order = { limits: limits.page, launch, isStarted, audit, ...(next ? { spare: next.launch } : {}) };
      const value = await readAnswer(worker, await worker.run(order, signal, hooks), read);
      return { value, cleared: clear(true) };
    } catch (error) {
      const { isPageSilent } = worker;
      await clear(false);
      throw isPageSilent ? toHung(error) : error;
    }
  }

  async function prove(wanted: WantedBrowser, signal: AbortSignal): Promise<Done<undefined>> {
    const worker = await workers.take(signal);
    const base = await bases.open(wanted, signal).catch(async error => {
      await workers.putBack(worker);
      throw error;
    });
    const { launch } = base;
    if (!launch.browser.sandbox) log('audit without sandbox', { worker: worker.pid });
    try {
      const order = { limits: limits.page, ...(hasSpare ? { spare: launch } : { launch }) };
      const value = await readAnswer(worker, await worker.run(order, signal), readNothing);
      return { value, cleared: putAway(worker, base, true) };
    } catch (error) {
      await putAway(worker, base, false);
      throw error;
    }
  }

  async function discard({ worker, isStarted, ...base }: BrowserCell): Promise<void> {
    const started = await worker.catch(() => undefined);
    if (started && isStarted) spares.add({ ...base, worker: started });
    else await Promise.all([started && workers.putBack(started), bases.close(base)]);
  }

  async function runTracked<T>(run: Promise<Done<T>>): Promise<Done<T>> {
    void keepTrack(run.then(({ cleared }) => cleared)).catch(() => {});
    return run;
  }

  return {
    /**
     * Returns a cell with a spare browser, or one in which a browser will be started. An abort takes effect
     * immediately.
     * @throws WorkerFailure, AnalysisError `lighthouse_unavailable`, or the signal's reason
     */
    async open(wanted: WantedBrowser, signal: AbortSignal): Promise<BrowserCell> {
      const ends = AbortSignal.any([signal, stopping.signal]);
      ends.throwIfAborted();
      await endAll(spares.takeUnwanted(wanted));
      const spare = spares.take();
      if (spare) return { ...spare, worker: Promise.resolve(spare.worker), isStarted: true };
      // Folder, network access and worker are prepared in parallel.
      const worker = workers.take(ends);
      worker.catch(() => {});
      try {
        return { ...(await bases.open(wanted, ends)), worker, isStarted: false };
      } catch (error) {
        void keepTrack(worker.then(workers.putBack)).catch(() => {});
        throw error;
      }
    },

    /**
     * Runs one audit in a cell, and cleans it up. A failure is reported after the clean-up.
     * @throws WorkerFailure, AnalysisError `lighthouse_unavailable`, or the signal's reason
     */
    run: <T>(cell: BrowserCell, task: CellTask<T>, signal: AbortSignal): Promise<Done<T>> =>
      runTracked(runIn(cell, task, AbortSignal.any([signal, stopping.signal]))),

    /**
     * Checks whether a browser can be started. If so, the browser becomes the first spare one, or is ended immediately.
     * @throws the errors of `run`
     */
    prove: (wanted: WantedBrowser, signal: AbortSignal): Promise<Done<undefined>> =>
      runTracked(prove(wanted, AbortSignal.any([signal, stopping.signal]))),

    /** Discards a cell that ran no audit. Its worker, and its browser if it is running, are reused. */
    discard: (cell: BrowserCell): Promise<void> => keepTrack(discard(cell)),

    /** Audits stored artifacts again, without a browser. @throws the errors of `run` */
    reAudit<T>(reAudit: ReAuditOrder, read: ReadWorkerResult<T>, signal: AbortSignal): Promise<Done<T>> {
      const ends = AbortSignal.any([signal, stopping.signal]);
      const run = async (): Promise<Done<T>> => {
        const spare = spares.take();
        const worker = spare?.worker ?? (await workers.take(ends));
        try {
          const result = await worker.run({ limits: limits.page, reAudit }, ends);
          const value = await readAnswer(worker, result, read);
          return { value, cleared: putAway(worker, spare, true) };
        } catch (error) {
          await putAway(worker, spare, false);
          throw error;
        }
      };
      return runTracked(run());
    },

    /** Kills all running processes. @param reason error of the running orders */
    async close(reason: Error): Promise<void> {
      stopping.abort(reason);
      while (uncleared.size > 0) await Promise.all(uncleared);
      await endAll(spares.takeAll());
      await workers.close(reason);
    },
  };
}
