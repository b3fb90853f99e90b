import { orAbort } from '../../fair-turns.ts';
import { firstLine } from '../audit-failure.ts';
import type { AuditLimits } from '../audit-limits.ts';
import type { Sandbox } from '../browser/sandbox.ts';
import type { AuditFolders } from '../folders/audit-folders.ts';
import type { CompiledCode } from './compiled-code.ts';
import { WorkerHandle, workerProgram } from './worker-handle.ts';
import { WorkerFailure } from './worker-process.ts';

export type WorkersSettings = {
  sandbox: Sandbox;
  folders: Pick<AuditFolders, 'noteProcess'>;
  limits: AuditLimits;
  compiledCode?: Pick<CompiledCode, 'find'> | undefined;
  program?: string | undefined;
  onBrowserStart?: (() => void) | undefined;
  log: (event: string, facts: Record<string, unknown>) => void;
};

/** Max number of orders per worker. Its memory and compiled code grow, and a fresh process costs only a second. */
const maxOrders = 50;

/**
 * Returns whether a worker failed to start because it runs as another user, rather than for lack of time or resources.
 */
const isOfUser = ({ code }: WorkerFailure): boolean => code === undefined || /^E(PERM|ACCES|INVAL)$/.test(code);

/** Manages worker processes. Each carries out one order after the other while it is healthy. */
export function createWorkers({
  sandbox,
  folders,
  limits,
  compiledCode,
  program = workerProgram,
  onBrowserStart,
  log,
}: WorkersSettings) {
  const resting: WorkerHandle[] = [];
  /** Workers whose order was cancelled before they were ready: the next order takes one, or they become idle. */
  const unclaimed = new Set<Promise<WorkerHandle>>();
  const stopping = new AbortController();

  async function startWorker(): Promise<WorkerHandle> {
    const { user } = sandbox.plan();
    try {
      const found = await compiledCode?.find(user);
      const { noteProcess } = folders;
      const settings = { user, compiledCode: found, noteProcess, program, onBrowserStart, limits, log };
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

  async function take(signal: AbortSignal): Promise<WorkerHandle> {
    signal.throwIfAborted();
    const rested = resting.pop();
    if (rested) return rested.isUsable ? rested : take(signal);
    const starting = claim();
    try {
      return await orAbort(starting, signal);
    } catch (error) {
      if (signal.aborted) leaveUnclaimed(starting);
      throw error;
    }
  }

  const isFit = (worker: WorkerHandle): boolean =>
    worker.isUsable && worker.orders < maxOrders && !stopping.signal.aborted;

  return {
    /**
     * Returns an idle or a new worker. An abort takes effect immediately: a worker that is still starting is reused for
     * the next order.
     * @throws WorkerFailure, AnalysisError `lighthouse_unavailable`, or the signal's reason
     */
    take,

    /** Returns whether a worker may carry out another order. */
    isFit,

    /** Stores a worker for reuse. A worker that is worn out or cannot be trusted is killed. */
    putBack: async (worker: WorkerHandle): Promise<void> => {
      if (isFit(worker)) resting.push(worker);
      else await worker.kill();
    },

    /** Kills idle and starting workers. */
    async close(reason: Error): Promise<void> {
      stopping.abort(reason);
      await Promise.allSettled(unclaimed);
      await Promise.all(resting.splice(0).map(worker => worker.kill()));
    },
  };
}

export type Workers = ReturnType<typeof createWorkers>;
