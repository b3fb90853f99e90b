import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Swagger UI from its npm package, served from here: the reader works without the internet. */
const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

const initialiser = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).pathname,
  dom_id: '#reader',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Rangelight API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <main id="reader"><noscript>The reader needs JavaScript; the document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

// Swagger UI sets style attributes and shows icons from data URLs.
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const readAsset = (name: string): Buffer => readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));

const send = (reply: FastifyReply, type: string, body: string | Buffer) =>
  reply.header('content-type', type).header('cache-control', 'no-cache').send(Buffer.from(body));

/** `/docs` and its files. */
export function registerDocs(app: FastifyInstance): void {
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/docs',
    handler: async (_request, reply) =>
      send(reply.header('content-security-policy', contentSecurityPolicy), 'text/html; charset=utf-8', page),
  });
  app.route({
    method,
    url: '/docs/start.js',
    handler: async (_request, reply) => send(reply, 'text/javascript; charset=utf-8', initialiser),
  });
  for (const [name, type] of Object.entries(assets))
    app.route({ method, url: `/docs/${name}`, handler: async (_request, reply) => send(reply, type, readAsset(name)) });
}
