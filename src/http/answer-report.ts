import type { FastifyReply } from 'fastify';
import { type Answer, sendProblem } from './answer.ts';
import { callerSignal } from './caller.ts';
import { type ReportFile, sendReportFile } from './report-file.ts';
import { logFailure } from './request-log.ts';

/** What an analysis came to, and its report, which is drawn only where there is something to draw. */
export type DrawnAnswer = Omit<Answer, 'json'> & { json?: Answer['json']; draw: () => ReportFile };

/** Runs an analysis and answers it as an HTML file. What failed is answered as the operation itself answers it. */
export async function answerReport(
  reply: FastifyReply,
  run: (signal: AbortSignal) => Promise<DrawnAnswer>,
): Promise<FastifyReply> {
  const answer = await run(callerSignal(reply));
  if (answer.failure) return sendProblem(reply, answer.failure, answer.hasParts ? answer.json : undefined);
  for (const failure of answer.failures ?? []) logFailure(reply, failure);
  return sendReportFile(reply.headers(answer.headers ?? {}), answer.draw());
}
