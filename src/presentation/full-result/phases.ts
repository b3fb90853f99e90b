/** Phases of a request in the DevTools log, which is stored with a local result. */
import { isObject, type Json, listOf } from '../../contract/result/details.ts';
import { numberOf, textOf } from './read.ts';

export const requestPhases = ['dns', 'connect', 'tls', 'wait', 'download'] as const;
export type RequestPhase = (typeof requestPhases)[number];

export const requestPhaseWords: Readonly<Record<RequestPhase, string>> = {
  dns: 'DNS',
  connect: 'Connect',
  tls: 'TLS',
  wait: 'Wait for the first byte',
  download: 'Download',
};

export type PhaseSpan = { readonly phase: RequestPhase; readonly durationMs: number };

const span = (phase: RequestPhase, from: number | undefined, to: number | undefined): PhaseSpan[] =>
  from === undefined || to === undefined || from < 0 || to <= from ? [] : [{ phase, durationMs: to - from }];

/** Times are milliseconds after `requestTime`; -1 means that a phase did not happen. */
function toSpans(timing: Json, downloadMs: number): PhaseSpan[] {
  const at = (name: string) => numberOf(timing[name]);
  const connected = (at('sslStart') ?? -1) >= 0 ? at('sslStart') : at('connectEnd');
  return [
    ...span('dns', at('dnsStart'), at('dnsEnd')),
    ...span('connect', at('connectStart'), connected),
    ...span('tls', at('sslStart'), at('sslEnd')),
    ...span('wait', at('sendStart'), at('receiveHeadersEnd')),
    ...span('download', 0, downloadMs),
  ];
}

/** Returns the phases by URL, of the first finished request for each. @param log messages of the DevTools protocol */
export function toRequestPhases(log: unknown): ReadonlyMap<string, readonly PhaseSpan[]> {
  const spans = new Map<string, readonly PhaseSpan[]>();
  const answered = new Map<string, { readonly url: string; readonly timing: Json }>();
  for (const { method, params } of listOf(log)) {
    if (!isObject(params)) continue;
    const id = textOf(params.requestId);
    if (method === 'Network.responseReceived' && isObject(params.response) && isObject(params.response.timing))
      answered.set(id, { url: textOf(params.response.url), timing: params.response.timing });
    const known = method === 'Network.loadingFinished' ? answered.get(id) : undefined;
    if (!known || spans.has(known.url)) continue;
    const headersAt =
      (numberOf(known.timing.requestTime) ?? 0) + (numberOf(known.timing.receiveHeadersEnd) ?? 0) / 1000;
    spans.set(known.url, toSpans(known.timing, 1000 * ((numberOf(params.timestamp) ?? 0) - headersAt)));
  }
  return spans;
}
