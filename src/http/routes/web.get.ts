import type { FastifyInstance } from 'fastify';
import { forever, sendAsset } from '../answers/send-asset.ts';
import { namesHtml } from '../input/accept.ts';
import { ownReferrerPolicy } from '../server/security-headers.ts';
import { readWebAssets, toAsset } from './web-assets.ts';
import { type PageFacts, toPageHtml } from './web-page.ts';

/** Nothing from elsewhere, nothing inline, and no text ever becomes markup but through the one library's templates. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

/** What the page is opened with for something to show. What is in the fragment no server sees. */
const asks = /[?&](?:url|history|sitemap|before|after|result|view)=/;

/** A result that a person opens as a page: by its path, or by its short one. */
const resultPath = /^\/(?:results|r)\/([^/?]+)$/;

/**
 * Leads a browser that opens a result to the page that shows it. Programs get the JSON: only a navigation names HTML.
 * The page asks for the result itself, with its key where there is one, so this comes before a key is asked for.
 */
export function registerResultPages(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const id = request.method === 'GET' ? resultPath.exec(request.url)?.[1] : undefined;
    if (id === undefined) return done();
    reply.header('vary', 'Accept');
    if (!namesHtml(request.headers.accept)) return done();
    // Relative: the service may stand below a prefix.
    reply.header('cache-control', 'no-cache').redirect(`../?result=${id}`, 302);
  });
}

/** `/`, the page a person opens, and its files. @param facts what the page says of its service */
export async function registerWeb(app: FastifyInstance, facts: Omit<PageFacts, 'isAsked'>): Promise<void> {
  const { template, files } = await readWebAssets();
  const toPage = (isAsked: boolean) => toAsset('text/html', toPageHtml(template, { ...facts, isAsked }));
  const [page, askedPage] = [toPage(false), toPage(true)];
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/',
    handler: async (request, reply) =>
      sendAsset(
        request,
        reply
          .header('content-security-policy', contentSecurityPolicy)
          .header('referrer-policy', ownReferrerPolicy)
          .header('cache-control', 'no-cache'),
        asks.test(request.url) ? askedPage : page,
      ),
  });
  for (const [url, asset] of files)
    app.route({
      method,
      url,
      handler: async (request, reply) => sendAsset(request, reply.header('cache-control', forever), asset),
    });
}
