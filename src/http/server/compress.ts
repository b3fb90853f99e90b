import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { acceptsCoding } from '../input/accept.ts';

/** Min size of compressed responses: a cached summary is smaller, and is sent as it is stored. */
const minBytes = 50 * 1024;

const toBrotli = promisify(brotliCompress);

/**
 * Content codings, best first. Brotli's default level takes seconds for a megabyte; level 4 is as fast as gzip, with
 * smaller output.
 */
const codings: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: promisify(zstdCompress),
  br: bytes => toBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
};

export const chooseCoding = (header: string | undefined): string | undefined =>
  Object.keys(codings).find(coding => acceptsCoding(header, coding));

/** Compresses large responses if the client accepts it, but never the 404 page, whose headers are fixed. */
export function registerCompression(app: FastifyInstance): void {
  // This is not an async function, because most responses are small and need no waiting.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!Buffer.isBuffer(payload) || payload.length < minBytes || reply.statusCode === 404) return done(null, payload);
    if (reply.hasHeader('content-encoding')) return done(null, payload);
    reply.header('vary', 'Accept-Encoding');
    const coding = chooseCoding(request.headers['accept-encoding']);
    const compress = coding === undefined ? undefined : codings[coding];
    if (!coding || !compress) return done(null, payload);
    compress(payload).then(bytes => {
      reply.header('content-encoding', coding);
      done(null, bytes);
    }, done);
  });
}
