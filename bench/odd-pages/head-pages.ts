/** Odd response heads: of the document, and of a script or stylesheet without which the page shows nothing. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { fine, pageWith } from '../../test/faults/answer.ts';
import {
  type Answer,
  chunk,
  failed,
  further,
  head,
  html,
  join,
  markIt,
  measured,
  type Row,
  trickle,
} from './answers.ts';

/** Wraps a body in an odd answer. */
type Wrap = (body: string, type: string) => Answer;
/** A name, how it wraps a body, and the resources with which it is tried besides documents, some of them only later. */
type Odd = readonly [name: string, wrap: Wrap, ...also: (keyof typeof asPart | 'later script' | 'later style')[]];

const lengthOf = (body: string | Buffer) => `Content-Length: ${Buffer.byteLength(body)}`;

/** An answer with `lines` before a correct length. */
const withLines =
  (...lines: string[]): Wrap =>
  (body, type) =>
    head([`Content-Type: ${type}`, ...lines, lengthOf(body), 'Connection: close']) + body;

/** An answer whose body ends with the connection. */
const unsized =
  (...lines: string[]): Wrap =>
  (body, type) =>
    head([`Content-Type: ${type}`, ...lines, 'Connection: close']) + body;

/** An answer with a line that depends on its length. */
const withLength =
  (toLine: (bytes: number) => string): Wrap =>
  (body, type) =>
    unsized(toLine(Buffer.byteLength(body)))(body, type);

const status =
  (line: string): Wrap =>
  (body, type) =>
    head([`Content-Type: ${type}`, lengthOf(body), 'Connection: close'], line) + body;

/** A correct answer, changed as text. */
const changed =
  (change: (answer: string) => Answer): Wrap =>
  (body, type) =>
    change(`${withLines()(body, type)}`);

const after = (bytes: string) => changed(answer => bytes + answer);

const encoded =
  (coding: string, encode: (body: string) => string | Buffer, ...lines: string[]): Wrap =>
  (body, type) => {
    const bytes = encode(body);
    const sized = [`Content-Encoding: ${coding}`, lengthOf(bytes), ...lines, 'Connection: close'];
    return join(head([`Content-Type: ${type}`, ...sized]), bytes);
  };

const chunked =
  (toChunks: (body: string) => string, ...lines: string[]): Wrap =>
  (body, type) =>
    head([`Content-Type: ${type}`, ...lines, 'Transfer-Encoding: chunked', 'Connection: close']) + toChunks(body);

const end = '0\r\n\r\n';
const whole = (body: string) => chunk(body) + end;
const kept = (answer: string) => answer.replace('Connection: close', 'Connection: keep-alive');
const long = (bytes: number) => 'x'.repeat(bytes);
const numbered = (count: number, toLine: (n: number) => string) => Array.from({ length: count }, (_, n) => toLine(n));
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: <dot.png>; rel=preload; as=image\r\n\r\n';
const warning = '<b>Warning</b>:  Undefined array key "a" in <b>/srv/www/x.php</b> on line <b>3</b><br />';
const latin = (answer: string) => Buffer.from(answer.replace('\r\n', '\r\nX-Titel: Gr\xf6\xdfe\r\n'), 'latin1');
const resetting = (answer: string): Answer => {
  return socket => void socket.write(answer, () => setTimeout(() => socket.resetAndDestroy(), 200));
};

/** Browsers show all of these. */
const accepted: readonly Odd[] = [
  [
    'Content-Length twice, equal',
    withLength(bytes => `Content-Length: ${bytes}\r\nContent-Length: ${bytes}`),
    'script',
    'later style',
  ],
  ['Content-Length as a list of equal values', withLength(bytes => `Content-Length: ${bytes}, ${bytes}`)],
  ['Content-Length of a word', unsized('Content-Length: none'), 'later script'],
  ['Content-Length shorter than the body', (body, type) => unsized(lengthOf(body))(`${body}<!-- more -->`, type)],
  ['body much shorter than its length', unsized('Content-Length: 99999999999999999999')],
  [
    'a PHP warning among the headers',
    withLines('Warning: Undefined array key "a" in /srv/www/x.php on line 3'),
    'script',
  ],
  ['a PHP warning in HTML among the headers', withLines('<br />', warning), 'later script'],
  ['a line without a colon', withLines('this line has no colon'), 'script', 'style'],
  ['a name with a space', withLines('X Powered By: PHP/5.2'), 'script'],
  ['a name in brackets', withLines('[X-Debug]: 1'), 'script'],
  ['a name in parentheses', withLines('(X-Debug): 1')],
  ['an empty name', withLines(': nameless'), 'script', 'later style'],
  ['Content-Type with a space before its colon', changed(answer => answer.replace('Type:', 'Type :'))],
  ['status without a reason', status('HTTP/1.1 200'), 'later script'],
  ['status after two spaces', status('HTTP/1.1  200 OK'), 'later script'],
  ['status run into its reason', status('HTTP/1.1 200OK'), 'script'],
  ['version 1.0', status('HTTP/1.0 200 OK'), 'later script'],
  ['version 2', status('HTTP/2 200'), 'later script'],
  ['version alone', status('HTTP/1.0')],
  ['lower-case protocol', status('http/1.1 200 ok'), 'script'],
  ['bare line feeds', changed(answer => answer.replaceAll('\r\n', '\n')), 'script', 'style'],
  ['folded header', withLines('X-Long: one,', '  two,', '\tthree'), 'later script'],
  ['blank line before the status line', after('\r\n'), 'later script'],
  ['control bytes in a value', withLines('X-Control: a\x01b\x07c\x1bd'), 'script'],
  ['UTF-8 in a value', withLines('X-Olaf: ☃', 'X-Titel: Größe'), 'script'],
  ['Latin-1 in a value', changed(latin), 'later script'],
  ['a header of 200 KB', withLines(`X-Long: ${long(200_000)}`), 'later script'],
  [
    '2,500 header lines, the coding last',
    encoded('gzip', gzipSync, ...numbered(2500, n => `X-Line-${n}: ${n}`)),
    'later script',
  ],
  ['100 first', after(goOn), 'later script'],
  ['102 and 103 first', after(`HTTP/1.1 102 Processing\r\n\r\n${hints}`), 'later script'],
  ['chunked with Content-Length', chunked(whole, 'Content-Length: 3'), 'script', 'style'],
  ['chunk extensions', chunked(body => `${chunk(body, ';name="value";flag')}0;last\r\n\r\n`), 'later script'],
  ['chunk sizes with spaces', chunked(body => `${chunk(body, '    ')}0  \r\n\r\n`), 'later script'],
  ['trailers after the chunks', chunked(body => `${chunk(body)}0\r\nX-Sum: 1\r\nno colon\r\n\r\n`), 'later script'],
  ['Transfer-Encoding: identity', unsized('Transfer-Encoding: identity'), 'later script'],
  ['Content-Encoding: utf-8', withLines('Content-Encoding: utf-8'), 'later script'],
  ['gzip without its end', encoded('gzip', body => gzipSync(body).subarray(0, -8)), 'later script'],
  ['bytes after the body of a kept connection', changed(answer => `${kept(answer)}\r\n\r\nmore`), 'script'],
  ['Upgrade: h2,h2c', withLines('Upgrade: h2,h2c', 'Connection: Upgrade'), 'later script'],
  ['reset after the whole body', changed(resetting)],
];

const acceptedToo: readonly Odd[] = [
  ['Content-Length empty', unsized('Content-Length:')],
  ['Content-Length negative', unsized('Content-Length: -1')],
  ['Content-Length with a sign', withLength(bytes => `Content-Length: +${bytes}`)],
  ['a line of hyphens', withLines('-----')],
  ['a name with a space at its end', withLines('X-Cache : HIT'), 'script'],
  ['a name with non-ASCII characters', withLines('Größe: 3')],
  ['a name with @ and =', withLines('a@b=c: 1')],
  ['status with a tab', status('HTTP/1.1\t200 OK')],
  ['version 2.0', status('HTTP/2.0 200 OK')],
  ['version 0.9 with a head', status('HTTP/0.9 200 OK')],
  ['version 1.10', status('HTTP/1.10 200 OK')],
  ['status with a fraction', status('HTTP/1.1 200.0 OK')],
  ['no version', status('HTTP 200 OK')],
  ['reason in UTF-8', status('HTTP/1.1 200 Alles schön')],
  ['reason with control bytes', status('HTTP/1.1 200 O\x01K')],
  ['bare line feed at the end of the head', changed(answer => answer.replace('\r\n\r\n', '\n\n'))],
  ['first line folded', changed(answer => answer.replace('\r\n', '\r\n X-Folded: 1\r\n'))],
  ['two blank lines before the status line', after('\r\n\r\n')],
  ['byte order mark before the status line', after('\uFEFF'), 'script'],
  ['a carriage return in a value', withLines('X-Broken: a\rb'), 'script'],
  ['300 cookies', withLines(...numbered(300, n => `Set-Cookie: c${n}=${long(50)}`))],
  ['100 ten times', after(goOn.repeat(10))],
  ['100 with odd headers first', after('HTTP/1.1 100 Continue\r\nno colon\r\n: x\r\n\r\n')],
  ['chunked after an invalid Content-Length', chunked(whole, 'Content-Length: -')],
  ['chunk sizes with leading zeros', chunked(body => `0000${chunk(body)}000\r\n\r\n`)],
  ['chunks with bare line feeds', chunked(body => whole(body).replaceAll('\r\n', '\n')), 'script'],
  ['chunks of one byte', chunked(body => Array.from(body, each => chunk(each)).join('') + end)],
  [
    'Transfer-Encoding in capitals',
    changed(answer => answer.replace(/Content-Length.*/, 'TRANSFER-ENCODING: IDENTITY')),
  ],
  ['Transfer-Encoding twice', chunked(whole, 'Transfer-Encoding: chunked'), 'script'],
  ['Transfer-Encoding: identity with a length', withLines('Transfer-Encoding: identity')],
  ['chunked over HTTP/1.0', (body, type) => `${chunked(whole)(body, type)}`.replace('/1.1', '/1.0')],
  ['Content-Encoding: none', withLines('Content-Encoding: none')],
  ['Content-Encoding empty', withLines('Content-Encoding:')],
  ['gzip in capitals', encoded('GZIP', gzipSync)],
  ['gzip twice', encoded('gzip, gzip', body => gzipSync(gzipSync(body)))],
  ['gzip with bytes after its end', encoded('gzip', body => join(gzipSync(body), 'more')), 'script'],
  ['deflate without a head', encoded('deflate', deflateRawSync), 'script'],
  ['deflate', encoded('deflate', deflateSync)],
  ['brotli, not over HTTPS', encoded('br', brotliCompressSync)],
  ['zstd, not over HTTPS', encoded('zstd', zstdCompressSync)],
  ['x-gzip', encoded('x-gzip', gzipSync)],
  ['another answer after the body', changed(answer => join(kept(answer), html('<h1>Never shown</h1>'))), 'script'],
  ['Connection that names Content-Encoding', encoded('gzip', gzipSync, 'Connection: Content-Encoding'), 'script'],
  ['Keep-Alive: timeout=0', withLines('Keep-Alive: timeout=0, max=0')],
  ['Proxy-Authenticate', withLines('Proxy-Authenticate: Basic realm="x"')],
  ['Location on a 200', withLines('Location: next')],
  ['head sent byte by byte', changed(answer => trickle(() => answer, 0)), 'script'],
  ['head in two halves, a second apart', changed(all => trickle(() => [all.slice(0, 12), all.slice(12)], 1000))],
  ['connection without an end after the length', changed(answer => socket => void socket.write(answer))],
];

/** Browsers report these requests as failed, and show nothing, or only a part. */
const refused: Readonly<Record<string, Wrap>> = {
  'Content-Length twice, different': withLines('Content-Length: 20'),
  'NUL in a value': withLines('X-Broken: a\0b'),
  'gzip announced, not applied': withLines('Content-Encoding: gzip'),
  'body shorter than its length': unsized('Content-Length: 9999'),
};
const refusedToo: Readonly<Record<string, Wrap>> = {
  'missing last chunk': chunked(body => chunk(body)),
  'no head at all': body => body,
  'a header of 300 KB': withLines(`X-Long: ${long(300_000)}`),
  'Location twice, different': () => head(['Location: next', 'Location: other'], 'HTTP/1.1 302 Found'),
  'Content-Disposition twice, different': withLines('Content-Disposition: a', 'Content-Disposition: attachment'),
  'no status line': changed(answer => answer.replace(/^.*\r\n/, '')),
  'an end without a byte': () => '',
  '101 that no one asked for': () => head(['Upgrade: x', 'Connection: Upgrade'], 'HTTP/1.1 101 Switching Protocols'),
  'chunk size of letters': chunked(body => `zz\r\n${body}\r\n${end}`),
  'chunk without its line end': chunked(body => chunk(body).slice(0, -2) + whole('x')),
  '100 and nothing else': () => goOn,
  'answer of a mail server': () => '220 mail.example ESMTP\r\n',
};

const waiting = html(pageWith({ title: 'Loading', body: '<p>Loading</p><script src="app.js"></script>' }));
const hidden = html(pageWith({ head: '<style>body { display: none }</style><link rel="stylesheet" href="app.css">' }));
const asPart = {
  script: (name: string, wrap: Wrap) =>
    measured(`script: ${name}`, waiting, { parts: { 'app.js': wrap(markIt, 'text/javascript') }, isMarked: true }),
  style: (name: string, wrap: Wrap) =>
    measured(`stylesheet: ${name}`, hidden, {
      parts: { 'app.css': wrap('body { display: block !important }', 'text/css') },
    }),
};

const isLater = (part: Odd[2]): part is 'later script' | 'later style' => part?.startsWith('later') ?? false;

const toAccepted = (rows: readonly Odd[]): Row[] =>
  rows.flatMap(([name, wrap, ...also]) => [
    measured(name, wrap(fine, 'text/html; charset=utf-8')),
    ...also.flatMap(part => (isLater(part) ? [] : asPart[part](name, wrap))),
  ]);
const toLater = (rows: readonly Odd[]): Row[] =>
  rows.flatMap(([name, wrap, ...also]) =>
    also.filter(isLater).map(part => asPart[part === 'later script' ? 'script' : 'style'](name, wrap)),
  );
const toRefused = (rows: typeof refused): Row[] =>
  Object.entries(rows).map(([name, wrap]) => failed('page_unreachable', name, wrap(fine, 'text/html')));

export const headPages: readonly Row[] = [
  ...toAccepted(accepted),
  ...toRefused(refused),
  ...further([
    ...toLater(accepted),
    ...toAccepted(acceptedToo),
    ...toRefused(refusedToo),
    // Chromium takes it for an answer of HTTP/0.9, which is text.
    failed('page_not_html', 'ICY protocol', status('ICY 200 OK')(fine, 'text/html')),
  ]),
];
