import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Answers from here on: a cached summary stays below and is sent as it is stored. */
const minBytes = 50 * 1024;

const toBrotli = promisify(brotliCompress);

/** Best first. Brotli's usual level takes seconds for a megabyte; at 4 it is as fast as gzip and smaller. */
const codings: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: promisify(zstdCompress),
  br: bytes => toBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
};

/** Whether the header names this coding and does not forbid it (RFC 9110, 12.5.3). */
export const isAccepted = (header: string, coding: string): boolean =>
  header.split(',').some(part => {
    const [name = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase());
    return name === coding && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter));
  });

export const chooseCoding = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : Object.keys(codings).find(coding => isAccepted(header, coding));

/** Compresses large answers for callers that can read it; never the 404 page, whose headers are fixed. */
export function registerCompression(app: FastifyInstance, isOwnCall: (request: FastifyRequest) => boolean): void {
  // Not an async function: most answers are small, and wait for nothing.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!Buffer.isBuffer(payload) || payload.length < minBytes || reply.statusCode === 404) return done(null, payload);
    if (reply.hasHeader('content-encoding')) return done(null, payload);
    reply.header('vary', 'Accept-Encoding');
    const coding = isOwnCall(request) ? undefined : chooseCoding(request.headers['accept-encoding']);
    const compress = coding === undefined ? undefined : codings[coding];
    if (!coding || !compress) return done(null, payload);
    compress(payload).then(bytes => {
      reply.header('content-encoding', coding);
      done(null, bytes);
    }, done);
  });
}
