import { type DebugRecords, type DebugRequest, toDebugHeaders } from './debug-records.ts';
import { type ExceptionFacts, toExceptionFacts } from './exception-facts.ts';
import { escapeHtml, toHtmlPage } from './html-page.ts';

/** An unrouted request as received: undecoded, with its query. */
export type UnroutedRequest = {
  readonly method: string;
  readonly scheme: string;
  /** Host with the port, if the client sent one. */
  readonly host: string;
  readonly path: string;
  readonly referer?: string | undefined;
};

export type ErrorPage = {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly advice?: string | undefined;
  /** Facts of the exception, in debug mode only. */
  readonly debug?: (Pick<ExceptionFacts, 'className' | 'file' | 'line'> & { readonly token: string }) | undefined;
};

export type HtmlResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

type NotFoundOptions = {
  /** Records of debug mode, which add headers to the response; absent in other modes. */
  readonly records?: DebugRecords | undefined;
  readonly render?: (page: ErrorPage) => string;
  /** Called if the page could not be rendered; the client still gets an answer. */
  readonly onRenderFailure?: (failure: unknown) => void;
};

const HEADERS = {
  'content-type': 'text/html; charset=UTF-8',
  'cache-control': 'no-cache, private',
  vary: 'Accept',
} as const;

const TITLE = 'No page at this URL';
const ADVICE = 'Check the URL for typos. The documentation lists every path.';

class RouteNotFoundError extends Error {
  override readonly name = 'RouteNotFoundError';
}

/** Returns the specification's message. The path is as received, without its query. */
export function toNotFoundMessage({ method, scheme, host, path, referer }: UnroutedRequest): string {
  const message = `No route found for "${method} ${toUrl({ scheme, host, path })}"`;
  // Programs may send a Referer with a password, which browsers remove.
  return referer ? `${message} (from "${referer.replace(/^(\w+:\/\/)[^/?#]*@/, '$1')}")` : message;
}

export function renderErrorPage({ status, title, message, advice, debug }: ErrorPage): string {
  return toHtmlPage({
    title,
    body: `<p class="status">Error ${status}</p>
<h1>${escapeHtml(title)}</h1>
<p class="message"><code>${escapeHtml(message)}</code></p>
${debug ? renderDebugFacts(debug) : ''}${advice ? `<p>${escapeHtml(advice)}</p>\n` : ''}<p><a class="way" href="/docs">Read the API documentation</a></p>`,
  });
}

/** Renders the HTML form of the 404, without `x-robots-tag`. Never throws, even if `render` does. */
export function createNotFound({
  records,
  render = renderErrorPage,
  onRenderFailure,
}: NotFoundOptions = {}): (request: UnroutedRequest) => HtmlResponse {
  return request => {
    const error = new RouteNotFoundError(toNotFoundMessage(request));
    const shown: DebugRequest = { method: request.method, url: toUrl(request) };
    const first = records && { error, token: records.add(error, shown) };
    try {
      return respond(request, render(toErrorPage(error, first?.token)), first);
    } catch (failure) {
      const second = records && { error: failure, token: records.add(failure, shown), previousToken: first?.token };
      onRenderFailure?.(failure);
      return respond(request, renderPlainly(error.message), second);
    }
  };
}

function respond(
  { scheme, host }: UnroutedRequest,
  body: string,
  failure: { readonly error: unknown; readonly token: string; readonly previousToken?: string | undefined } | undefined,
): HtmlResponse {
  const debugHeaders = failure ? toDebugHeaders({ ...failure, baseUrl: `${scheme}://${host}` }) : {};
  return { status: 404, headers: { ...HEADERS, ...debugHeaders }, body };
}

function toErrorPage(error: Error, token: string | undefined): ErrorPage {
  const page = { status: 404, title: TITLE, message: error.message, advice: ADVICE };
  return token === undefined ? page : { ...page, debug: { ...toExceptionFacts(error), token } };
}

// The plain page shares only the escaping with the page that has just failed.
function renderPlainly(message: string): string {
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${TITLE}</title><p>${escapeHtml(message)}</p></html>\n`;
}

function renderDebugFacts({ className, file, line, token }: NonNullable<ErrorPage['debug']>): string {
  const shownToken = escapeHtml(token);
  return `<dl>
<dt>Exception</dt><dd><code>${escapeHtml(className)}</code></dd>
<dt>Thrown at</dt><dd><code>${escapeHtml(`${file}:${line}`)}</code></dd>
<dt>Record</dt><dd><a href="/_debug/${encodeURIComponent(token)}"><code>${shownToken}</code></a></dd>
</dl>
`;
}

function toUrl({ scheme, host, path }: Pick<UnroutedRequest, 'scheme' | 'host' | 'path'>): string {
  // In the form of a request line for proxies, the path repeats scheme and host.
  const [received = ''] = path.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1);
  return `${scheme}://${host}${received}`;
}
