import { randomBytes } from 'node:crypto';
import { type ExceptionFacts, toExceptionFacts } from './exception-facts.ts';
import { escapeHtml, toHtmlPage } from './html-page.ts';

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
