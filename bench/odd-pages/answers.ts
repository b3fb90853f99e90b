/** Raw answers, as a server sends them byte by byte: `node:http` would correct or refuse most of the odd ones. */
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../src/contract/errors.ts';

export type Request = {
  /** Path and query, exactly as sent. */
  target: string;
  /** The head, as latin1. */
  head: string;
};

/** Bytes to send, or a function that sends them. */
export type Answer = string | Buffer | ((socket: Socket, request: Request) => void);

type Outcome = 'measured' | ErrorCode;

/** One page, and how the service should answer. */
export type Row = {
  name: string;
  answer: Answer;
  /** A list has several outcomes that are all right, because a browser user sees no difference between them. */
  expected: Outcome | readonly Outcome[];
  pageStatus?: number;
  /** Matches a warning of a measured page, or the detail of an error. */
  says?: RegExp;
  /** Whether the page inserts the marker only if all of it worked. */
  isMarked?: boolean;
  isRetryable?: boolean;
  /** Answers below the folder of the page. Those with a leading slash are at the root, such as `/robots.txt`. */
  parts?: Readonly<Record<string, Answer>>;
  /** Whether the page is tried only with `--all`. */
  isFurther?: boolean;
  /** Host in the URL of the page; 127.0.0.1 by default. */
  host?: string;
  /** Rest of the URL, after the folder of the page. */
  path?: string;
};

/** Makes the row of a page that browsers show. */
export const measured = (name: string, answer: Answer, more: Partial<Row> = {}): Row => ({
  name,
  answer,
  expected: 'measured',
  ...more,
});

export const failed = (expected: Row['expected'], name: string, answer: Answer, more: Partial<Row> = {}): Row => ({
  name,
  answer,
  expected,
  ...more,
});

/** Marks pages that resemble others, or take long. */
export const further = (rows: readonly Row[]): Row[] => rows.map(row => ({ ...row, isFurther: true }));

export const head = (lines: readonly string[], status = 'HTTP/1.1 200 OK'): string =>
  [status, ...lines, '', ''].join('\r\n');

export const join = (...pieces: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(pieces.map(piece => Buffer.from(piece as string)));

/** A correct answer with `lines` in its head. The connection stays open. */
export const file = (type: string, body: string | Buffer, lines: readonly string[] = [], status?: string): Buffer =>
  join(
    head(
      [`Content-Type: ${type}`, ...lines, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: keep-alive'],
      status,
    ),
    body,
  );

export const html = (body: string | Buffer, lines?: readonly string[], status?: string): Buffer =>
  file('text/html; charset=utf-8', body, lines, status);

export const script = (body: string): Buffer => file('text/javascript', body);

export const redirect = (location: string, body = ''): Buffer =>
  html(body, [`Location: ${location}`], 'HTTP/1.1 302 Found');

export const chunk = (text: string, extension = ''): string =>
  `${Buffer.byteLength(text).toString(16)}${extension}\r\n${text}\r\n`;

export const never: Answer = () => {};

/** A connection that the server does not close after these bytes. */
const staysOpen = /^connection: keep-alive\r$/im;

export function send(socket: Socket, answer: Answer, request: Request): void {
  if (typeof answer === 'function') {
    answer(socket, request);
    return;
  }
  socket.write(answer);
  if (!staysOpen.test(`${answer.toString('latin1').split('\r\n\r\n', 1)[0]}\r\n`)) socket.end();
}

export const after =
  (ms: number, answer: Answer): Answer =>
  (socket, request) => {
    const timer = setTimeout(() => send(socket, answer, request), ms);
    socket.once('close', () => clearTimeout(timer));
  };

/** Waits until a client has read enough, or has closed. */
const drained = (socket: Socket): Promise<void> =>
  new Promise(resolve => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle);
      resolve();
    };
    socket.on('drain', settle).on('close', settle);
  });

/** Sends pieces at an interval, no faster than the client reads, then ends unless the client has closed. */
export const trickle =
  (toPieces: () => Iterable<string | Buffer>, ms: number): Answer =>
  async socket => {
    for (const piece of toPieces()) {
      if (socket.destroyed) return;
      if (!socket.write(piece)) await drained(socket);
      if (ms > 0) await new Promise(resolve => setTimeout(resolve, ms));
    }
    socket.end();
  };

/** At most `times` repetitions, so that no answer is endless. */
export function* repeated(first: string, piece: string | Buffer, times: number): Generator<string | Buffer> {
  yield first;
  for (let time = 0; time < times; time += 1) yield piece;
}

/** The class of an element that only a script inserts; Lighthouse lists the element, because it has no `alt`. */
export const marker = 'page-marker';
const dot = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
/** The class is in two parts, because the source itself must not contain the marker. */
export const markIt = `(() => {
  const image = document.createElement('img');
  image.className = 'page' + '-marker';
  image.src = '${dot}';
  image.width = image.height = 40;
  (document.querySelector('main') ?? document.body).append(image);
  document.querySelector('h1').textContent = 'Ready';
})();`;
