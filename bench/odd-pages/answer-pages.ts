/** Answers whose status or type is odd. */
import { gzipSync } from 'node:zlib';
import { fine, pageWith } from '../../test/faults/answer.ts';
import { png } from '../../test/faults/documents.ts';
import { type Answer, failed, file, further, head, html, join, measured, type Row, redirect } from './answers.ts';

const error = pageWith({ title: 'An error page' });
const closed = (status: string, ...lines: string[]) => head([...lines, 'Connection: close'], `HTTP/1.1 ${status}`);
const withBody = (status: string, ...lines: string[]) => html(error, lines, `HTTP/1.1 ${status}`);
const answered = (pageStatus: number, what: string, answer: Answer, more: Partial<Row> = {}): Row =>
  failed('page_error', `${pageStatus}, ${what}`, answer, { pageStatus, ...more });

const typed = 'Content-Type: text/html';
const empty = 'Content-Length: 0';
/** Errors without a body, in several forms. */
const bodiless: Readonly<Record<string, (status: number) => Answer>> = {
  'length 0': status => closed(`${status} Error`, empty),
  'chunked and empty': status => `${closed(`${status} Error`, typed, 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  'closed without a body': status => closed(`${status} Error`),
  'typed, closed without a body': status => closed(`${status} Error`, typed),
  'gzip of nothing': status => join(closed(`${status} Error`, typed, 'Content-Encoding: gzip'), gzipSync('')),
  'a single line feed': status => html('\n', [], `HTTP/1.1 ${status} Error`),
  // The full Chromium shows an error page of its own, but its headless shell follows the header.
  'length 0, with Refresh': status => closed(`${status} Error`, empty, 'Refresh: 0; url=next'),
};
const without = (form: keyof typeof bodiless, ...statuses: number[]): Row[] =>
  statuses.map(status => answered(status, form, bodiless[form]?.(status) ?? ''));
const challenge = 'WWW-Authenticate: ';

export const errorPages: readonly Row[] = [
  ...without('length 0', 404, 500),
  ...without('chunked and empty', 404),
  ...without('closed without a body', 500),
  ...without('length 0, with Refresh', 404, 500),
  ...[404, 500].map(status => answered(status, 'with a body', withBody(`${status} Error`))),
  answered(404, 'with a body and Refresh in 30 s', withBody('404 Error', 'Refresh: 30; url=next')),
  answered(404, 'JSON', file('application/json', '{"error":"not found"}', [], 'HTTP/1.1 404 Not Found')),
  answered(404, 'download', withBody('404 Not Found', 'Content-Disposition: attachment')),
  answered(404, 'HTTP/1.0 in lower case', html(error, [], 'http/1.0 404 not found')),
  answered(503, 'with Retry-After', withBody('503 Busy', 'Retry-After: 120')),
  answered(401, 'with Basic', withBody('401 No', `${challenge}Basic realm="x"`)),
  failed('page_error', 'redirect to an empty 404', redirect('gone'), {
    pageStatus: 404,
    parts: { gone: closed('404 Error', empty) },
  }),
  ...further([
    ...without('length 0', 403, 410, 429, 502, 503, 522),
    ...without('chunked and empty', 500),
    ...without('closed without a body', 404),
    ...without('typed, closed without a body', 404, 500),
    ...without('gzip of nothing', 404, 500),
    ...without('a single line feed', 404, 500),
    answered(500, 'with a body and Refresh in 30 s', withBody('500 Error', 'Refresh: 30; url=next')),
    answered(404, 'truncated', `${closed('404 Not Found', typed, 'Content-Length: 99999')}${error}`),
    answered(404, 'without a reason', withBody('404')),
    answered(401, 'with Negotiate', withBody('401 No', `${challenge}Negotiate`, `${challenge}NTLM`)),
    answered(401, 'without a challenge', withBody('401 No')),
    answered(408, 'idle timeout', withBody('408 Request Timeout')),
    answered(421, 'misdirected', withBody('421 Misdirected')),
    failed(
      ['page_error', 'page_unreachable'],
      '407, of the page itself',
      withBody('407 No', 'Proxy-Authenticate: Basic'),
    ),
  ]),
];

const fineWith = (status: string) => html(fine, [], `HTTP/1.1 ${status}`);
const withStatus = (status: string) => measured(status, fineWith(status));
const withHighStatus = (status: string) =>
  failed('page_error', status, fineWith(status), { pageStatus: Number.parseInt(status, 10) });
/** A redirect whose target is only `rest`, the spelling that browsers send. */
const redirected = (name: string, location: string, rest: string) =>
  measured(`302, ${name}`, redirect(location), { parts: { [rest]: html(fine) } });

/** Redirects until the request contains `text`. */
const until =
  (text: RegExp, toRedirect: (target: string) => Buffer): Answer =>
  (socket, { head: sent, target }) =>
    void socket.write(text.test(sent) ? html(fine) : toRedirect(target));
const withCookie = () => html('', ['Set-Cookie: seen=1', 'Location: .'], 'HTTP/1.1 302 Found');

export const statusPages: readonly Row[] = [
  ...['299 Fine', '250 Fine', '206 Partial Content', '300 Multiple Choices', '399 Odd', '099 Low', '001 Low'].map(
    withStatus,
  ),
  ...['000 Zero', 'OK'].map(withStatus),
  ...['999 Request denied', '600 Busy', '700 Odd', '1000 Long'].map(withHighStatus),
  failed('page_error', '999, empty', closed('999 Request denied', empty), { pageStatus: 999 }),
  failed('page_not_html', '204', closed('204 No Content')),
  measured('302, without Location, with a body', fineWith('302 Found')),
  redirected('Location with spaces', 'a page of words', 'a%20page%20of%20words'),
  redirected('Location in raw UTF-8', 'größe', 'gr%C3%B6%C3%9Fe'),
  measured(
    '302, 15 times',
    until(/\?x{15} /, target => redirect(`${target}${target.includes('?') ? '' : '?'}x`)),
  ),
  measured('302, to itself with a cookie', until(/seen=1/, withCookie)),
  ...further([
    ...['226 IM Used', '203 Non-Authoritative', '201 Created', '305 Use Proxy', '306 Unused', '310 Odd'].map(
      withStatus,
    ),
    ...['20 Short', '-1 Negative'].map(withStatus),
    ...['666', '2000 Long'].map(withHighStatus),
    failed('page_not_html', '205, with a body', fineWith('205 Reset Content')),
    failed('page_not_html', '304, unconditional', closed('304 Not Modified')),
    redirected('Location with a hash', 'next#part', 'next'),
    failed(['too_many_redirects', 'page_not_html', 'page_unreachable'], '302, Location empty', redirect('')),
    measured('301 as HTTP/1.0 without a length', head(['Location: next'], 'HTTP/1.0 301 Moved')),
  ]),
];

/** The document without its charset. */
const undeclared = fine.replace('<meta charset="utf-8">', '');
const untyped = (body: string | Buffer, ...lines: string[]) =>
  join(head([...lines, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: keep-alive']), body);
const xhtml = fine
  .replace('<!doctype html>', '<?xml version="1.0"?><!DOCTYPE html>')
  .replace('<html ', '<html xmlns="http://www.w3.org/1999/xhtml" ')
  .replace(/<(meta|link)([^>]*)>/g, '<$1$2/>');
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>';
const pdf = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';
const zip = Buffer.from('504b0506000000000000000000000000000000000000', 'hex');
const part = `--b\r\nContent-Type: text/html\r\n\r\n${fine}\r\n--b--\r\n`;

const as = (name: string, type: string, body: string | Buffer = fine) => measured(name, file(type, body));
const charset = (name: string, body: string | Buffer, comment = '') =>
  as(`charset ${name}${comment}`, `text/html; charset=${name}`, body);
const notHtml = (name: string, answer: Answer) => failed('page_not_html', name, answer);
const disposed = (value: string) => html(fine, [`Content-Disposition:${value}`]);

export const typePages: readonly Row[] = [
  measured('text/plain with Refresh to a page', file('text/plain', 'One moment.', ['Refresh: 0; url=next'])),
  measured('text/html with Refresh to a page', html(fine, ['Refresh: 0;URL="next"'])),
  measured('Content-Type twice, HTML last', file('text/plain', fine, ['Content-Type: text/html'])),
  notHtml('Content-Type twice, HTML first', file('text/html', fine, ['Content-Type: text/plain'])),
  as('Content-Type as a list', 'text/plain, text/html; charset=utf-8'),
  as('Content-Type in capitals', 'TEXT/HTML;CHARSET=UTF-8'),
  as('Content-Type with an unknown charset', 'text/html; charset=utf8mb4'),
  as('Content-Type of one word', 'html'),
  measured('no Content-Type, HTML', untyped(fine)),
  measured('no Content-Type, blank lines and a comment first', untyped(`\n\n  <!-- a comment -->${fine}`)),
  notHtml('no Content-Type, words', untyped('Plain words, and no tag.')),
  notHtml('no Content-Type, nosniff', untyped(fine, 'X-Content-Type-Options: nosniff')),
  charset('utf-16', fine, ', bytes in UTF-8'),
  charset('utf-8', Buffer.from(`\uFEFF${undeclared}`, 'utf16le'), ', bytes in UTF-16 with a mark'),
  as('XHTML', 'application/xhtml+xml', xhtml),
  as('XHTML that is not well-formed', 'application/xhtml+xml', xhtml.replace('</h1>', '')),
  notHtml('SVG', file('image/svg+xml', svg)),
  notHtml('JSON', file('application/json', '{"a":1}')),
  notHtml('PDF', file('application/pdf', pdf)),
  notHtml('PNG', file('image/png', png)),
  notHtml('text/plain', file('text/plain', fine)),
  notHtml('multipart/x-mixed-replace', `${head(['Content-Type: multipart/x-mixed-replace; boundary=b'])}${part}`),
  notHtml('Content-Disposition: attachment', disposed(' attachment; filename=a.html')),
  measured('Content-Disposition: inline', disposed(' inline; filename=a.html')),
  ...further([
    measured('text/html with Refresh in 120 s', html(fine, ['Refresh: 120'])),
    as('Content-Type with a quoted charset', 'text/html; charset="utf-8"; a=b;'),
    as('Content-Type with an empty parameter', 'text/html;;;charset=;'),
    as('Content-Type with spaces', '  text/html ; charset = utf-8 '),
    as('Content-Type */*', '*/*'),
    as('Content-Type empty', ''),
    as('unknown/unknown', 'unknown/unknown'),
    measured('no Content-Type, HTML from its body', untyped('<body><h1>Only a body</h1><p>With words.</p></body>')),
    notHtml('no Content-Type, HTML after a byte order mark', untyped(`\uFEFF${fine}`)),
    measured('text/html, nosniff', html(fine, ['X-Content-Type-Options: nosniff'])),
    charset('windows-1251', Buffer.from(undeclared.replace('words', '\xf1\xeb\xee\xe2\xe0'), 'latin1')),
    ...['utf-7', 'iso-2022-jp', 'hz-gb-2312'].map(name => charset(name, undeclared)),
    notHtml('text/xml with XHTML', file('text/xml', xhtml)),
    notHtml('XML with a stylesheet', file('application/xml', '<?xml version="1.0"?><a><b>words</b></a>')),
    notHtml('text/javascript', file('text/javascript', 'let a = 1;')),
    notHtml('application/octet-stream with HTML', file('application/octet-stream', fine)),
    notHtml('application/x-httpd-php with HTML', file('application/x-httpd-php', fine)),
    notHtml('text/vnd.wap.wml', file('text/vnd.wap.wml', '<wml><card><p>words</p></card></wml>')),
    notHtml('message/rfc822', file('message/rfc822', `Content-Type: text/html\r\n\r\n${fine}`)),
    failed(['page_not_html', 'measured'], 'Content-Disposition of an unknown word', disposed(' form-data; name=a')),
    measured('Content-Disposition empty', disposed('')),
    notHtml('signed exchange type', file('application/signed-exchange;v=b3', fine)),
    notHtml('zip without a type', untyped(zip)),
  ]),
];
