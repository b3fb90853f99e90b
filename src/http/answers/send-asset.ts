import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsCoding } from '../input/accept.ts';

/** A file for browsers, made ready once. */
export type Asset = {
  readonly type: string;
  readonly plain: Buffer;
  /** By content coding, best first. */
  readonly coded: readonly (readonly [coding: string, bytes: Buffer])[];
};

/** For a path that holds a hash of what it leads to: it never means anything else. */
export const forever = 'public, max-age=31536000, immutable';

/** Sends a file in the best coding that the client can read. */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, { type, plain, coded }: Asset): FastifyReply {
  const header = request.headers['accept-encoding'];
  const best = coded.find(([coding]) => acceptsCoding(header, coding));
  if (best) reply.header('content-encoding', best[0]);
  return reply
    .header('content-type', type)
    .header('vary', 'Accept-Encoding')
    .send(best?.[1] ?? plain);
}
