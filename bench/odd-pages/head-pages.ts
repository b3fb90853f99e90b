/** Odd response heads: as the head of the document, and of a script or stylesheet without which the page shows nothing. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { fine, pageWith } from '../../test/faults/answer.ts';
import { type Answer, chunk, head, html, join, markIt, type Row, trickle } from './answers.ts';

/** Wraps a body in an odd answer. */
type Wrap = (body: string, type: string) => Answer;

const lengthOf = (body: string | Buffer) => `Content-Length: ${Buffer.byteLength(body)}`;

/** An answer with these lines before a correct length. */
const lines =
  (...extra: string[]): Wrap =>
  (body, type) =>
    head([`Content-Type: ${type}`, ...extra, lengthOf(body), 'Connection: close']) + body;

/** An answer whose length only the end of the connection tells. */
const unsized =
  (...extra: string[]): Wrap =>
  (body, type) =>
    head([`Content-Type: ${type}`, ...extra, 'Connection: close']) + body;

const status =
  (line: string): Wrap =>
  (body, type) =>
    head([`Content-Type: ${type}`, lengthOf(body), 'Connection: close'], line) + body;

const before =
  (bytes: string): Wrap =>
  (body, type) =>
    bytes + lines()(body, type);

/** A correct answer, changed as text. */
const changed =
  (change: (answer: string) => string | Buffer): Wrap =>
  (body, type) =>
    change(String(lines()(body, type)));

const encoded =
  (coding: string, encode: (body: string) => string | Buffer, ...extra: string[]): Wrap =>
  (body, type) => {
    const bytes = encode(body);
    return join(
      head([`Content-Type: ${type}`, `Content-Encoding: ${coding}`, lengthOf(bytes), ...extra, 'Connection: close']),
      bytes,
    );
  };

/** A chunked answer with these lines. */
const chunked =
  (toChunks: (body: string) => string, ...extra: string[]): Wrap =>
  (body, type) =>
    head([`Content-Type: ${type}`, ...(extra.length > 0 ? extra : ['Transfer-Encoding: chunked'])]) + toChunks(body);

const whole = (body: string) => `${chunk(body)}0\r\n\r\n`;
const long = (bytes: number) => 'x'.repeat(bytes);
const many = (count: number) => Array.from({ length: count }, (_, n) => `X-Line-${n}: ${n}`);
const warningLine = '<b>Warning</b>:  Undefined array key "a" in <b>/srv/www/x.php</b> on line <b>3</b><br />';

type Also = 'script' | 'style';

/** Browsers show all of these. */
const accepted: readonly (readonly [name: string, wrap: Wrap, ...also: Also[]])[] = [
  ['Content-Length twice, equal', (body, type) => lines(lengthOf(body))(body, type), 'script', 'style'],
  [
    'Content-Length as a list of equal values',
    (body, type) => unsized(`${lengthOf(body)}, ${Buffer.byteLength(body)}`)(body, type),
  ],
  ['Content-Length of a word', unsized('Content-Length: none'), 'script'],
  ['Content-Length empty', unsized('Content-Length:')],
  ['Content-Length negative', unsized('Content-Length: -1')],
  ['Content-Length with a sign', (body, type) => unsized(`Content-Length: +${Buffer.byteLength(body)}`)(body, type)],
  ['Content-Length shorter than the body', (body, type) => unsized(lengthOf(body))(`${body}<!-- more -->`, type)],
  ['a PHP warning among the headers', lines('Warning: Undefined array key "a" in /srv/www/x.php on line 3'), 'script'],
  ['a PHP warning in HTML among the headers', lines('<br />', warningLine), 'script'],
  ['a line without a colon', lines('this line has no colon'), 'script', 'style'],
  ['a line of one NUL-like word', lines('-----')],
  ['a name with a space', lines('X Powered By: PHP/5.2'), 'script'],
  ['a name with a space at its end', lines('X-Cache : HIT'), 'script'],
  ['a name in brackets', lines('[X-Debug]: 1'), 'script'],
  ['a name in parentheses', lines('(X-Debug): 1')],
  ['a name with non-ASCII characters', lines('Größe: 3')],
  ['a name with @ and =', lines('a@b=c: 1')],
  ['an empty name', lines(': nameless'), 'script', 'style'],
  [
    'Content-Type with a space before its colon',
    (body, type) => head([`Content-Type : ${type}`, lengthOf(body), 'Connection: close']) + body,
  ],
  ['status without a reason', status('HTTP/1.1 200'), 'script'],
  ['status after two spaces', status('HTTP/1.1  200 OK'), 'script'],
  ['status with a tab', status('HTTP/1.1\t200 OK')],
  ['version 1.0', status('HTTP/1.0 200 OK'), 'script'],
  ['version alone', status('HTTP/1.0')],
  ['version 2', status('HTTP/2 200'), 'script'],
  ['version 2.0', status('HTTP/2.0 200 OK')],
  ['version 0.9 with a head', status('HTTP/0.9 200 OK')],
  ['version 1.10', status('HTTP/1.10 200 OK')],
  ['status run into its reason', status('HTTP/1.1 200OK'), 'script'],
  ['status with a fraction', status('HTTP/1.1 200.0 OK')],
  ['lower-case protocol', status('http/1.1 200 ok'), 'script'],
  ['no version', status('HTTP 200 OK')],
  ['reason in UTF-8', status('HTTP/1.1 200 Alles schön')],
  ['reason with control bytes', status('HTTP/1.1 200 O\x01K')],
  ['bare line feeds', changed(answer => answer.replaceAll('\r\n', '\n')), 'script', 'style'],
  ['bare line feed at the end of the head', changed(answer => answer.replace('\r\n\r\n', '\n\n'))],
  ['folded header', lines('X-Long: one,', '  two,', '\tthree'), 'script'],
  ['first line folded', changed(answer => answer.replace('\r\n', '\r\n X-Folded: 1\r\n'))],
  ['blank line before the status line', before('\r\n'), 'script'],
  ['two blank lines before the status line', before('\r\n\r\n')],
  ['byte order mark before the status line', before('\uFEFF'), 'script'],
  ['control bytes in a value', lines('X-Control: a\x01b\x07c\x1bd'), 'script'],
  ['UTF-8 in a value', lines('X-Olaf: ☃', 'X-Titel: Größe'), 'script'],
  [
    'Latin-1 in a value',
    changed(answer => Buffer.from(answer.replace('\r\n', '\r\nX-Titel: Gr\xf6\xdfe\r\n'), 'latin1')),
    'script',
  ],
  ['a carriage return in a value', lines('X-Broken: a\rb'), 'script'],
  ['a header of 200 KB', lines(`X-Long: ${long(200_000)}`), 'script'],
  ['2,500 header lines, the coding last', encoded('gzip', gzipSync, ...many(2500)), 'script'],
  ['300 cookies', lines(...Array.from({ length: 300 }, (_, n) => `Set-Cookie: c${n}=${long(50)}`))],
  ['100 first', before('HTTP/1.1 100 Continue\r\n\r\n'), 'script'],
  [
    '102 and 103 first',
    before('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <dot.png>; rel=preload; as=image\r\n\r\n'),
    'script',
  ],
  ['100 ten times', before('HTTP/1.1 100 Continue\r\n\r\n'.repeat(10))],
  ['100 with odd headers first', before('HTTP/1.1 100 Continue\r\nno colon\r\n: x\r\n\r\n')],
  ['chunked with Content-Length', chunked(whole, 'Content-Length: 3', 'Transfer-Encoding: chunked'), 'script', 'style'],
  ['chunked after an invalid Content-Length', chunked(whole, 'Content-Length: -', 'Transfer-Encoding: chunked')],
  ['chunk extensions', chunked(body => `${chunk(body, ';name="value";flag')}0;last\r\n\r\n`), 'script'],
  ['chunk sizes with spaces', chunked(body => `${chunk(body, '    ')}0  \r\n\r\n`), 'script'],
  ['chunk sizes with leading zeros', chunked(body => `0000${chunk(body)}000\r\n\r\n`)],
  ['chunks with bare line feeds', chunked(body => whole(body).replaceAll('\r\n', '\n')), 'script'],
  ['chunks of one byte', chunked(body => `${Array.from(body, each => chunk(each)).join('')}0\r\n\r\n`)],
  ['trailers after the chunks', chunked(body => `${chunk(body)}0\r\nX-Sum: 1\r\nno colon\r\n\r\n`), 'script'],
  ['Transfer-Encoding in capitals', chunked(whole, 'TRANSFER-ENCODING: CHUNKED')],
  ['Transfer-Encoding twice', chunked(whole, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'), 'script'],
  ['Transfer-Encoding: identity', unsized('Transfer-Encoding: identity'), 'script'],
  ['Transfer-Encoding: identity with a length', lines('Transfer-Encoding: identity')],
  ['chunked over HTTP/1.0', (body, type) => String(chunked(whole)(body, type)).replace('/1.1', '/1.0')],
  ['Content-Encoding: utf-8', lines('Content-Encoding: utf-8'), 'script'],
  ['Content-Encoding: none', lines('Content-Encoding: none')],
  ['Content-Encoding empty', lines('Content-Encoding:')],
  ['gzip in capitals', encoded('GZIP', gzipSync)],
  ['gzip twice', encoded('gzip, gzip', body => gzipSync(gzipSync(body)))],
  ['gzip without its end', encoded('gzip', body => gzipSync(body).subarray(0, -8)), 'script'],
  ['gzip with bytes after its end', encoded('gzip', body => join(gzipSync(body), 'more')), 'script'],
  ['deflate without a head', encoded('deflate', deflateRawSync), 'script'],
  ['deflate', encoded('deflate', deflateSync)],
  ['brotli, not over HTTPS', encoded('br', brotliCompressSync)],
  ['zstd, not over HTTPS', encoded('zstd', zstdCompressSync)],
  ['x-gzip', encoded('x-gzip', gzipSync)],
  [
    'bytes after the body of a kept connection',
    changed(answer => `${answer.replace('close', 'keep-alive')}\r\n\r\nmore`),
    'script',
  ],
  [
    'another answer after the body',
    changed(answer => answer.replace('close', 'keep-alive') + html('<h1>Never shown</h1>')),
    'script',
  ],
  ['Connection that names Content-Encoding', encoded('gzip', gzipSync, 'Connection: Content-Encoding'), 'script'],
  ['Upgrade: h2,h2c', lines('Upgrade: h2,h2c', 'Connection: Upgrade'), 'script'],
  ['Keep-Alive: timeout=0', lines('Keep-Alive: timeout=0, max=0')],
  ['Proxy-Authenticate', lines('Proxy-Authenticate: Basic realm="x"')],
  ['Location on a 200', lines('Location: next')],
  ['head sent byte by byte', (body, type) => trickle(() => String(lines()(body, type)), 0), 'script'],
  [
    'head in two halves, a second apart',
    (body, type) =>
      trickle(() => [String(lines()(body, type)).slice(0, 12), String(lines()(body, type)).slice(12)], 1000),
  ],
  [
    'reset after the whole body',
    (body, type) => socket =>
      void socket.write(String(lines()(body, type)), () => setTimeout(() => socket.resetAndDestroy(), 200)),
  ],
  [
    'connection without an end after the length',
    (body, type) => socket => void socket.write(String(lines()(body, type))),
  ],
];

/** Plain Lighthouse reports these as failed requests, and so do browsers, or they show no more than a part. */
const refused: readonly (readonly [name: string, answer: Answer, expected: Row['expected']])[] = [
  ['Content-Length twice, different', lines('Content-Length: 20')(fine, 'text/html'), 'page_unreachable'],
  [
    'Location twice, different',
    head(['Location: next', 'Location: other', 'Content-Length: 0'], 'HTTP/1.1 302 Found'),
    'page_unreachable',
  ],
  [
    'Content-Disposition twice, different',
    lines('Content-Disposition: inline', 'Content-Disposition: attachment')(fine, 'text/html'),
    'page_unreachable',
  ],
  ['ICY protocol', status('ICY 200 OK')(fine, 'text/html'), 'page_not_html'],
  ['no head at all', fine, 'page_unreachable'],
  ['no status line', String(lines()(fine, 'text/html')).replace(/^.*\r\n/, ''), 'page_unreachable'],
  ['an end without a byte', '', 'page_unreachable'],
  ['NUL in a value', lines('X-Broken: a\0b')(fine, 'text/html'), 'page_unreachable'],
  ['a header of 300 KB', lines(`X-Long: ${long(300_000)}`)(fine, 'text/html'), 'page_unreachable'],
  [
    '101 that no one asked for',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    'page_unreachable',
  ],
  ['gzip announced, not applied', lines('Content-Encoding: gzip')(fine, 'text/html'), 'page_unreachable'],
  [
    'body shorter than its length',
    unsized(`Content-Length: ${fine.length + 500}`)(fine, 'text/html'),
    'page_unreachable',
  ],
  [
    'body much shorter than its length',
    unsized('Content-Length: 99999999999999999999')(fine, 'text/html'),
    ['measured', 'page_unreachable'],
  ],
  ['missing last chunk', chunked(body => chunk(body))(fine, 'text/html'), 'page_unreachable'],
  ['chunk size of letters', chunked(body => `zz\r\n${body}\r\n0\r\n\r\n`)(fine, 'text/html'), 'page_unreachable'],
  [
    'chunk without its line end',
    chunked(body => chunk(body).slice(0, -2) + whole('x'))(fine, 'text/html'),
    'page_unreachable',
  ],
  ['100 and nothing else', 'HTTP/1.1 100 Continue\r\n\r\n', 'page_unreachable'],
  ['answer of a mail server', '220 mail.example ESMTP\r\n', 'page_unreachable'],
];

const waiting = (tag: string) => pageWith({ title: 'Loading', body: `<p>Loading</p>${tag}` });

const asPart: Record<Also, (name: string, wrap: Wrap) => Row> = {
  script: (name, wrap) => ({
    name: `script: ${name}`,
    answer: html(waiting('<script src="app.js"></script>')),
    parts: { 'app.js': wrap(markIt, 'text/javascript') },
    expected: 'measured',
    isMarked: true,
  }),
  style: (name, wrap) => ({
    name: `stylesheet: ${name}`,
    answer: html(pageWith({ head: '<style>body { display: none }</style><link rel="stylesheet" href="app.css">' })),
    parts: { 'app.css': wrap('body { display: block !important }', 'text/css') },
    expected: 'measured',
  }),
};

export const headPages: readonly Row[] = [
  ...accepted.flatMap(([name, wrap, ...also]): Row[] => [
    { name, answer: wrap(fine, 'text/html; charset=utf-8'), expected: 'measured' },
    ...also.map(as => asPart[as](name, wrap)),
  ]),
  ...refused.map(([name, answer, expected]): Row => ({ name, answer, expected })),
];
