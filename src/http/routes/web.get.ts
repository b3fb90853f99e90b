import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isAccepted } from './compress.ts';
import { type Asset, readWebAssets } from './web-assets.ts';

/** Nothing from elsewhere, nothing inline, and no text ever becomes markup but through the one library's templates. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

function send(request: FastifyRequest, reply: FastifyReply, { type, plain, coded }: Asset): FastifyReply {
  const header = `${request.headers['accept-encoding'] ?? ''}`;
  const best = coded.find(([coding]) => isAccepted(header, coding));
  if (best) reply.header('content-encoding', best[0]);
  return reply
    .header('content-type', type)
    .header('vary', 'Accept-Encoding')
    .send(best?.[1] ?? plain);
}

/** `/`, the page a person opens, and its files. */
export function registerWeb(app: FastifyInstance): void {
  const { page, files } = readWebAssets();
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/',
    handler: async (request, reply) =>
      send(
        request,
        reply
          .header('content-security-policy', contentSecurityPolicy)
          .header('referrer-policy', 'no-referrer')
          .header('cache-control', 'no-cache'),
        page,
      ),
  });
  for (const [url, asset] of files)
    app.route({
      method,
      url,
      handler: async (request, reply) =>
        send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), asset),
    });
}
