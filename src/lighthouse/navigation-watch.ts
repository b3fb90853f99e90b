import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';

/** A navigation that cannot become a page, in Lighthouse's own code and words. */
export class NavigationFailure extends Error {
  readonly code: string;
  readonly url: string;

  constructor(code: string, message: string, url: string) {
    super(message);
    this.url = url;
    this.name = 'NavigationFailure';
    this.code = code;
  }
}

/** A content type the browser takes as it stands and that is no HTML; what it would sniff is left to Lighthouse. */
const foreignType = (response: HTTPResponse): string | undefined => {
  const type = /^\s*([a-z]+\/[\w.+-]+)\s*(;|$)/i.exec(response.headers()['content-type'] ?? '')?.[1]?.toLowerCase();
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  return type === undefined || isHtml || type.includes('unknown') ? undefined : type;
};

const judgeResponse = (response: HTTPResponse): NavigationFailure | undefined => {
  const type = foreignType(response);
  const status = response.status();
  const url = response.url();
  if (!type || (status >= 300 && status < 400)) return undefined;
  return status >= 400
    ? new NavigationFailure('ERRORED_DOCUMENT_REQUEST', `The page answered with ${type} (Status code: ${status})`, url)
    : new NavigationFailure('NOT_HTML', `The page provided is not HTML (served as MIME type ${type}).`, url);
};

/**
 * Watches the document of a page under audit and rejects as soon as it is clear that nothing will be painted.
 * Lighthouse waits 30 s for a first paint in these cases (a download, a PDF, an endless redirect), and calls an
 * endless redirect a blank page. An aborted request alone says nothing: a script that navigates on aborts one too.
 */
export async function watchNavigation(page: Page): Promise<{ failed: Promise<never> }> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  // Lighthouse navigates to pages of the browser's own in between; only the web's count.
  const isDocument = (request: HTTPRequest) =>
    request.isNavigationRequest() && request.frame() === page.mainFrame() && /^https?:/.test(request.url());

  page.on('requestfailed', request => {
    const reason = request.failure()?.errorText ?? '';
    if (isDocument(request) && reason !== 'net::ERR_ABORTED')
      failed.reject(
        new NavigationFailure('FAILED_DOCUMENT_REQUEST', `The document failed (Details: ${reason})`, request.url()),
      );
  });
  page.on('response', response => {
    const failure = isDocument(response.request()) ? judgeResponse(response) : undefined;
    if (failure) failed.reject(failure);
  });

  const session = await page.browser().target().createCDPSession();
  session.on('Browser.downloadWillBegin', ({ url }) =>
    failed.reject(new NavigationFailure('NOT_HTML', 'The page provided is not HTML (served as a download).', url)),
  );
  await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  return { failed: failed.promise };
}
