import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { ReportFile } from '../../analysis/threads/tasks.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { Caller } from '../../measure/fair-turns.ts';
import { toBuffer } from '../../measure/lhr/json-bytes.ts';
import { frameSandbox, toFileName } from '../../web/report/file-policy.ts';
import type { Admit } from '../access/admit.ts';
import { type Answer, isFresh, sendProblem } from '../answers/answer.ts';
import type { Operation, Route } from '../route.ts';
import { clientSignal } from '../server/client-signal.ts';
import type { FullTurns } from '../server/full-turns.ts';
import { logFailure } from '../server/request-log.ts';

/** Answer of an analysis whose report is rendered only on success. */
type DrawnAnswer = Omit<Answer, 'json'> & { draw: (caller: Caller) => Promise<ReportFile | undefined> };

/**
 * Sends a report, which opens in its own tab. It contains text of the page under test, so it gets an opaque origin, and
 * other pages may not frame it. A page with an opaque origin cannot set a cross-origin opener policy.
 */
export const sendReport = (reply: FastifyReply, { html, policy }: ReportFile, name: string): FastifyReply =>
  reply
    .code(200)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-disposition', `inline; filename="${name}"`)
    .header('content-security-policy', `sandbox ${frameSandbox}; ${policy}; frame-ancestors 'none'`)
    .header('cross-origin-opener-policy', 'unsafe-none')
    .send(toBuffer(html));

type ReportParts<Wanted> = Pick<Operation, 'path' | 'description'> & {
  query: TObject;
  admit: Admit;
  fullTurns: FullTurns;
  /** @throws ValidationFailure */
  read: (query: string) => Wanted;
  /** Part of the file name, in addition to page and device. */
  word: string;
  analyse: (wanted: Wanted, options: { fresh: boolean; client: string; signal: AbortSignal }) => Promise<DrawnAnswer>;
};

/**
 * Creates the report route of an operation: the same analysis as an HTML file. Failures are sent as the operation sends
 * them.
 */
export function toReportRoute<Wanted extends { url: string; strategy: string }>(parts: ReportParts<Wanted>): Route {
  const { path, description, query, admit, fullTurns, read, word, analyse } = parts;

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const wanted = read(request.query as string);
    const client = await admit(request, [wanted.url]);
    const caller = { client, signal: clientSignal(reply) };
    const answer = await analyse(wanted, { fresh: isFresh(request), ...caller });
    if (answer.failure) return sendProblem(reply, answer.failure, answer.facts);
    for (const failure of answer.failures ?? []) logFailure(reply, failure);
    const send = async () => {
      const drawn = await answer.draw(caller);
      if (!drawn) throw new AnalysisError('results_unavailable', 'The result is too large for a report.');
      return sendReport(reply.headers(answer.headers ?? {}), drawn, toFileName(wanted.url, word, wanted.strategy));
    };
    return fullTurns.sendWhole(send, reply, caller);
  };

  return {
    operation: {
      method: 'GET',
      path,
      tag: 'analysis',
      summary: 'The same result as an HTML report',
      description,
      query,
      fileType: 'text/html',
    },
    effort: 'measurement',
    handle,
  };
}
