import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type Asset, forever, sendAsset, toAsset } from '../answers/send-asset.ts';
import { ownReferrerPolicy } from '../server/security-headers.ts';

/*
 * Serves Swagger UI from its npm package, so that it works without the internet. It is prepared at the first request.
 */

const initialiser = `SwaggerUIBundle({
  url: new URL('../../openapi.json', document.currentScript.src).pathname,
  dom_id: '#reader',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const fileOf = (name: string): string => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));

const types = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'start.js': 'text/javascript',
} as const;
type DocsFile = keyof typeof types;
export const docsFiles = Object.keys(types) as readonly DocsFile[];

/** Version of the package, which identifies its files. */
const { version } = JSON.parse(readFileSync(fileOf('package.json'), 'utf8')) as { version: string };
const hash = createHash('sha256').update(`${version}\0${initialiser}`).digest('base64url').slice(0, 12);
export const docsBase = `/docs/${hash}/`;

const makeAsset = async (name: DocsFile): Promise<Asset> =>
  toAsset(types[name], name === 'start.js' ? initialiser : await readFile(fileOf(name)));

const made = new Map<DocsFile, Promise<Asset>>();

/** Returns a file, shared by all services of a process. After a failure, the next call tries again. */
export function readDocsAsset(name: DocsFile): Promise<Asset> {
  const before = made.get(name);
  if (before) return before;
  const asset = makeAsset(name);
  made.set(name, asset);
  asset.catch(() => made.delete(name));
  return asset;
}

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
