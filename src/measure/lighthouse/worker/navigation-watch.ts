import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';
import { documentLate } from '../messages.ts';

/** A failure of the page that is certain before Lighthouse would report it, with Lighthouse's code and message. */
export class PageFailureSeen extends Error {
  readonly code: string;
  /** URL of the document that failed, if one did. */
  readonly url: string | undefined;

  constructor(code: string, message: string, url?: string) {
    super(message);
    this.name = 'PageFailureSeen';
    this.code = code;
    this.url = url;
  }
}

/** A watch on a page under audit; `failed` rejects with PageFailureSeen, and never resolves. */
export type Watch = { failed: Promise<never> };

export const hung = () =>
  new PageFailureSeen('PAGE_HUNG', 'Lighthouse was unable to load the page because it stopped responding.');

export const late = (url?: string) =>
  new PageFailureSeen(documentLate, 'The document had not arrived when Lighthouse gave up waiting for it.', url);

/** Returns the content type if it is not HTML and the browser does not sniff it. Other types are left to Lighthouse. */
const foreignType = (response: HTTPResponse): string | undefined => {
  const type = /^\s*([a-z]+\/[\w.+-]+)\s*(;|$)/i.exec(response.headers()['content-type'] ?? '')?.[1]?.toLowerCase();
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  return type === undefined || isHtml || type.includes('unknown') ? undefined : type;
};

/** Returns whether the browser ignores a response and remains on its empty page. */
const isNoPage = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Returns whether a response has no content to paint and is not a redirect. */
const isEmpty = (response: HTTPResponse): boolean => {
  const headers = response.headers();
  return headers['content-length'] === '0' && headers.refresh === undefined;
};

const judgeResponse = (response: HTTPResponse): PageFailureSeen | undefined => {
  const [status, url, type] = [response.status(), response.url(), foreignType(response)];
  const fail = (code: string, message: string) => new PageFailureSeen(code, message, url);
  if (isNoPage(status)) return fail('FAILED_DOCUMENT_REQUEST', 'The document failed (Details: net::ERR_ABORTED)');
  if (status >= 300 && status < 400) return undefined;
  if (status >= 400)
    return type || isEmpty(response)
      ? fail('ERRORED_DOCUMENT_REQUEST', `The page answered with ${type ?? 'nothing'} (Status code: ${status})`)
      : undefined;
  if (type) return fail('NOT_HTML', `The page provided is not HTML (served as MIME type ${type}).`);
  return isEmpty(response) ? fail('NO_FCP', 'The page answered with nothing to paint.') : undefined;
};

/** Chrome's limit for redirects by header. Redirects by script or refresh have no limit in Chrome. */
const maxDocuments = 20;

export type NavigationWatch = Watch & {
  /** Whether the page's document is still loading. */
  readonly isLoading: boolean;
  stop(): void;
};

/**
 * Watches the document of a page under audit, and rejects as soon as it is certain that nothing will be painted. In
 * these cases (a download, a PDF, endless redirects, no content) Lighthouse waits 30 s for a first paint, and then
 * calls some of them a blank page. An aborted request alone is not certain: a script that navigates away aborts one
 * too. Later navigations of a displayed page are left to Lighthouse: they may be downloads, which do not replace the
 * page.
 * @param documentMs timeout until the document starts to arrive
 */
export async function watchNavigation(page: Page, documentMs: number): Promise<NavigationWatch> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  // Lighthouse also navigates to internal pages of the browser, which do not count.
  const isDocument = (request: HTTPRequest) =>
    request.isNavigationRequest() && request.frame() === page.mainFrame() && /^https?:/.test(request.url());
  const isShown = () => /^https?:/.test(page.mainFrame().url());
  let documents = 0;
  let loading: HTTPRequest | undefined;
  let silence: NodeJS.Timeout | undefined;
  const finish = (request: HTTPRequest) => {
    if (request === loading) loading = undefined;
  };

  page.on('request', request => {
    if (!isDocument(request)) return;
    loading = request;
    clearTimeout(silence);
    silence = setTimeout(() => failed.reject(late(request.url())), documentMs).unref();
    if (request.redirectChain().length === 0) documents += 1;
    if (documents > maxDocuments)
      failed.reject(
        new PageFailureSeen('FAILED_DOCUMENT_REQUEST', 'The page loads itself (Details: net::ERR_TOO_MANY_REDIRECTS)'),
      );
  });
  page.on('requestfinished', finish);
  page.on('requestfailed', request => {
    finish(request);
    const reason = request.failure()?.errorText ?? '';
    if (isDocument(request) && reason !== 'net::ERR_ABORTED')
      failed.reject(
        new PageFailureSeen('FAILED_DOCUMENT_REQUEST', `The document failed (Details: ${reason})`, request.url()),
      );
  });
  page.on('response', response => {
    if (!isDocument(response.request())) return;
    clearTimeout(silence);
    const failure = isShown() ? undefined : judgeResponse(response);
    if (failure) failed.reject(failure);
  });

  const session = await page.browser().target().createCDPSession();
  session.on('Browser.downloadWillBegin', ({ url }) => {
    if (!isShown())
      failed.reject(new PageFailureSeen('NOT_HTML', 'The page provided is not HTML (served as a download).', url));
  });
  await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  return {
    failed: failed.promise,
    get isLoading() {
      return loading !== undefined;
    },
    stop: () => clearTimeout(silence),
  };
}
