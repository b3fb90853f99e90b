import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';
import { PageFailureSeen, type Watch } from './page-failure-seen.ts';

/** A content type the browser takes as it stands and that is no HTML; what it would sniff is left to Lighthouse. */
const foreignType = (response: HTTPResponse): string | undefined => {
  const type = /^\s*([a-z]+\/[\w.+-]+)\s*(;|$)/i.exec(response.headers()['content-type'] ?? '')?.[1]?.toLowerCase();
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  return type === undefined || isHtml || type.includes('unknown') ? undefined : type;
};

/** The browser stays where it was, on its own empty page. */
const isNoPage = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Nothing to paint, and no other place to go to. */
const isEmpty = (response: HTTPResponse): boolean => {
  const headers = response.headers();
  return headers['content-length'] === '0' && headers.refresh === undefined;
};

const judgeResponse = (response: HTTPResponse): PageFailureSeen | undefined => {
  const [status, url, type] = [response.status(), response.url(), foreignType(response)];
  const fail = (code: string, message: string) => new PageFailureSeen(code, message, url);
  if (isNoPage(status)) return fail('FAILED_DOCUMENT_REQUEST', `The document failed (Details: net::ERR_ABORTED)`);
  if (status >= 300 && status < 400) return undefined;
  if (status >= 400)
    return type || isEmpty(response)
      ? fail('ERRORED_DOCUMENT_REQUEST', `The page answered with ${type ?? 'nothing'} (Status code: ${status})`)
      : undefined;
  if (type) return fail('NOT_HTML', `The page provided is not HTML (served as MIME type ${type}).`);
  return isEmpty(response) ? fail('NO_FCP', 'The page answered with nothing to paint.') : undefined;
};

/**
 * Watches the document of a page under audit and rejects as soon as it is clear that nothing will be painted.
 * Lighthouse waits 30 s for a first paint in these cases (a download, a PDF, an endless redirect, no content), and
 * calls an endless redirect a blank page. An aborted request alone says nothing: a script that navigates on aborts
 * one too.
 */
export async function watchNavigation(page: Page): Promise<Watch> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  // Lighthouse navigates to pages of the browser's own in between; only the web's count.
  const isDocument = (request: HTTPRequest) =>
    request.isNavigationRequest() && request.frame() === page.mainFrame() && /^https?:/.test(request.url());

  page.on('requestfailed', request => {
    const reason = request.failure()?.errorText ?? '';
    if (isDocument(request) && reason !== 'net::ERR_ABORTED')
      failed.reject(
        new PageFailureSeen('FAILED_DOCUMENT_REQUEST', `The document failed (Details: ${reason})`, request.url()),
      );
  });
  page.on('response', response => {
    const failure = isDocument(response.request()) ? judgeResponse(response) : undefined;
    if (failure) failed.reject(failure);
  });

  const session = await page.browser().target().createCDPSession();
  session.on('Browser.downloadWillBegin', ({ url }) =>
    failed.reject(new PageFailureSeen('NOT_HTML', 'The page provided is not HTML (served as a download).', url)),
  );
  await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  return { failed: failed.promise };
}
