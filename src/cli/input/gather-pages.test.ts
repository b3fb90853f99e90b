import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { makeScratchFolder } from '../../../test/support/scratch-folder.ts';
import { gatherPages, toPageUrls } from './gather-pages.ts';
import { UsageError } from './usage-error.ts';

const faultOf = (text: string): string => {
  try {
    toPageUrls([text]);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return assert.fail(`${text} is an address`);
};

test('an entry with a space is rejected as a whole, with the way to write a list', () => {
  for (const text of ['not a url at all', 'http://a.com/b c', 'a.com\tb.com'])
    assert.match(faultOf(text), /is not the URL of a page: it contains a space\. Write each URL on .* %20$/);
  assert.doesNotMatch(faultOf('a.com\u001b[2J b.com'), /\p{Cc}/u);
});

test('commas separate URLs, and every invalid entry is reported', () => {
  assert.deepEqual(toPageUrls(['a.com,b.com/1,2, c.com', 'd.com,']), [
    'https://a.com/',
    'https://b.com/1,2',
    'https://c.com/',
    'https://d.com/',
  ]);
  assert.match(faultOf('a.com, two words, mailto:a@b.c'), /^'two words' is not .*\n'mailto:a@b\.c' is not /);
});

test('a path is rejected with the option for a file of URLs', () => {
  for (const text of ['/tmp/pages.txt', './pages.txt', '../pages', '/'])
    assert.equal(
      faultOf(text),
      `'${text}' is not the URL of a page, but a path: to read URLs from a file, put --file before it`,
    );
  assert.match(faultOf('./my pages.txt'), /it contains a space/);
  assert.deepEqual(toPageUrls(['//a.com']), ['https://a.com/']);
});

test('a single word needs a scheme, unless it is localhost', () => {
  for (const text of ['measure', 'intranet', 'nonsense-id'])
    assert.equal(
      faultOf(text),
      `'${text}' is neither a command nor the URL of a page: write http://${text}/ if it is a host name`,
    );
  assert.deepEqual(toPageUrls(['localhost', 'localhost:3000', 'http://intranet/']), [
    'http://localhost/',
    'http://localhost:3000/',
    'http://intranet/',
  ]);
});

test('an invalid URL is rejected with a reason', () => {
  for (const [text, reason] of [
    ['javascript:alert(1)', 'only http and https pages are measured'],
    ['ftp://x', 'only http and https pages are measured'],
    ['file:///etc/hosts', 'only http and https pages are measured'],
    ['mailto:a@b.c', 'only http and https pages are measured'],
  ] as const)
    assert.equal(faultOf(text), `'${text}' is not the URL of a page: ${reason}`);
  assert.match(faultOf(`http://a.com/${'x'.repeat(2048)}`), /x' is not the URL of a page: it is longer than 2048 /);
});

test('a list in UTF-16 is decoded, one in another encoding is refused, and a comment may end a line', async t => {
  const file = join(makeScratchFolder(t), 'pages.txt');
  const around = { stdin: new PassThrough(), signal: new AbortController().signal };
  const read = (bytes: Buffer) => {
    writeFileSync(file, bytes);
    return gatherPages({ pages: [], file }, around);
  };
  const text = 'http://a.com/é # home\r\nhttp://a.com/#/route\t#\n';
  const pages = ['http://a.com/%C3%A9', 'http://a.com/#/route'];
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`), utf16, Buffer.from(utf16).swap16()])
    assert.deepEqual(await read(bytes), pages);
  await assert.rejects(read(Buffer.from(text, 'latin1')), /it contains U\+FFFD, so the text was not UTF-8: save it as/);
});
