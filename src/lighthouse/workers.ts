import { firstLine, unavailable } from './audit-failure.ts';
import type { AuditFolders } from './audit-folders.ts';
import type { WorkerOrder } from './messages.ts';
import type { Sandbox } from './sandbox.ts';
import type { OnStage } from './stages.ts';
import { WorkerFailure, WorkerHandle } from './worker-handle.ts';

export type Order = Omit<WorkerOrder, 'folder'>;

export type Done = {
  /** The Lighthouse result as JSON text; empty when nothing was to be measured. */
  text: string;
  /** Settles when the order's browser and folder are gone, a little after the result is there. Never rejects. */
  cleared: Promise<void>;
};

/** Memory and compiled code grow with every audit: a fresh process now and then costs one second. */
const maxOrdersPerWorker = 50;

/** The deadline came while the page did not answer: then that is what happened. */
const toHung = (error: unknown): unknown =>
  error instanceof DOMException && error.name === 'TimeoutError'
    ? new WorkerFailure('audit', 'The page stopped responding.', 'PAGE_HUNG')
    : error;

/** The folder could not be given to another user. */
const isDenied = (error: unknown): boolean => error instanceof Error && 'syscall' in error && error.syscall === 'chown';

/** Workers that are kept while healthy and carry out one order after the other, each in a folder of its own. */
export function createCrew({
  sandbox,
  folders,
  log,
}: {
  sandbox: Sandbox;
  folders: AuditFolders;
  log: (event: string, facts: Record<string, unknown>) => void;
}) {
  const resting: WorkerHandle[] = [];
  /** Orders whose processes and folder are not gone yet: a close waits for them. */
  const uncleared = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function startWorker(): Promise<WorkerHandle> {
    const { user } = sandbox.plan();
    try {
      return await WorkerHandle.start(user, folders.noteProcess);
    } catch (error) {
      if (user && error instanceof WorkerFailure && sandbox.loseUser(firstLine(error.message))) return startWorker();
      throw error;
    }
  }

  async function takeWorker(): Promise<WorkerHandle> {
    const worker = resting.pop();
    if (worker?.isUsable) return worker;
    return worker ? takeWorker() : startWorker();
  }

  async function makeFolder(): Promise<string> {
    const { user } = sandbox.plan();
    try {
      return await folders.create(user);
    } catch (error) {
      const reason = firstLine(error instanceof Error ? error.message : String(error));
      // Root of a container may be nobody else.
      if (user && isDenied(error) && sandbox.loseUser(reason)) return makeFolder();
      throw unavailable(`there is no room for an audit (${reason})`, error);
    }
  }

  /** Ends the order's browser and folder; keeps the worker unless there is any doubt about it. */
  async function putAway(worker: WorkerHandle, folder: string, trusted: boolean): Promise<void> {
    if (trusted) await worker.whenIdle();
    if (trusted && worker.isUsable && worker.orders < maxOrdersPerWorker) resting.push(worker);
    else await worker.kill();
    await folders.remove(folder);
  }

  async function runIn(folder: string, order: Order, signal: AbortSignal, onStage?: OnStage): Promise<Done> {
    const worker = await takeWorker().catch(async error => {
      await folders.remove(folder);
      throw error;
    });
    if (!order.browser.sandbox) log('audit without sandbox', { worker: worker.pid });
    try {
      const text = await worker.run({ ...order, folder }, AbortSignal.any([signal, stopping.signal]), onStage);
      return { text, cleared: putAway(worker, folder, true) };
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
     * One order on one worker, in a folder of its own; a failure is told when both are put away.
     * @throws WorkerFailure, AnalysisError `lighthouse_unavailable`, or the signal's reason
     */
    async carryOut(order: Order, signal: AbortSignal, onStage?: OnStage): Promise<Done> {
      const run = makeFolder().then(folder => runIn(folder, order, signal, onStage));
      keepTrack(run.then(done => done.cleared));
      return run;
    },

    /** Kills what still runs. @param reason what the running orders fail with */
    async close(reason: Error): Promise<void> {
      stopping.abort(reason);
      await Promise.all(uncleared);
      await Promise.all(resting.splice(0).map(worker => worker.kill()));
    },
  };
}
