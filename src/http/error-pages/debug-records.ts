import { randomBytes } from 'node:crypto';
import { type ExceptionFacts, toExceptionFacts } from './exception-facts.ts';
import { escapeHtml, toHtmlPage } from './html-page.ts';

type DebugHeaderFacts = {
  readonly error: unknown;
  readonly token: string;
  /** Of the failure before this one, where the error page itself failed. */
  readonly previousToken?: string | undefined;
  /** Scheme and host as the client wrote them, without a slash at the end. */
  readonly baseUrl: string;
};

const MAX_MESSAGE_BYTES = 2000;

/** For debug mode only. Every value is printable ASCII, whatever the error says. */
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

// RFC 3986, as PHP's rawurlencode: encodeURIComponent leaves five more characters alone.
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

/** Of the request that failed. The URL comes without its query, which can carry a key. */
export type DebugRequest = { readonly method: string; readonly url: string };

export type DebugRecord = DebugRequest & {
  readonly token: string;
  readonly time: Date;
  readonly exception: ExceptionFacts;
};

export type DebugRecords = {
  /** Keeps what can be shown of an exception, not the exception, and returns its token: 6 hex digits. */
  readonly add: (error: unknown, request: DebugRequest) => string;
  readonly get: (token: string) => DebugRecord | undefined;
};

type DebugRecordsOptions = {
  /** Beyond it the oldest record is dropped. */
  readonly max: number;
  readonly now?: () => Date;
  readonly createToken?: () => string;
};

/** In memory, for debug mode: what `x-debug-token-link` opens. */
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
