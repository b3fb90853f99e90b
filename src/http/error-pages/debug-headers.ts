import { toExceptionFacts } from './exception-facts.ts';

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
