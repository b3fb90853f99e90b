import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsv } from './csv.ts';

test('fields are quoted where necessary', () => {
  assert.equal(
    toCsv([['a', 'b,c', 'd"e', 'f\ng', "h'i", 1009.4000000000001, 1.5, 0, true, null, undefined]]),
    `a,"b,c","d""e","f\ng","h'i",1009.4,1.5,0,true,,\r\n`,
  );
});

test('no text of a page runs as a formula', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r=1', '\n=1', '＝1', '＠A1'])
    assert.equal(toCsv([[text]]), `"'${text}"\r\n`);
  assert.equal(toCsv([['=HYPERLINK("http://x","y")']]), `"'=HYPERLINK(""http://x"",""y"")"\r\n`);
});

test('a negative number is a number', () => assert.equal(toCsv([[-1]]), '-1\r\n'));
