import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openConnection } from './connection.ts';

test('a connection retains a limited number of prepared statements, those that were used last', t => {
  const connection = openConnection(':memory:', { busyTimeoutMs: 0 });
  t.after(() => connection.close());
  const prepare = t.mock.method(DatabaseSync.prototype, 'prepare');
  const ask = (sql: string, ...values: number[]) => connection.rows({ sql, values });
  const usual = 'SELECT 1';
  const first = 'SELECT 1 WHERE 1 IN (?)';
  ask(first, 1);
  for (let length = 2; length <= 1000; length += 1) {
    ask(`SELECT 1 WHERE 1 IN (${Array(length).fill('?')})`, ...Array(length).fill(1));
    ask(usual);
  }
  assert.deepEqual(ask(first, 1), [[1]]);
  const countOf = (sql: string) => prepare.mock.calls.filter(({ arguments: [given] }) => given === sql).length;
  assert.deepEqual([countOf(usual), countOf(first)], [1, 2]);
});
