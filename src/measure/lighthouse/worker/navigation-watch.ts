import { setTimeout as delay } from 'node:timers/promises';
import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';
import { appLink, documentLate } from '../messages.ts';
import type { RefusedOrigins } from './certificate-errors.ts';

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

export const hung = () =>
  new PageFailureSeen('PAGE_HUNG', 'Lighthouse was unable to load the page because it stopped responding.');

export const late = (url?: string) =>
  new PageFailureSeen(documentLate, 'The document had not arrived when Lighthouse gave up waiting for it.', url);

/** The failure of a page that leads to an app. The message begins with the scheme. */
export const toApp = (url: string) =>
  new PageFailureSeen(appLink, `${/^[^:]*:(\/\/)?/.exec(url)?.[0] ?? ''} is a scheme that no browser shows.`);

/** Returns the content type that the browser uses: the last valid one, if there are several. */
const typeOf = (response: HTTPResponse): string | undefined =>
  (response.headers()['content-type'] ?? '')
    .split(/[,\n]/)
    .flatMap(value => /^\s*([a-z]+\/[\w.+-]+)\s*(;|$)/i.exec(value)?.[1]?.toLowerCase() ?? [])
    .at(-1);

/** Returns the content type if it is not HTML and the browser does not sniff it. Other types are left to Lighthouse. */
const foreignType = (response: HTTPResponse): string | undefined => {
  const type = typeOf(response);
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  return type === undefined || isHtml || type.includes('unknown') ? undefined : type;
};

/** Returns whether the browser ignores a response and remains on its empty page. */
const isNoPage = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Returns whether a response has no content to paint and is not a redirect. */
const isEmpty = (response: HTTPResponse): boolean => response.headers()['content-length'] === '0';

export const errorStatus = (status: number, url?: string, content = 'nothing') =>
  new PageFailureSeen('ERRORED_DOCUMENT_REQUEST', `The page answered with ${content} (Status code: ${status})`, url);

/** @param download the failure, if the response is already known to be a download */
const judgeResponse = (response: HTTPResponse, download?: PageFailureSeen): PageFailureSeen | undefined => {
  const [status, url, type] = [response.status(), response.url(), foreignType(response)];
  const fail = (code: string, message: string) => new PageFailureSeen(code, message, url);
  if (isNoPage(status)) return fail('FAILED_DOCUMENT_REQUEST', 'The document failed (Details: net::ERR_ABORTED)');
  if (status >= 300 && status < 400) return undefined;
  if (status >= 400 && isEmpty(response)) return errorStatus(status, url);
  // Whatever the response contains, the browser leaves it for the page that this header names.
  if (response.headers().refresh !== undefined) return undefined;
  if (status >= 400) return type ? errorStatus(status, url, type) : undefined;
  if (type) return fail('NOT_HTML', `The page provided is not HTML (served as MIME type ${type}).`);
  return isEmpty(response) ? fail('NO_FCP', 'The page answered with nothing to paint.') : download;
};

/** Returns whether a URL leads to an app: a redirect or script may have such a target, but no browser shows it. */
export const leadsToApp = (url: string): boolean =>
  /^[a-z][a-z\d+.-]*:/i.test(url) &&
  !/^(https?|about|data|blob|file|filesystem|javascript|chrome|chrome-[a-z]+|devtools|view-source|ws|wss|ftp):/i.test(
    url,
  );

/** Time for a page to paint, or to lead to another page, after it has led to an app that is not installed. */
const afterAppMs = 3_000;

/** Returns whether a policy of the response sandboxes its document without permitting scripts. */
const forbidsScripts = (response: HTTPResponse): boolean =>
  (response.headers()['content-security-policy'] ?? '')
    .split(/[,;\n]/)
    .some(directive => /^\s*sandbox(\s|$)/i.test(directive) && !/\ballow-scripts\b/i.test(directive));

/** Chrome's limit for redirects by header. Redirects by script or refresh have no limit in Chrome. */
const maxDocuments = 20;

/**
 * Watches the document of a page under audit, and rejects as soon as it is certain that nothing will be painted. In
 * these cases (a download, a PDF, endless redirects, no content) Lighthouse waits 30 s for a first paint, and then
 * calls some of them a blank page. An aborted request alone is not certain: a script that navigates away aborts one
 * too. Later navigations of a displayed page are left to Lighthouse: they may be downloads, which do not replace the
 * page.
 * @param documentMs timeout until the document starts to arrive
 */
export async function watchNavigation(page: Page, documentMs: number, refused: RefusedOrigins) {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  /** After the load, the page is measured, wherever it goes. */
  const fail = (failure: PageFailureSeen) => hasLoaded || failed.reject(failure);
  // Lighthouse also navigates to internal pages of the browser, which do not count.
  const isDocument = (request: HTTPRequest) =>
    request.isNavigationRequest() && request.frame() === page.mainFrame() && /^https?:/.test(request.url());
  const isShown = () => /^https?:/.test(page.mainFrame().url());
  let documents = 0;
  let loading: HTTPRequest | undefined;
  let silence: NodeJS.Timeout | undefined;
  let status: number | undefined;
  let isWithoutScripts = false;
  let hasLoaded = false;
  let isGathered = false;
  let leftFor: string | undefined;
  let download: PageFailureSeen | undefined;
  const leave = (url: string) => {
    if (hasLoaded && !isGathered) leftFor ??= url;
  };
  const pending = new Set<HTTPRequest>();
  const finish = (request: HTTPRequest) => {
    pending.delete(request);
    if (request !== loading) return;
    loading = undefined;
    clearTimeout(silence);
  };

  /** Fails if an error status came without content. */
  async function judgeContent(response: HTTPResponse | null): Promise<void> {
    if (!response || response.status() < 400) return;
    if ((await response.buffer()).length === 0) fail(errorStatus(response.status(), response.url()));
  }

  /** Fails if the page has led to an app, and then neither painted nor loaded anything. */
  async function judgeAppLink(url: string): Promise<void> {
    const before = documents;
    await delay(afterAppMs, undefined, { ref: false });
    const isPainted = await page.evaluate('performance.getEntriesByName("first-contentful-paint").length > 0');
    if (!isPainted && documents === before && pending.size === 0) fail(toApp(url));
  }

  page.on('request', request => {
    pending.add(request);
    if (!isDocument(request)) return;
    loading = request;
    clearTimeout(silence);
    silence = setTimeout(() => fail(late(request.url())), documentMs).unref();
    if (request.redirectChain().length === 0) documents += 1;
    if (documents > maxDocuments)
      fail(
        new PageFailureSeen('FAILED_DOCUMENT_REQUEST', 'The page loads itself (Details: net::ERR_TOO_MANY_REDIRECTS)'),
      );
  });
  page.on('requestfinished', request => {
    finish(request);
    if (isDocument(request)) judgeContent(request.response()).catch(() => {});
  });
  page.on('requestfailed', request => {
    finish(request);
    const url = request.url();
    if (request.isNavigationRequest() && request.frame() === page.mainFrame() && leadsToApp(url)) {
      if (isShown()) judgeAppLink(url).catch(() => {});
      else fail(toApp(url));
    }
    const reason = refused.get(URL.parse(url)?.origin ?? '') ?? request.failure()?.errorText ?? '';
    if (!isDocument(request) || reason === 'net::ERR_ABORTED') return;
    leave(url);
    // Chrome shows a page of its own if an error status comes without content, as a download, or with a part only.
    const answered = request.response()?.status() ?? 0;
    if (answered >= 400) return fail(errorStatus(answered, url));
    fail(new PageFailureSeen('FAILED_DOCUMENT_REQUEST', `The document failed (Details: ${reason})`, url));
  });
  page.on('response', response => {
    if (!isDocument(response.request())) return;
    clearTimeout(silence);
    // Lighthouse itself loads a gathered page again, to try the back/forward cache.
    if (!isGathered) status = response.status();
    isWithoutScripts = forbidsScripts(response);
    leave(response.url());
    const failure = isShown() ? undefined : judgeResponse(response, download);
    if (failure) fail(failure);
  });

  const session = await page.browser().target().createCDPSession();
  session.on('Browser.downloadWillBegin', ({ url }) => {
    if (isShown()) return;
    download = new PageFailureSeen('NOT_HTML', 'The page provided is not HTML (served as a download).', url);
    // This event may overtake that of the response, which names the content type.
    if (!loading || loading.response()) fail(download);
  });
  await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  return {
    /** Rejects with PageFailureSeen, and never resolves. */
    failed: failed.promise,
    /** Whether the page's document is still loading. */
    get isLoading(): boolean {
      return loading !== undefined;
    },
    /** Status of the last document that the browser received; undefined if it received none. */
    get status(): number | undefined {
      return status;
    },
    /** Whether the last document forbids its own scripts, so that Lighthouse's cannot run either. */
    get isWithoutScripts(): boolean {
      return isWithoutScripts;
    },
    /** URLs of the page's requests that have not ended, in order. */
    get pending(): readonly string[] {
      return [...pending].map(request => request.url());
    },
    /** URL of another document that replaced the page after `markLoaded` and before `stop`. */
    get leftFor(): string | undefined {
      return leftFor;
    },
    markLoaded(): void {
      hasLoaded = true;
      clearTimeout(silence);
    },
    stop(): void {
      isGathered = true;
      clearTimeout(silence);
    },
  };
}
export type NavigationWatch = Awaited<ReturnType<typeof watchNavigation>>;
