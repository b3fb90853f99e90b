/** One request whose JSON answer the page reads. */
import type { FailureReason } from '../../presentation/failure-reason.ts';
import { type AskOptions, askForPage } from '../ask-service.ts';
import type { Call } from '../plan.ts';

export type Read<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly failure: FailureReason };

/** @throws only the signal's reason */
export async function ask<T>(call: Omit<Call, 'lanes'>, options: AskOptions): Promise<Read<T>> {
  const reply = await askForPage({ ...call, lanes: [] }, () => {}, options);
  return reply.ok ? { ok: true, body: reply.body as T } : { ok: false, failure: reply.failure };
}
