/** Requests of the commands to a service, and how a command ends if one fails. */
import { askForPage, type Reply } from '../api-client/ask-service.ts';
import type { ServiceCall } from '../api-client/plan.ts';
import { toFailureReason } from '../presentation/errors-in-words.ts';
import { exitCodes } from './command-context.ts';
import { toFailureLines } from './text/table-cells.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';

/** Ends a command with a sentence for the user. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.analysisFailed) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}

/** End of a cancelled command that continues where it stopped if it is run again. */
export const sayStopped = 'Stopped. Run the same command again to continue.';

export type Asking = { readonly baseUrl: string; readonly apiKey: string | undefined; readonly signal: AbortSignal };

/** Sends a request to a service. @throws the signal's reason */
export const send = (
  call: Omit<ServiceCall, 'lanes'> & Partial<ServiceCall>,
  { baseUrl, apiKey, signal }: Asking,
  onEvent: Parameters<typeof askForPage>[1] = () => {},
): Promise<Reply> =>
  askForPage({ lanes: [], ...call }, onEvent, {
    ...{ apiKey, signal },
    fetch: (target, init) => fetch(new URL(String(target), baseUrl), init),
  });

/** Requests JSON from a service. @throws the signal's reason */
export const askForJson = (path: string, asking: Asking): Promise<Reply> => send({ method: 'GET', path }, asking);

/** Describes a failure, with advice. */
export const sayFailure = (reply: Extract<Reply, { ok: false }>): string => {
  const { failure } = reply;
  const isTold = failure.kind === 'problem' || failure.kind === 'invalid';
  return toFailureLines(isTold ? toFailureReason(toPlainBody(reply.body), 0) : failure).join('\n');
};

/**
 * Returns the body of a reply. An invalid option, which only the service can know, is a wrong command.
 * @param about subject of the failure
 * @throws CommandFailure
 */
export function bodyOf(reply: Reply, about = ''): unknown {
  if (reply.ok) return reply.body;
  const exitCode = reply.failure.kind === 'invalid' ? exitCodes.usage : exitCodes.analysisFailed;
  throw new CommandFailure(`${about}${sayFailure(reply)}`, exitCode);
}

/** @throws CommandFailure, the signal's reason */
export const ask = async (path: string, asking: Asking): Promise<unknown> => bodyOf(await askForJson(path, asking));

type NewNote = { readonly text: string; readonly time?: string | undefined; readonly link?: string | undefined };

/** @throws CommandFailure, the signal's reason */
export const addNote = async (note: NewNote & ({ site: string } | { url: string }), asking: Asking): Promise<unknown> =>
  bodyOf(await send({ method: 'POST', path: 'notes', body: JSON.stringify(note) }, asking));
