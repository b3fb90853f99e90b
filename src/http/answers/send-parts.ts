import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { acceptsCoding } from '../input/accept.ts';
import { ClientDisconnected } from '../server/client-signal.ts';
import { chooseCoding } from '../server/compress.ts';
import { logCutOff } from '../server/request-log.ts';
import { toGzip } from './gzip-parts.ts';
import { isBytes, type JsonParts, type PartSource, toBytes, toPlainBytes, turnBytes } from './json-parts.ts';
import { toFailure } from './problem.ts';

/** Ends the stream without an error when the client disconnects. */
async function* untilClientDisconnects(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    if (!(error instanceof ClientDisconnected)) throw error;
  }
}

/** Sends bytes as they arrive, at most one piece ahead of the reader. */
function sendPieces(reply: FastifyReply, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): FastifyReply {
  const stream = Readable.from(untilClientDisconnects(pieces), { objectMode: true, highWaterMark: 1 });
  stream.once('error', error => logCutOff(reply, toFailure(error)));
  return reply.send(stream);
}

const acceptsGzip = ({ request }: FastifyReply): boolean => acceptsCoding(request.headers['accept-encoding'], 'gzip');

/** Sends a response while it is generated. Packed pieces are sent in their stored coding if the client accepts it. */
export function streamParts(reply: FastifyReply, parts: PartSource, contentType: string): FastifyReply {
  reply.code(200).header('content-type', contentType).header('vary', 'Accept-Encoding');
  if (!acceptsGzip(reply)) return sendPieces(reply, toPlainBytes(parts));
  return sendPieces(reply.header('content-encoding', 'gzip'), toGzip(parts));
}

const lengthOf = (pieces: readonly { length: number }[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** Sends complete JSON. A large result is sent as it is stored, in slices, or unpacked while it is read. */
export async function sendParts(reply: FastifyReply, parts: JsonParts): Promise<FastifyReply> {
  reply.code(200).header('content-type', 'application/json');
  const isSentWhole = lengthOf(parts) <= turnBytes || chooseCoding(reply.request.headers['accept-encoding']);
  if (parts.every(isBytes) && isSentWhole) return reply.send(toBytes(parts));
  reply.header('vary', 'Accept-Encoding');
  if (!acceptsGzip(reply)) return sendPieces(reply.header('content-length', lengthOf(parts)), toPlainBytes(parts));
  const pieces: Buffer[] = [];
  for await (const piece of toGzip(parts)) pieces.push(piece);
  return sendPieces(reply.header('content-encoding', 'gzip').header('content-length', lengthOf(pieces)), pieces);
}
