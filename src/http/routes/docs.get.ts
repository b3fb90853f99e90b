import type { FastifyInstance } from 'fastify';
import { forever, sendAsset } from '../answers/send-asset.ts';
import { ownReferrerPolicy } from '../server/security-headers.ts';
import { docsBase, docsFiles, readDocsAsset } from './docs-assets.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Rangelight API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${docsBase}swagger-ui.css">
  </head>
  <body>
    <main id="reader"><noscript>The reader needs JavaScript; the document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript></main>
    <script src="${docsBase}swagger-ui-bundle.js"></script>
    <script src="${docsBase}start.js"></script>
  </body>
</html>
`;

// Swagger UI sets style attributes and shows icons from data URLs.
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `/docs` and its files. */
export function registerDocs(app: FastifyInstance): void {
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/docs',
    handler: async (_request, reply) =>
      reply
        .header('content-security-policy', contentSecurityPolicy)
        .header('content-type', 'text/html; charset=utf-8')
        .header('referrer-policy', ownReferrerPolicy)
        .header('cache-control', 'no-cache')
        .send(Buffer.from(page)),
  });
  for (const name of docsFiles)
    app.route({
      method,
      url: `${docsBase}${name}`,
      handler: async (request, reply) =>
        sendAsset(request, reply.header('cache-control', forever), await readDocsAsset(name)),
    });
}
