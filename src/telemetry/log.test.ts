import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, toSentence } from './log.ts';

function write(log: (log: ReturnType<typeof createLog>) => void, secrets: readonly string[] = []): string {
  const lines: string[] = [];
  log(createLog('trace', secrets, { write: line => lines.push(line) }));
  assert.equal(lines.length, 1);
  JSON.parse(lines[0] ?? '');
  return lines.join('');
}

test('the query and the fragment are removed from every URL in a line', () => {
  const address = 'https://example.com/a%20b/c';
  for (const rest of [
    '?token=SECRET',
    '#SECRET',
    '?a=b&c=SECRET#x',
    '?x=[SECRET]',
    "?q='SECRET'",
    '?https://x/?SECRET',
  ])
    for (const line of [
      write(log => log.info(`${address}${rest}`)),
      write(log => log.info({ url: `${address}${rest}`, other: 1 }, 'words')),
      write(log => log.error({ err: new Error(`could not open ${address}${rest}\nat all`) })),
      write(log => log.error({ err: Object.assign(new Error('x'), { url: `${address}${rest}` }) })),
      write(log => log.error({ err: new Error('x', { cause: new Error(`${address}${rest}`) }) })),
    ]) {
      assert.ok(!line.includes('SECRET'), line);
      assert.ok(line.includes(address), line);
    }
  assert.doesNotMatch(
    write(log => log.info('Route GET:/psi?url=SECRET not found')),
    /SECRET/,
  );
  assert.doesNotMatch(
    write(log => log.info('http://example.com?SECRET')),
    /SECRET/,
  );
});

test('a known secret is removed, and text that only looks like one is not', () => {
  const line = write(
    log => log.info({ err: new Error('key-of-a-client was refused') }, 'info'),
    ['key-of-a-client', 'info', ''],
  );
  assert.ok(!line.includes('key-of-a-client'));
  assert.ok(line.includes('"msg":"info"'));
});

test('other text is unchanged', () => {
  for (const text of ['Is it there? Yes.', 'and/or, #1', 'a b?c', '"quoted" \\ text'])
    assert.equal(JSON.parse(write(log => log.info(text))).msg, text);
});

test('a long text, a long list and a line with many texts are truncated, after secrets are removed', () => {
  const long = 'x'.repeat(8 * 1024 * 1024);
  for (const line of [
    write(log => log.info(long)),
    write(log => log.info({ targets: Array.from({ length: 100_000 }, () => long.slice(0, 100)) }, 'words')),
    write(log => log.error({ err: new Error(long, { cause: new Error(long) }), deep: { er: [{ url: long }] } })),
    write(log => log.info(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, long.slice(0, 9999)])))),
  ]) {
    assert.ok(line.length < 40_000, String(line.length));
    assert.ok(line.endsWith('\n'));
  }
  const line = write(log => log.info(`${long.slice(0, 2040)}key-of-a-client ${long}`), ['key-of-a-client']);
  assert.doesNotMatch(line, /key-of/);
});

test('a text of normal length stays whole in a long line', () => {
  const facts = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f${at}`, 'é'.repeat(1000)]));
  const line = JSON.parse(write(log => log.info(facts, 'words')));
  assert.equal(line.f9, facts.f9);
  assert.equal(line.msg, 'words');
});

test('a terminal shows warnings as sentences, errors with their stack, and no control characters', () => {
  const entry = {
    level: 40,
    msg: 'the store\u001b[2J is full',
    err: { message: 'no room', stack: 'Error: no room\n  at a' },
  };
  assert.equal(toSentence(JSON.stringify(entry)), 'Warning: the store [2J is full: no room\n');
  assert.equal(
    toSentence(JSON.stringify({ ...entry, level: 50, msg: 'it ended' })),
    'Error: it ended: Error: no room\n  at a\n',
  );
  assert.equal(toSentence(JSON.stringify({ ...entry, level: 30 })), '');
});
