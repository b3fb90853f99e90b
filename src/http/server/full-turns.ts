/**
 * The one bound on whole results in memory: each may be 32 MB unpacked. Clients take turns, and a client with many
 * requests has at most half of the turns.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, createTurns, type Turns } from '../../measure/fair-turns.ts';
import type { ToClientId } from '../access/api-keys.ts';
import { clientSignal, onceClosed } from './client-signal.ts';

/** Max time that a client may take to read a whole result: 30 MB at 2 Mbit/s. */
const maxReadMs = 120_000;

/** Sends a response in a turn that ends with it. The response is cut off if the client takes too long to read it. */
type SendInTurn = (send: () => Promise<FastifyReply>, reply: FastifyReply, caller: Caller) => Promise<FastifyReply>;

export type FullTurns = {
  /** Runs work that loads a whole result and hands it to the thread. */
  readonly read: Turns;
  /** Does such work, and sends a response that may be as large as the result. */
  readonly sendWhole: SendInTurn;
  /** Sends a whole result that is unpacked while the client reads it. */
  readonly sendStream: SendInTurn;
};

const toSender =
  (takeTurn: Turns): SendInTurn =>
  (send, reply, caller) => {
    const { promise, resolve, reject } = Promise.withResolvers<FastifyReply>();
    const sendInTurn = async () => {
      resolve(await send());
      const late = setTimeout(() => reply.raw.destroy(), maxReadMs);
      await new Promise<void>(done => onceClosed(reply, done));
      clearTimeout(late);
    };
    takeTurn(sendInTurn, caller).catch(reject);
    return promise;
  };

export function createFullTurns(): FullTurns {
  const read = createTurns({ atOnce: 4, perClient: 1, mostWaiting: 64 });
  return { read, sendWhole: toSender(read), sendStream: toSender(createTurns({ atOnce: 8, perClient: 4 })) };
}

/** Returns the client of a request for its turns. */
export const toCaller = (toClientId: ToClientId, request: FastifyRequest, reply: FastifyReply): Caller => ({
  client: toClientId(request),
  signal: clientSignal(reply),
});
