import { randomBytes } from 'node:crypto';
import { type ExceptionFacts, toExceptionFacts } from './exception-facts.ts';
import { escapeHtml, toHtmlPage } from './html-page.ts';

type DebugHeaderFacts = {
  readonly error: unknown;
  readonly token: string;
  /** Token of the preceding failure, if the error page itself failed. */
  readonly previousToken?: string | undefined;
  /** Scheme and host as the client sent them, without a trailing slash. */
  readonly baseUrl: string;
};

const MAX_MESSAGE_BYTES = 2000;

/** Headers of debug mode. Every value is printable ASCII, even if the error contains other characters. */
export function toDebugHeaders({ error, token, previousToken, baseUrl }: DebugHeaderFacts): Record<string, string> {
  const { message, file, line } = toExceptionFacts(error);
  return {
    'x-debug-exception': percentEncode(cutToBytes(message, MAX_MESSAGE_BYTES)),
    'x-debug-exception-file': `${percentEncode(file)}:${line}`,
    'x-debug-token': token,
    'x-debug-token-link': toPrintable(toDebugLink(baseUrl, token)),
    ...(previousToken === undefined ? {} : { 'x-previous-debug-token': previousToken }),
  };
}

function toDebugLink(baseUrl: string, token: string): string {
  return `${baseUrl}/_debug/${token}`;
}

// Encodes by RFC 3986, like PHP's rawurlencode: encodeURIComponent leaves five more characters unencoded.
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function toPrintable(url: string): string {
  return url.toWellFormed().replace(/[^!-~]+/g, encodeURIComponent);
}

/** The failed request. Its URL has no query, which may contain a key. */
export type DebugRequest = { readonly method: string; readonly url: string };

export type DebugRecord = DebugRequest & {
  readonly token: string;
  readonly time: Date;
  readonly exception: ExceptionFacts;
};

export type DebugRecords = {
  /** Stores the facts of an exception, not the exception itself. @returns its token, 6 hex digits */
  readonly add: (error: unknown, request: DebugRequest) => string;
  readonly get: (token: string) => DebugRecord | undefined;
};

type DebugRecordsOptions = {
  /** Max number of records; the oldest is dropped. */
  readonly max: number;
  readonly now?: () => Date;
  readonly createToken?: () => string;
};

/** In-memory records for debug mode, which `x-debug-token-link` opens. */
export function createDebugRecords({
  max,
  now = () => new Date(),
  createToken = () => randomBytes(3).toString('hex'),
}: DebugRecordsOptions): DebugRecords {
  const records = new Map<string, DebugRecord>();

  function add(error: unknown, { method, url }: DebugRequest): string {
    let token = createToken();
    while (records.has(token)) token = createToken();
    records.set(token, { token, time: now(), method, url, exception: toExceptionFacts(error) });
    for (const oldest of records.keys()) {
      if (records.size <= max) break;
      records.delete(oldest);
    }
    return token;
  }

  return { add, get: token => records.get(token) };
}

export function renderDebugRecord({ token, time, method, url, exception }: DebugRecord): string {
  const { className, message, file, line, frames } = exception;
  return toHtmlPage({
    title: `Debug record ${token}`,
    body: `<p class="status">Debug record <code>${escapeHtml(token)}</code></p>
<h1>${escapeHtml(className)}</h1>
<p class="message"><code>${escapeHtml(message)}</code></p>
<dl>
<dt>Time</dt><dd><time>${time.toISOString()}</time></dd>
<dt>Request</dt><dd><code>${escapeHtml(`${method} ${url}`)}</code></dd>
<dt>Thrown at</dt><dd><code>${escapeHtml(`${file}:${line}`)}</code></dd>
</dl>
<h2>Stack</h2>
<pre tabindex="0" role="region" aria-label="Stack">${frames.map(escapeHtml).join('\n')}</pre>`,
  });
}
