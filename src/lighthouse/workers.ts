import { firstLine, unavailable } from './audit-failure.ts';
import type { AuditFolders } from './audit-folders.ts';
import type { AuditLimits } from './audit-limits.ts';
import type { Sandbox } from './browser/sandbox.ts';
import type { CompiledCode } from './compiled-code.ts';
import type { OnStage, WorkerOrder } from './messages.ts';
import { orAbort } from './or-abort.ts';
import { WorkerFailure, WorkerHandle, type WorkerResult, workerProgram } from './worker-handle.ts';

export type Order = Pick<WorkerOrder, 'audit' | 'reAudit' | 'browser'>;

export type Done<T> = {
  /** What was read in the worker's result. */
  value: T;
  /** Settles when the order's browser and folder are gone, a little after the result is there. Never rejects. */
  cleared: Promise<void>;
};

/** Reads what a worker sent. @throws when it is nothing that was asked for */
export type Read<T> = (result: WorkerResult) => T | Promise<T>;

/** Memory and compiled code grow with every audit: a fresh process now and then costs one second. */
const maxOrdersPerWorker = 50;

/** The deadline came while the page did not answer: then that is what happened. */
const toHung = (error: unknown): unknown =>
  error instanceof DOMException && error.name === 'TimeoutError'
    ? new WorkerFailure('audit', 'The page stopped responding.', 'PAGE_HUNG')
    : error;

/** The folder could not be given to another user. */
const isDenied = (error: unknown): boolean => error instanceof Error && 'syscall' in error && error.syscall === 'chown';

/** Not because the machine had no room for one more process, or was too slow. */
const isOfUser = ({ code }: WorkerFailure): boolean => code === undefined || /^E(PERM|ACCES|INVAL)$/.test(code);

/** Workers that are kept while healthy and carry out one order after the other, each in a folder of its own. */
export function createWorkers({
  sandbox,
  folders,
  limits,
  compiledCode,
  program = workerProgram,
  log,
}: {
  sandbox: Sandbox;
  folders: AuditFolders;
  limits: AuditLimits;
  compiledCode?: Pick<CompiledCode, 'find'> | undefined;
  program?: string | undefined;
  log: (event: string, facts: Record<string, unknown>) => void;
}) {
  const resting: WorkerHandle[] = [];
  /** Workers whose order was cancelled before they were ready: the next order takes one, or they come to rest. */
  const unclaimed = new Set<Promise<WorkerHandle>>();
  /** Orders whose processes and folder are not gone yet: a close waits for them. */
  const uncleared = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function startWorker(): Promise<WorkerHandle> {
    const { user } = sandbox.plan();
    try {
      const found = await compiledCode?.find(user);
      const settings = { user, compiledCode: found, noteProcess: folders.noteProcess, program, limits, log };
      return await WorkerHandle.start(settings, stopping.signal);
    } catch (error) {
      const isLost = user && error instanceof WorkerFailure && isOfUser(error);
      if (isLost && sandbox.loseUser(firstLine(error.message))) return startWorker();
      throw error;
    }
  }

  function leaveUnclaimed(starting: Promise<WorkerHandle>): void {
    unclaimed.add(starting);
    starting.then(
      worker => unclaimed.delete(starting) && resting.push(worker),
      () => unclaimed.delete(starting),
    );
  }

  function claim(): Promise<WorkerHandle> {
    const [starting] = unclaimed;
    if (!starting) return startWorker();
    unclaimed.delete(starting);
    return starting;
  }

  async function takeWorker(signal: AbortSignal): Promise<WorkerHandle> {
    signal.throwIfAborted();
    const rested = resting.pop();
    if (rested) return rested.isUsable ? rested : takeWorker(signal);
    const starting = claim();
    try {
      return await orAbort(starting, signal);
    } catch (error) {
      if (signal.aborted) leaveUnclaimed(starting);
      throw error;
    }
  }

  async function createFolder(): Promise<string> {
    const { user } = sandbox.plan();
    try {
      return await folders.create(user);
    } catch (error) {
      const reason = firstLine(error instanceof Error ? error.message : String(error));
      // Root of a container may have no other user.
      if (user && isDenied(error) && sandbox.loseUser(reason)) return createFolder();
      throw unavailable(`there is no room for an audit (${reason})`, error);
    }
  }

  async function makeFolder(signal: AbortSignal): Promise<string> {
    const creating = createFolder();
    try {
      return await orAbort(creating, signal);
    } catch (error) {
      if (signal.aborted) keepTrack(creating.then(folders.remove));
      throw error;
    }
  }

  /** Ends the order's browser and folder; keeps the worker unless there is any doubt about it. */
  async function putAway(worker: WorkerHandle, folder: string, trusted: boolean): Promise<void> {
    if (trusted) await worker.whenIdle();
    if (trusted && worker.isUsable && worker.orders < maxOrdersPerWorker) resting.push(worker);
    else await worker.kill();
    await folders.remove(folder);
  }

  /** @throws WorkerFailure */
  async function readAnswer<T>(worker: WorkerHandle, result: WorkerResult, read: Read<T>): Promise<T> {
    try {
      return await read(result);
    } catch (error) {
      log('a worker was killed', { worker: worker.pid, reason: 'its result is none', err: error });
      throw new WorkerFailure('audit', 'the audit worker sent what is no result, and was killed');
    }
  }

  async function runIn<T>(folder: string, order: Order, read: Read<T>, signal: AbortSignal, onStage?: OnStage) {
    const worker = await takeWorker(signal).catch(async error => {
      await folders.remove(folder);
      throw error;
    });
    if (!order.browser.sandbox) log('audit without sandbox', { worker: worker.pid });
    try {
      const scratch = await folders.toShortPath(folder);
      const result = await worker.run({ ...order, limits: limits.page, folder, scratch }, signal, onStage);
      const value = await readAnswer(worker, result, read);
      return { value, cleared: putAway(worker, folder, true) };
    } catch (error) {
      const { isPageSilent } = worker;
      await putAway(worker, folder, false);
      throw isPageSilent ? toHung(error) : error;
    }
  }

  /** What is not cleared yet is waited for when the service stops. */
  function keepTrack(clearing: Promise<unknown>): void {
    const cleared = clearing.then(
      () => {},
      () => {},
    );
    uncleared.add(cleared);
    void cleared.then(() => uncleared.delete(cleared));
  }

  return {
    /**
     * One order on one worker, in a folder of its own; a failure is reported when both are gone. An abort is heard at
     * once: a worker that still starts is kept for the next order.
     * @throws WorkerFailure, AnalysisError `lighthouse_unavailable`, or the signal's reason
     */
    async carryOut<T>(order: Order, read: Read<T>, signal: AbortSignal, onStage?: OnStage): Promise<Done<T>> {
      const ends = AbortSignal.any([signal, stopping.signal]);
      ends.throwIfAborted();
      const run = makeFolder(ends).then(folder => runIn(folder, order, read, ends, onStage));
      keepTrack(run.then(done => done.cleared));
      return run;
    },

    /** Kills what still runs. @param reason what the running orders fail with */
    async close(reason: Error): Promise<void> {
      stopping.abort(reason);
      while (uncleared.size > 0) await Promise.all(uncleared);
      await Promise.allSettled(unclaimed);
      await Promise.all(resting.splice(0).map(worker => worker.kill()));
    },
  };
}
