/** Requests that read stored results, for the commands, and how they end if a request fails. */
import { askForPage, type Reply } from '../api-client/ask-service.ts';
import { toFailureReason } from '../presentation/failure-reason.ts';
import { exitCodes } from './command-context.ts';
import { toFailureLines } from './text/cells.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';

export type Asking = { readonly baseUrl: string; readonly apiKey: string | undefined; readonly signal: AbortSignal };

/** Requests JSON from a service. @throws the signal's reason */
export const askForJson = (path: string, { baseUrl, ...options }: Asking): Promise<Reply> =>
  askForPage({ method: 'GET', path, lanes: [] }, () => {}, {
    ...options,
    fetch: (target, init) => fetch(new URL(String(target), baseUrl), init),
  });

/** Describes a failure, with advice. */
export const sayFailure = (reply: Extract<Reply, { ok: false }>): string => {
  const { failure } = reply;
  const isTold = failure.kind === 'problem' || failure.kind === 'invalid';
  return toFailureLines(isTold ? toFailureReason(toPlainBody(reply.body), 0) : failure).join('\n');
};

/** Returns the exit code for a failed request: an invalid option is a wrong command. */
export const exitCodeOf = ({ failure }: Extract<Reply, { ok: false }>): number =>
  failure.kind === 'invalid' ? exitCodes.usage : exitCodes.analysisFailed;
