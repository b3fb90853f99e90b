import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toAnalysisError } from '../analysis/outcome.ts';
import type { OnProgress } from '../analysis/progress.ts';
import type { AnalysisError } from '../errors.ts';
import { type JsonBytes, joinObjects, toJson } from '../report/json-bytes.ts';
import { prefers } from './accept.ts';
import { type Answer, sendJson, sendProblem } from './answer.ts';
import { callerSignal } from './caller.ts';
import { type Events, eventStream, sendEvents } from './event-stream.ts';
import { toProblem } from './problem.ts';
import { logFailure } from './request-log.ts';

/**
 * Answers that are ready in one turn of the event loop go out one right after the other: a reader on this machine is
 * then woken once for all of them, and a sixth more cached answers a second go out.
 */
const endOfTurn = () => setImmediate();

type Run = (signal: AbortSignal, onProgress: OnProgress) => Promise<Answer>;

const partsOf = ({ json, hasParts }: Answer): JsonBytes | undefined => (hasParts ? json : undefined);

async function answerAsEvents(reply: FastifyReply, run: Run, events: Events): Promise<void> {
  const fail = (error: AnalysisError, parts?: JsonBytes) => {
    logFailure(reply, error);
    const problem = toJson(toProblem(error));
    events.end('failed', parts ? joinObjects(problem, parts) : problem);
  };
  const signal = callerSignal(reply);
  try {
    const answer = await run(signal, ({ event, ...data }) => events.send(event, data));
    if (answer.failure) return fail(answer.failure, partsOf(answer));
    for (const failure of answer.failures ?? []) logFailure(reply, failure);
    events.end('result', answer.json);
  } catch (error) {
    signal.throwIfAborted();
    fail(toAnalysisError(error));
  }
}

/**
 * Runs an analysis and answers it: as JSON when it is done or, for a caller that asks for it, event by event while it
 * runs. What is wrong with a request is answered before.
 */
export async function answerAnalysis(request: FastifyRequest, reply: FastifyReply, run: Run): Promise<FastifyReply> {
  if (prefers(eventStream, request.headers.accept))
    return sendEvents(reply, events => answerAsEvents(reply, run, events));
  const answer = await run(callerSignal(reply), () => {});
  if (answer.failure) return sendProblem(reply, answer.failure, partsOf(answer));
  for (const failure of answer.failures ?? []) logFailure(reply, failure);
  await endOfTurn();
  return sendJson(reply.headers(answer.headers ?? {}), answer.json);
}
