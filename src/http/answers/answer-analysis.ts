import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toAnalysisError } from '../../analysis/outcome.ts';
import type { OnProgress } from '../../contract/analysis/progress.ts';
import type { AnalysisError } from '../../contract/errors.ts';
import type { JsonBytes } from '../../measure/lhr/json-bytes.ts';
import { giveBackAll } from '../access/admit.ts';
import { prefers } from '../input/accept.ts';
import { ClientDisconnected, clientSignal } from '../server/client-signal.ts';
import { logFailure } from '../server/request-log.ts';
import { type RouteAnswer, sendProblem, toProblemJson } from './answer.ts';
import { eventStream, sendEvents } from './event-stream.ts';
import type { PartSource } from './json-parts.ts';
import { sendParts } from './send-parts.ts';

/**
 * Groups responses that are ready in one turn of the event loop: a local reader then wakes once for all of them, which
 * increases the rate of cached answers by a sixth.
 */
const endOfTurn = () => setImmediate();

type AnalysisRun<Came> = (signal: AbortSignal, onProgress: OnProgress) => Promise<Came>;
/** `onProgress` is undefined if the client does not read the progress: in a fleet, each step costs a statement. */
type MaybeQuiet<Came> = (signal: AbortSignal, onProgress?: OnProgress) => Promise<Came>;

/** Runs an analysis, and sends its progress followed by its result or failure. */
export const answerAsEvents = (reply: FastifyReply, run: AnalysisRun<RouteAnswer<PartSource>>): FastifyReply =>
  sendEvents(reply, async events => {
    const fail = (error: AnalysisError, facts?: JsonBytes) => {
      logFailure(reply, error);
      giveBackAll(reply.request, error);
      events.end('failed', [toProblemJson(error, facts)]);
    };
    const signal = clientSignal(reply);
    try {
      const answer = await run(signal, ({ event, ...data }) => events.send(event, data));
      if (answer.failure) return fail(answer.failure, answer.facts);
      for (const failure of answer.failures ?? []) logFailure(reply, failure);
      events.end('result', answer.json);
    } catch (error) {
      if (signal.reason instanceof ClientDisconnected) throw signal.reason;
      fail(toAnalysisError(signal.aborted ? signal.reason : error));
    }
  });

/**
 * Runs an analysis and sends the result: as JSON at the end or, if the client accepts it, as events while it runs.
 * The caller refuses invalid requests before it calls this.
 */
export async function answerAnalysis(
  request: FastifyRequest,
  reply: FastifyReply,
  run: MaybeQuiet<RouteAnswer>,
): Promise<FastifyReply> {
  if (prefers(eventStream, request.headers.accept)) return answerAsEvents(reply, run);
  const answer = await run(clientSignal(reply));
  if (answer.failure) return sendProblem(reply, answer.failure, answer.facts);
  for (const failure of answer.failures ?? []) logFailure(reply, failure);
  await endOfTurn();
  return sendParts(reply.headers(answer.headers ?? {}), answer.json);
}
