/** Answers whose status or type is odd. */
import { gzipSync } from 'node:zlib';
import { fine, pageWith } from '../../test/faults/answer.ts';
import { png } from '../../test/faults/documents.ts';
import { file, head, html, join, type Row, redirect } from './answers.ts';

const error = pageWith({ title: 'An error page' });
const closed = (line: string, ...lines: string[]) => head([...lines, 'Connection: close'], `HTTP/1.1 ${line}`);
const answered = (pageStatus: number) => ({ expected: 'page_error', pageStatus }) as const;

export const errorPages: readonly Row[] = [
  ...[404, 410, 403, 500, 502, 503, 429, 522].map(
    (status): Row => ({
      name: `${status}, length 0`,
      answer: closed(`${status} Error`, 'Content-Length: 0'),
      ...answered(status),
    }),
  ),
  ...[404, 500].flatMap((status): Row[] => [
    { name: `${status}, closed without a body`, answer: closed(`${status} Error`), ...answered(status) },
    {
      name: `${status}, typed, closed without a body`,
      answer: closed(`${status} Error`, 'Content-Type: text/html'),
      ...answered(status),
    },
    {
      name: `${status}, chunked and empty`,
      answer: `${closed(`${status} Error`, 'Content-Type: text/html', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      ...answered(status),
    },
    {
      name: `${status}, gzip of nothing`,
      answer: join(closed(`${status} Error`, 'Content-Type: text/html', 'Content-Encoding: gzip'), gzipSync('')),
      ...answered(status),
    },
    {
      name: `${status}, length 0, with Refresh`,
      answer: closed(`${status} Error`, 'Content-Length: 0', 'Refresh: 0; url=next'),
      ...answered(status),
    },
    { name: `${status}, with a body`, answer: html(error, [], `HTTP/1.1 ${status} Error`), ...answered(status) },
    {
      name: `${status}, with a body and Refresh in 30 s`,
      answer: html(error, ['Refresh: 30; url=next'], `HTTP/1.1 ${status} Error`),
      ...answered(status),
    },
    { name: `${status}, a single line feed`, answer: html('\n', [], `HTTP/1.1 ${status} Error`), ...answered(status) },
  ]),
  {
    name: '404, JSON',
    answer: file('application/json', '{"error":"not found"}', [], 'HTTP/1.1 404 Not Found'),
    ...answered(404),
  },
  {
    name: '404, download',
    answer: html(error, ['Content-Disposition: attachment'], 'HTTP/1.1 404 Not Found'),
    ...answered(404),
  },
  {
    name: '404, truncated',
    answer: `${closed('404 Not Found', 'Content-Type: text/html', 'Content-Length: 99999')}${error}`,
    ...answered(404),
  },
  { name: '404, HTTP/1.0 in lower case', answer: html(error, [], 'http/1.0 404 not found'), ...answered(404) },
  { name: '404, without a reason', answer: html(error, [], 'HTTP/1.1 404'), ...answered(404) },
  { name: '503, with Retry-After', answer: html(error, ['Retry-After: 120'], 'HTTP/1.1 503 Busy'), ...answered(503) },
  {
    name: '401, with Basic',
    answer: html(error, ['WWW-Authenticate: Basic realm="x"'], 'HTTP/1.1 401 No'),
    ...answered(401),
  },
  {
    name: '401, with Negotiate',
    answer: html(error, ['WWW-Authenticate: Negotiate', 'WWW-Authenticate: NTLM'], 'HTTP/1.1 401 No'),
    ...answered(401),
  },
  { name: '401, without a challenge', answer: html(error, [], 'HTTP/1.1 401 No'), ...answered(401) },
  {
    name: '407, of the page itself',
    answer: html(error, ['Proxy-Authenticate: Basic realm="x"'], 'HTTP/1.1 407 No'),
    expected: ['page_unreachable', 'page_error'],
  },
  { name: '408, idle timeout', answer: html(error, [], 'HTTP/1.1 408 Request Timeout'), ...answered(408) },
  { name: '421, misdirected', answer: html(error, [], 'HTTP/1.1 421 Misdirected'), ...answered(421) },
  {
    name: 'redirect to an empty 404',
    answer: redirect('gone'),
    parts: { gone: closed('404 Error', 'Content-Length: 0') },
    ...answered(404),
  },
];

/** Statuses outside of 400 to 599. */
const odd: readonly (readonly [line: string, expected: Row['expected'], pageStatus?: number])[] = [
  ['999 Request denied', 'page_error', 999],
  ['600 Busy', 'page_error', 600],
  ['700 Odd', 'page_error', 700],
  ['666', 'page_error', 666],
  ['299 Fine', 'measured'],
  ['250 Fine', 'measured'],
  ['226 IM Used', 'measured'],
  ['203 Non-Authoritative', 'measured'],
  ['206 Partial Content', 'measured'],
  ['201 Created', 'measured'],
  ['300 Multiple Choices', 'measured'],
  ['305 Use Proxy', 'measured'],
  ['306 Unused', 'measured'],
  ['310 Odd', 'measured'],
  ['399 Odd', 'measured'],
  ['099 Low', 'measured'],
  ['001 Low', 'measured'],
  ['000 Zero', 'measured'],
  ['20 Short', 'measured'],
  ['1000 Long', 'page_error', 1000],
  ['2000 Long', 'page_error', 2000],
  ['-1 Negative', 'measured'],
  ['OK', 'measured'],
];

export const statusPages: readonly Row[] = [
  ...odd.map(
    ([line, expected, pageStatus]): Row => ({
      name: line,
      answer: html(fine, [], `HTTP/1.1 ${line}`),
      expected,
      ...(pageStatus === undefined ? {} : { pageStatus }),
    }),
  ),
  { name: '999, empty', answer: closed('999 Request denied', 'Content-Length: 0'), ...answered(999) },
  { name: '204', answer: closed('204 No Content'), expected: 'page_not_html' },
  { name: '205, with a body', answer: html(fine, [], 'HTTP/1.1 205 Reset Content'), expected: 'page_not_html' },
  { name: '304, unconditional', answer: closed('304 Not Modified'), expected: 'page_not_html' },
  { name: '302, without Location, with a body', answer: html(fine, [], 'HTTP/1.1 302 Found'), expected: 'measured' },
  {
    name: '302, Location with spaces',
    answer: redirect('a page of words'),
    parts: { 'a%20page%20of%20words': html(fine), '': redirect('a page of words') },
    expected: 'measured',
  },
  {
    name: '302, Location in raw UTF-8',
    answer: redirect('größe'),
    parts: { 'gr%C3%B6%C3%9Fe': html(fine), '': redirect('größe') },
    expected: 'measured',
  },
  { name: '302, Location with a hash', answer: redirect('next#part'), expected: 'measured' },
  {
    name: '302, Location empty',
    answer: redirect(''),
    expected: ['too_many_redirects', 'page_not_html', 'page_unreachable', 'page_blank'],
  },
  {
    name: '301 as HTTP/1.0 without a length',
    answer: head(['Location: next'], 'HTTP/1.0 301 Moved'),
    expected: 'measured',
  },
  {
    name: '302, 15 times',
    answer: (socket, { target }) => {
      const left = Number(target.split('?')[1] ?? 15);
      socket.write(left > 0 ? redirect(`?${left - 1}`) : html(fine));
    },
    expected: 'measured',
  },
  {
    name: '302, to itself with a cookie',
    answer: (socket, { head: sent }) =>
      void socket.write(
        sent.includes('seen=1')
          ? html(fine)
          : head(
              ['Set-Cookie: seen=1; Path=/', 'Location: .', 'Content-Length: 0', 'Connection: keep-alive'],
              'HTTP/1.1 302 Found',
            ),
      ),
    expected: 'measured',
  },
];

const typed = (type: string, body: string | Buffer = fine, ...lines: string[]) => file(type, body, lines);
/** The document without a declared charset, as ASCII. */
const undeclared = fine.replace('<meta charset="utf-8">', '');
const untyped = (body: string | Buffer, ...lines: string[]) =>
  join(head([...lines, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: keep-alive']), body);
const xhtml = fine
  .replace('<!doctype html>', '<?xml version="1.0"?><!DOCTYPE html>')
  .replace('<html ', '<html xmlns="http://www.w3.org/1999/xhtml" ')
  .replace(/<(meta|link)([^>]*)>/g, '<$1$2/>');
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>A square</title><rect width="9" height="9"/></svg>';
const pdf = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';
const notHtml = { expected: 'page_not_html' } as const;
const measured = { expected: 'measured' } as const;

export const typePages: readonly Row[] = [
  {
    name: 'text/plain with Refresh to a page',
    answer: typed('text/plain', 'One moment.', 'Refresh: 0; url=next'),
    ...measured,
  },
  { name: 'text/html with Refresh to a page', answer: html(fine, ['Refresh: 0;URL="next"']), ...measured },
  { name: 'text/html with Refresh in 120 s', answer: html(fine, ['Refresh: 120']), ...measured },
  { name: 'Content-Type twice, HTML last', answer: typed('text/plain', fine, 'Content-Type: text/html'), ...measured },
  { name: 'Content-Type twice, HTML first', answer: typed('text/html', fine, 'Content-Type: text/plain'), ...notHtml },
  { name: 'Content-Type as a list', answer: typed('text/plain, text/html; charset=utf-8'), ...measured },
  { name: 'Content-Type in capitals', answer: typed('TEXT/HTML;CHARSET=UTF-8'), ...measured },
  { name: 'Content-Type with an unknown charset', answer: typed('text/html; charset=utf8mb4'), ...measured },
  { name: 'Content-Type with a quoted charset', answer: typed('text/html; charset="utf-8"; a=b;'), ...measured },
  { name: 'Content-Type with an empty parameter', answer: typed('text/html;;;charset=;'), ...measured },
  { name: 'Content-Type with spaces', answer: typed('  text/html ; charset = utf-8 '), ...measured },
  { name: 'Content-Type of one word', answer: typed('html'), ...measured },
  { name: 'Content-Type */*', answer: typed('*/*'), ...measured },
  { name: 'Content-Type empty', answer: typed(''), ...measured },
  { name: 'unknown/unknown', answer: typed('unknown/unknown'), ...measured },
  { name: 'no Content-Type, HTML', answer: untyped(fine), ...measured },
  {
    name: 'no Content-Type, blank lines and a comment first',
    answer: untyped(`\n\n  <!-- a comment -->${fine}`),
    ...measured,
  },
  { name: 'no Content-Type, HTML after a byte order mark', answer: untyped(`\uFEFF${fine}`), ...notHtml },
  {
    name: 'no Content-Type, HTML from its body',
    answer: untyped('<body><h1>Only a body</h1><p>With words.</p></body>'),
    ...measured,
  },
  { name: 'no Content-Type, words', answer: untyped('Plain words, and no tag.'), ...notHtml },
  { name: 'no Content-Type, nosniff', answer: untyped(fine, 'X-Content-Type-Options: nosniff'), ...notHtml },
  { name: 'text/html, nosniff', answer: html(fine, ['X-Content-Type-Options: nosniff']), ...measured },
  { name: 'charset utf-16, bytes in UTF-8', answer: typed('text/html; charset=utf-16'), ...measured },
  {
    name: 'charset utf-8, bytes in UTF-16 with a mark',
    answer: typed('text/html; charset=utf-8', Buffer.from(`\uFEFF${undeclared}`, 'utf16le')),
    ...measured,
  },
  {
    name: 'charset windows-1251',
    answer: typed(
      'text/html; charset=windows-1251',
      Buffer.from(undeclared.replace('words', '\xf1\xeb\xee\xe2\xe0'), 'latin1'),
    ),
    ...measured,
  },
  { name: 'charset utf-7', answer: typed('text/html; charset=utf-7', undeclared), ...measured },
  { name: 'charset iso-2022-jp', answer: typed('text/html; charset=iso-2022-jp', undeclared), ...measured },
  { name: 'charset hz-gb-2312', answer: typed('text/html; charset=hz-gb-2312', undeclared), ...measured },
  { name: 'XHTML', answer: typed('application/xhtml+xml', xhtml), ...measured },
  {
    name: 'XHTML that is not well-formed',
    answer: typed('application/xhtml+xml', xhtml.replace('</h1>', '')),
    ...measured,
  },
  { name: 'text/xml with XHTML', answer: typed('text/xml', xhtml), ...notHtml },
  {
    name: 'XML with a stylesheet',
    answer: typed('application/xml', '<?xml version="1.0"?><a><b>words</b></a>'),
    ...notHtml,
  },
  { name: 'SVG', answer: typed('image/svg+xml', svg), ...notHtml },
  { name: 'JSON', answer: typed('application/json', '{"a":1}'), ...notHtml },
  { name: 'PDF', answer: typed('application/pdf', pdf), ...notHtml },
  { name: 'PNG', answer: typed('image/png', png), ...notHtml },
  { name: 'text/plain', answer: typed('text/plain', fine), ...notHtml },
  { name: 'text/javascript', answer: typed('text/javascript', 'let a = 1;'), ...notHtml },
  { name: 'application/octet-stream with HTML', answer: typed('application/octet-stream'), ...notHtml },
  { name: 'application/x-httpd-php with HTML', answer: typed('application/x-httpd-php'), ...notHtml },
  { name: 'text/vnd.wap.wml', answer: typed('text/vnd.wap.wml', '<wml><card><p>words</p></card></wml>'), ...notHtml },
  {
    name: 'multipart/x-mixed-replace',
    answer: `${head(['Content-Type: multipart/x-mixed-replace; boundary=b'])}--b\r\nContent-Type: text/html\r\n\r\n${fine}\r\n--b--\r\n`,
    ...notHtml,
  },
  { name: 'message/rfc822', answer: typed('message/rfc822', `Content-Type: text/html\r\n\r\n${fine}`), ...notHtml },
  {
    name: 'Content-Disposition: attachment',
    answer: html(fine, ['Content-Disposition: attachment; filename=a.html']),
    ...notHtml,
  },
  {
    name: 'Content-Disposition: inline',
    answer: html(fine, ['Content-Disposition: inline; filename=a.html']),
    ...measured,
  },
  {
    name: 'Content-Disposition of an unknown word',
    answer: html(fine, ['Content-Disposition: form-data; name=a']),
    expected: ['page_not_html', 'measured'],
  },
  { name: 'Content-Disposition empty', answer: html(fine, ['Content-Disposition:']), ...measured },
  { name: 'signed exchange type', answer: typed('application/signed-exchange;v=b3'), ...notHtml },
  {
    name: 'zip without a type',
    answer: untyped(Buffer.from('504b0506000000000000000000000000000000000000', 'hex')),
    ...notHtml,
  },
];
