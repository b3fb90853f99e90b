import type { FastifyInstance } from 'fastify';
import { forever, sendAsset } from '../answers/send-asset.ts';
import { ownReferrerPolicy } from '../server/security-headers.ts';
import { readWebAssets, toAsset } from './web-assets.ts';
import { type Keeping, type PageAnalyser, toPageHtml } from './web-page.ts';

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
const asks = /[?&](?:url|history|sitemap|before|after)=/;

/** `/`, the page a person opens, and its files. @param analyser what the page calls the remote side by */
export async function registerWeb(app: FastifyInstance, analyser: PageAnalyser, keeping: Keeping): Promise<void> {
  const { template, files } = await readWebAssets();
  const toPage = (isAsked: boolean) => toAsset('text/html', toPageHtml(template, { analyser, keeping, isAsked }));
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
