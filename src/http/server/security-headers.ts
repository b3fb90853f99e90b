import type { FastifyInstance } from 'fastify';

/** For pages of this service: it knows them by their Referer where browsers say nothing of sites. No other site gets it. */
export const ownReferrerPolicy = 'same-origin';

/** Where an answer does not say otherwise. */
const headers = Object.entries({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // For what is no page: nothing may come of it, even where a browser takes it for one.
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // Results carry pictures of pages, and are one client's: no cache between us and it should keep them.
  'cache-control': 'no-store',
});

/**
 * What browsers should know of our answers. A page sets its own policy for its files, and what else it needs otherwise.
 * The 404 has exactly the headers of the specification, so it gets none.
 */
export function registerSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode !== 404)
      for (const [name, value] of headers) if (!reply.hasHeader(name)) reply.header(name, value);
    done(null, payload);
  });
}
