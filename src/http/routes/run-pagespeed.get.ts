import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerAsPsi, type PsiSources } from '../../analysis/answer-as-psi.ts';
import { toBuffer } from '../../measure/lhr/json-bytes.ts';
import { PsiErrorBody, toPsiFailure } from '../../measure/psi/wire/error-body.ts';
import { type Machine, machineHeader, writeMachineHeader } from '../../measure/psi/wire/machine-header.ts';
import { sendJson } from '../answers/answer.ts';
import { toFailure } from '../answers/problem.ts';
import { indentOf, Refusal, RunPagespeedQuery, readPsiQuestion } from '../input/read-psi-query.ts';
import type { Route, RouteParts } from '../route.ts';
import { clientSignal, isDisconnect } from '../server/client-signal.ts';
import { logFailure } from '../server/request-log.ts';

const queryOf = (request: FastifyRequest) => new URLSearchParams(request.query as string);

const send = (reply: FastifyReply, json: Buffer, status: number): FastifyReply =>
  sendJson(reply, json, status, 'application/json; charset=UTF-8');

const sendError = (request: FastifyRequest, reply: FastifyReply, body: PsiErrorBody): FastifyReply =>
  send(reply, Buffer.from(JSON.stringify(body, null, indentOf(queryOf(request)))), body.error.code);

const sendFailure = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
  if (isDisconnect(error, reply)) return reply.code(499).send();
  if (error instanceof Refusal) return sendError(request, reply, error.body);
  const failure = toFailure(error);
  logFailure(reply, failure);
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
  return sendError(request, reply, toPsiFailure(failure));
};

/** PageSpeed Insights v5, measured by this machine. Error messages are those of Google. */
type WireSources = RouteParts & PsiSources & { machine: Machine };

export const runPagespeedRoute = (sources: WireSources): Route => ({
  operation: {
    method: 'GET',
    path: '/pagespeedonline/v5/runPagespeed',
    tag: 'psi v5',
    access: 'psi key',
    summary: 'PageSpeed Insights v5 API, served by local Lighthouse',
    description:
      "A PSI v5 endpoint for existing clients. Parameters, responses and errors are Google's; a page that cannot be " +
      'measured returns 400, because clients retry a 500. Unknown parameters are ignored.',
    query: RunPagespeedQuery,
    failure: PsiErrorBody,
    validates: false,
    fails: false,
  },
  // Some clients add a trailing slash.
  alias: '/pagespeedonline/v5/runPagespeed/',
  effort: 'measurement',
  handle: async (request, reply) => {
    const question = readPsiQuestion(queryOf(request));
    const client = await sources.admit(request, [question.url]);
    const answer = await answerAsPsi(sources, question, { client, signal: clientSignal(reply) });
    reply.header(machineHeader, writeMachineHeader(sources.machine));
    return send(reply, toBuffer(answer), 200);
  },
  sendFailure,
});
