/**
 * PSI_CONCURRENCY and PSI_RATE over instances. Each instance keeps to its own limits, too, and to those alone while the
 * database cannot be asked. Clients take turns within an instance; between instances it is who comes first.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallGate, Pass } from '../../analysers/psi/call-gate.ts';
import type { FleetDatabase } from '../database.ts';
import type { Notices } from '../notices.ts';
import { freeSlots, noteStart, prepareCalls, renewSlots, takeSlot } from './call-rows.ts';
import { textIn } from './payload.ts';
import { beatMs, type Pulse } from './pulse.ts';
import { DatabaseAwayError, type Reach } from './reach.ts';

export type CallLimits = {
  createGate(name: string, limits: { concurrency: number; ratePerMinute: number }): CallGate;
  close(): Promise<void>;
};

type Parts = { database: FleetDatabase; notices: Notices; reach: Reach; pulse: Pulse };
type Slot = { name: string; slots: number; signal: AbortSignal };

const topic = 'call-slots';

export function createCallLimits({ database, notices, reach, pulse }: Parts): CallLimits {
  /** The slots that this instance holds, by holder. */
  const held = new Map<string, string>();
  const waiting = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of waiting) wake();
  };
  const stopListening = notices.subscribe(topic, payload => textIn(payload, 'name') !== undefined && wakeAll());
  const stopWatching = reach.onChange(wakeAll);
  const stopBeating = pulse.add(async () => {
    if (held.size > 0) await reach.ask(() => renewSlots(database, [...held.keys()]));
  });

  /** Until a slot was freed somewhere, or it is time to look. */
  const waitForNews = async (ms: number, signal: AbortSignal): Promise<void> => {
    const news = Promise.withResolvers<void>();
    const woken = new AbortController();
    waiting.add(news.resolve);
    try {
      await Promise.race([news.promise, delay(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) })]);
    } finally {
      waiting.delete(news.resolve);
      woken.abort();
    }
  };

  const free = async (holder: string): Promise<void> => {
    const name = held.get(holder);
    if (name === undefined) return;
    held.delete(holder);
    await reach.ask(() => freeSlots(database, [holder])).catch(() => {});
    await notices.publish(topic, { name });
  };

  const tryToTake = async ({ name, slots }: Slot, holder: string): Promise<boolean> => {
    const isTaken = await reach.ask(() => takeSlot(database, { name, slots, holder }));
    if (isTaken) held.set(holder, name);
    return isTaken;
  };

  const take = async (slot: Slot, holder: string): Promise<void> => {
    while (!(await tryToTake(slot, holder))) await waitForNews(beatMs, slot.signal);
  };

  const pace = async (name: string, ratePerMinute: number, signal: AbortSignal): Promise<void> => {
    if (!Number.isFinite(ratePerMinute)) return;
    for (;;) {
      signal.throwIfAborted();
      const waitMs = await reach.ask(() => noteStart(database, name, ratePerMinute));
      if (waitMs === 0) return;
      // In steps: the database may be away meanwhile.
      await delay(Math.min(waitMs, 5 * beatMs), undefined, { signal });
    }
  };

  return {
    createGate(name, { concurrency, ratePerMinute }) {
      const probes = `probe of ${name}`;
      const prepare = async () => {
        await reach.ask(() => prepareCalls(database, name, concurrency));
        await reach.ask(() => prepareCalls(database, probes, 1));
      };
      let prepared: Promise<void> | undefined;
      // Again where the database was away: it may be another one.
      reach.onChange(() => {
        prepared = undefined;
      });
      const ready = (): Promise<void> => {
        const preparing = prepared ?? prepare();
        prepared = preparing;
        preparing.catch(() => {
          if (prepared === preparing) prepared = undefined;
        });
        return preparing;
      };

      return {
        async enter({ signal, isProbe }): Promise<Pass | undefined> {
          const [slot, probe] = [randomUUID(), randomUUID()];
          const pass = { leave: () => void Promise.all([free(slot), free(probe)]) };
          try {
            await ready();
            signal.throwIfAborted();
            if (isProbe && !(await tryToTake({ name: probes, slots: 1, signal }, probe))) return undefined;
            await take({ name, slots: concurrency, signal }, slot);
            await pace(name, ratePerMinute, signal);
            signal.throwIfAborted();
            return pass;
          } catch (error) {
            if (error instanceof DatabaseAwayError && !signal.aborted) return pass;
            pass.leave();
            signal.throwIfAborted();
            throw error;
          }
        },
      };
    },
    async close() {
      stopListening();
      stopWatching();
      stopBeating();
      const holders = [...held.keys()];
      held.clear();
      if (holders.length > 0) await reach.ask(() => freeSlots(database, holders)).catch(() => {});
    },
  };
}
