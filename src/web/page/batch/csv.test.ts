import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsv } from './batch-table.ts';

test('fields are quoted where necessary', () => {
  assert.equal(
    toCsv([['a', 'b,c', 'd"e', 'f\ng', 1.5, 0, null, undefined]]),
    '\ufeffa,"b,c","d""e","f\ng",1.5,0,,\r\n',
  );
});

test('no text of a page runs as a formula', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx']) assert.equal(toCsv([[text]]), `\ufeff'${text}\r\n`);
  assert.equal(toCsv([['=HYPERLINK("http://x","y")']]), `\ufeff"'=HYPERLINK(""http://x"",""y"")"\r\n`);
});

test('a negative number is a number', () => assert.equal(toCsv([[-1]]), '\ufeff-1\r\n'));
