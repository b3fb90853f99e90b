import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerAsPsi } from '../analysis/answer-as-psi.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import { PsiErrorBody, toPsiFailure } from '../psi/error-body.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { sendJson } from './answer.ts';
import { CallerLeft, callerSignal } from './caller.ts';
import { toFailure } from './problem.ts';
import { isPretty, Refusal, RunPagespeedQuery, readPsiQuestion } from './read-psi-query.ts';
import { logFailure } from './request-log.ts';
import type { Route, RouteParts } from './route.ts';

const queryOf = (request: FastifyRequest) => new URLSearchParams(request.query as string);

const send = (request: FastifyRequest, reply: FastifyReply, body: unknown, status: number): FastifyReply =>
  sendJson(
    reply,
    JSON.stringify(body, null, isPretty(queryOf(request)) ? 2 : 0),
    status,
    'application/json; charset=UTF-8',
  );

const sendFailure = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
  if (error instanceof CallerLeft) return reply.code(499).send();
  if (error instanceof Refusal) return send(request, reply, error.body, error.body.error.code);
  const failure = toFailure(error);
  logFailure(reply, failure);
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
  const body = toPsiFailure(failure);
  return send(request, reply, body, body.error.code);
};

/** PageSpeed Insights v5 as its clients know it, from this machine. Google's words for errors, not ours. */
export const runPagespeedRoute = (sources: RouteParts & { policy: TargetPolicy; local: LocalAnalyser }): Route => ({
  operation: {
    method: 'GET',
    path: '/pagespeedonline/v5/runPagespeed',
    tag: 'psi v5',
    access: 'psi key',
    summary: 'PageSpeed Insights v5, answered by local Lighthouse',
    description:
      "A PSI v5 endpoint for its usual clients. Parameters, answer and errors are Google's; a page that cannot be " +
      'measured is a 400, because clients repeat a 500. Unknown parameters are ignored.',
    query: RunPagespeedQuery,
    failure: PsiErrorBody,
    validates: false,
    fails: false,
  },
  // Some clients write it so.
  alias: '/pagespeedonline/v5/runPagespeed/',
  free: false,
  handle: async (request, reply) => {
    const question = readPsiQuestion(queryOf(request));
    await sources.admit(request, [question.url]);
    return send(request, reply, await answerAsPsi(sources, question, callerSignal(reply)), 200);
  },
  sendFailure,
});
