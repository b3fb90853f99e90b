import type { QueueAddOptions } from 'p-queue';
import { createFairQueue, type Queued } from '../fair-queue.ts';

type Run = () => Promise<unknown>;

/** How a call is added: under an id of its own, by which it can be removed. */
export type FairOptions = QueueAddOptions & Queued & { readonly id: string };
type QueuedRun = Queued & { readonly id: string; readonly run: Run };

/** The order of a p-queue in which clients take turns, in place of its own by priority. The names are p-queue's. */
export class FairOrder {
  readonly #queue = createFairQueue<QueuedRun>();
  readonly #byId = new Map<string, QueuedRun>();

  get size(): number {
    return this.#queue.size;
  }

  enqueue(run: Run, { id = '', client = '', rank = 0, isBatch }: Partial<FairOptions> = {}): void {
    const item = { run, id, client, rank, isBatch };
    this.#byId.set(id, item);
    this.#queue.add(item);
  }

  dequeue(): Run | undefined {
    const item = this.#queue.take();
    if (item) this.#byId.delete(item.id);
    return item?.run;
  }

  remove(id: string): void {
    const item = this.#byId.get(id);
    if (item) this.#queue.remove(item);
    this.#byId.delete(id);
  }

  filter(): Run[] {
    return this.#queue.inOrder().map(({ run }) => run);
  }

  setPriority(): never {
    throw new Error('no call has a priority');
  }
}
