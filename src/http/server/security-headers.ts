import type { FastifyInstance } from 'fastify';

/**
 * Referrer policy of the service's pages: without `Sec-Fetch-Site`, their requests are identified by their Referer.
 * Other sites do not get it.
 */
export const ownReferrerPolicy = 'same-origin';

const headers = Object.entries({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Policy for responses that are not pages: nothing may load or run, even if a browser displays one as a page.
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // Results belong to one client and contain images of its pages, so no cache may store them.
  'cache-control': 'no-store',
});

/**
 * Sets security headers. Routes of pages set their own policy. The 404 of an unknown path has exactly the headers
 * of the specification, so none are added.
 */
export function registerSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // A wrong method has no route either.
    if (!request.is404 || reply.statusCode !== 404)
      for (const [name, value] of headers) if (!reply.hasHeader(name)) reply.header(name, value);
    done(null, payload);
  });
}
