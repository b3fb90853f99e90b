/** Reads predictions for a stored load from the service. */
import { isObject } from '../../contract/result/details.ts';
import type { WhatIf } from '../../contract/stored/what-if.ts';
import type { FailureReason } from '../../presentation/failure-reason.ts';
import { type AskOptions, askForPage } from '../ask-service.ts';

const isWhatIf = (body: unknown): body is WhatIf => isObject(body) && isObject(body.map) && isObject(body.fixes);

/** @throws only the signal's reason */
export async function readWhatIf(
  id: string,
  options: AskOptions,
): Promise<{ ok: true; whatIf: WhatIf } | { ok: false; failure: FailureReason }> {
  const path = `results/${encodeURIComponent(id)}/what-if`;
  const reply = await askForPage({ method: 'GET', path, lanes: [] }, () => {}, options);
  if (!reply.ok) return reply;
  return isWhatIf(reply.body)
    ? { ok: true, whatIf: reply.body }
    : { ok: false, failure: { kind: 'unreadable', status: 200 } };
}
