/** Sends due callbacks, and retries failed ones for a day: after 5 s, then with delays that double up to two hours. */
import type { CallbackFormat } from '../../contract/names.ts';
import type { AllowedAgentParts } from '../../measure/egress/allowed-agent.ts';
import type { SqlDatabase } from '../../storage/database/sql.ts';
import type { Published } from '../job-policy.ts';
import { type Delivery, type DeliveryState, listDueDeliveries, toTried, toTry } from '../statements.ts';
import { createPatientDatabase } from '../work/patient-database.ts';
import { toMessageBody } from './messages.ts';
import { type Sent, send, sign, usualTimeoutMs } from './send.ts';

const dayMs = 24 * 60 * 60_000;
const usualFirstMs = 5000;
const longestMs = 2 * 60 * 60_000;
/** Max delay between two tries, including jitter and a clock that is slightly behind. */
const mostWaitMs = 2 * longestMs;
/** A try is claimed for longer than its request may take, so that its outcome is written before another try. */
const claimMs = 2 * usualTimeoutMs;
const mostAtOnce = 4;
const hiddenReason = 'it was not accepted; the log of the service has the reason';

/** @param state state of the delivery after the try */
export type OnTried = (delivery: Delivery, sent: Sent, state: DeliveryState) => void;

export type DeliverParts = AllowedAgentParts & {
  database: SqlDatabase;
  takes: Published;
  /** Undefined if the service no longer has a secret. Pending callbacks wait until it has one again. */
  key: Uint8Array | undefined;
  now: () => number;
  /** Whether clients may be on other machines: they then do not learn how a private host failed. */
  hidesInside: boolean;
  /** Called after each try, because the time of the next delivery may have changed. */
  onTried: OnTried;
  firstMs?: number | undefined;
};

export type Deliveries = {
  /** Starts sending due callbacks, up to the max number of parallel requests. */
  tick(): Promise<void>;
  /** Sends a test message once. @returns null if it was accepted, otherwise the reason */
  test(id: string, url: string, format: CallbackFormat, origin: string): Promise<string | null>;
  close(): Promise<void>;
};

export function createDeliveries({
  database,
  takes,
  key,
  now,
  hidesInside,
  onTried,
  firstMs = usualFirstMs,
  ...sending
}: DeliverParts): Deliveries {
  const stop = new AbortController();
  const running = new Map<string, Promise<void>>();
  const tests = new Set<Promise<Sent>>();

  const waitAfter = (tries: number): number => {
    const ms = Math.min(firstMs * 2 ** tries, longestMs);
    // The jitter prevents callbacks that failed together from being retried together.
    return Math.round(ms * (1 + Math.random() / 5));
  };

  const toShownReason = (sent: Sent): string | null => {
    if (sent.ok) return null;
    return hidesInside && sent.isPrivate ? hiddenReason : sent.reason.slice(0, 500);
  };

  async function tryOnce(delivery: Delivery, secret: Uint8Array): Promise<void> {
    const claim = AbortSignal.any([stop.signal, AbortSignal.timeout(claimMs)]);
    const [taken] = await database.write([toTry(delivery, now() + claimMs)]);
    if (taken === 0) return;
    const { id, url, body, createdAtMs } = delivery;
    const sent = await send(sending, url, { headers: sign(secret, { id, body, nowMs: now() }), body }, stop.signal);
    if (!sent.ok && stop.signal.aborted) return;
    const nextAtMs = now() + waitAfter(delivery.tries);
    const isLast = !sent.ok && (sent.isFinal || nextAtMs - createdAtMs > dayMs);
    const state = sent.ok ? 'delivered' : isLast ? 'given_up' : 'waiting';
    const tried = { state, lastError: toShownReason(sent), nextAtMs } as const;
    await createPatientDatabase(database, claim).write([toTried(id, tried)]);
    onTried(delivery, sent, state);
  }

  return {
    async tick() {
      const room = mostAtOnce - running.size;
      if (key === undefined || room <= 0) return;
      const times = { nowMs: now(), mostWaitMs, running: [...running.keys()] };
      const due = await listDueDeliveries(database, takes, times, room);
      for (const delivery of due.filter(({ id }) => !running.has(id))) {
        // If the outcome cannot be written, the delivery is due again when its claim ends.
        const sending = tryOnce(delivery, key)
          .catch(() => {})
          .finally(() => running.delete(delivery.id));
        running.set(delivery.id, sending);
      }
    },
    async test(id, url, format, origin) {
      if (key === undefined || tests.size >= mostAtOnce) return 'too many tests at once: try again in a few seconds';
      const line = { text: 'Rangelight reaches this webhook.', link: `${origin}/?view=schedules` };
      const body =
        format === 'json'
          ? JSON.stringify({ type: 'test', timestamp: new Date(now()).toISOString(), data: line })
          : toMessageBody(format, [line]);
      const sent = send(sending, url, { headers: sign(key, { id, body, nowMs: now() }), body }, stop.signal);
      tests.add(sent);
      return toShownReason(await sent.finally(() => tests.delete(sent)));
    },
    async close() {
      stop.abort();
      await Promise.all([...running.values(), ...tests]);
    },
  };
}
