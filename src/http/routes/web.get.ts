import type { FastifyInstance } from 'fastify';
import { forever, sendAsset, toAsset } from '../answers/send-asset.ts';
import { namesHtml } from '../input/accept.ts';
import { ownReferrerPolicy } from '../server/security-headers.ts';
import { readWebAssets } from './web-assets.ts';
import { type PageFacts, toPageHtml } from './web-page.ts';

/** Forbids other origins and inline code. Text becomes markup only through the templates of one library. */
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

/** Query parameters that request a view. The fragment is never sent to the server. */
const asks = /[?&](?:url|history|sitemap|before|after|result|view|experiment)=/;

/** Path or short path of a result that a user opens as a page. */
const resultPath = /^\/(?:results|r)\/([^/?]+)$/;

/**
 * Redirects a browser that opens a result to the page that displays it. Programs get JSON: only a navigation accepts
 * HTML. The page requests the result itself, with its key if necessary, so this runs before the check of keys.
 */
export function registerResultPages(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const id = request.method === 'GET' ? resultPath.exec(request.url)?.[1] : undefined;
    if (id === undefined) return done();
    reply.header('vary', 'Accept');
    if (!namesHtml(request.headers.accept)) return done();
    // The redirect is relative, because the service may be served under a prefix.
    reply.header('cache-control', 'no-cache').redirect(`../?result=${id}`, 302);
  });
}

/** Registers the web page `/` and its files. @param facts facts of the service that the page displays */
export async function registerWeb(app: FastifyInstance, facts: Omit<PageFacts, 'isAsked'>): Promise<void> {
  const { template, files } = await readWebAssets();
  const toPage = (isAsked: boolean) => toAsset('text/html', toPageHtml(template, { ...facts, isAsked }));
  const [page, askedPage] = await Promise.all([toPage(false), toPage(true)]);
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
