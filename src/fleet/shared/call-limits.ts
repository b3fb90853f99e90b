/**
 * Applies PSI_CONCURRENCY and PSI_RATE across all instances. Each instance also applies its own limits, and only those
 * while the database is unavailable. Clients take turns within an instance; requests of different instances are served
 * in order.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallGate, SharedLimits } from '../../measure/psi/call-queue.ts';
import { beatMs, DatabaseAwayError } from '../../storage/database/availability.ts';
import type { FleetDatabase } from '../database.ts';
import type { Notices } from '../notices.ts';
import { createNews } from './await-notice.ts';
import { freeSlots, noteStart, prepareCalls, renewSlots, takeSlot } from './call-rows.ts';

export type CallLimits = SharedLimits & { close(): Promise<void> };

const topic = 'call-slots';

export function createCallLimits(database: FleetDatabase, notices: Notices): CallLimits {
  const { ask, onBeat, onChange } = database.availability;
  /** Slots that this instance occupies: the name of the limit by holder. */
  const held = new Map<string, string>();
  let prepared = new Set<string>();
  const freed = createNews(notices, topic, 'name');
  const stops = [
    onBeat(async () => {
      if (held.size > 0) await ask(() => renewSlots(database, [...held.keys()]));
    }),
    onChange(() => {
      // The database may be another one now. Waiting calls try again, or fail if it is unavailable.
      prepared = new Set();
      freed.wake();
    }),
  ];

  const free = async (holder: string): Promise<void> => {
    const name = held.get(holder);
    if (name === undefined) return;
    held.delete(holder);
    await ask(() => freeSlots(database, [holder])).catch(() => {});
    await notices.publish(topic, { name });
  };

  async function takeUntilFree(name: string, slots: number, holder: string, signal: AbortSignal): Promise<void> {
    if (!prepared.has(name)) await ask(() => prepareCalls(database, name, slots));
    prepared.add(name);
    while (!(await ask(() => takeSlot(database, { name, slots, holder })))) await freed.wait(name, beatMs, signal);
    held.set(holder, name);
  }

  async function pace(name: string, ratePerMinute: number, signal: AbortSignal): Promise<void> {
    while (Number.isFinite(ratePerMinute)) {
      signal.throwIfAborted();
      const waitMs = await ask(() => noteStart(database, name, ratePerMinute));
      if (waitMs === 0) return;
      // The wait has several steps, because the database may become unavailable.
      await delay(Math.min(waitMs, 5 * beatMs), undefined, { signal });
    }
  }

  return {
    createGate: (name, { concurrency, ratePerMinute }): CallGate => ({
      async enter(signal) {
        const holder = randomUUID();
        const pass = { leave: () => void free(holder) };
        try {
          await takeUntilFree(name, concurrency, holder, signal);
          await pace(name, ratePerMinute, signal);
          signal.throwIfAborted();
        } catch (error) {
          if (!(error instanceof DatabaseAwayError) || signal.aborted) pass.leave();
          signal.throwIfAborted();
          if (!(error instanceof DatabaseAwayError)) throw error;
        }
        return pass;
      },
    }),
    async close() {
      for (const stop of stops) stop();
      freed.close();
      const holders = [...held.keys()];
      held.clear();
      if (holders.length > 0) await ask(() => freeSlots(database, holders)).catch(() => {});
    },
  };
}
