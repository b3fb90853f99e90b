/** The report of the soak test detects every exceeded limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditAnswer } from './audits.ts';
import { findBreaches, type Sample, type SoakOutcome, soakTable } from './soak-report.ts';

const megabyte = 1024 * 1024;
const sample = (residentMegabytes: number): Sample => ({
  residentBytes: residentMegabytes * megabyte,
  heapBytes: 20 * megabyte,
  openFiles: 28,
});
const fine: AuditAnswer = { name: 'fine', status: 200, code: undefined, seconds: 5 };
const crash: AuditAnswer = { name: 'crash', status: 502, code: 'page_crashed', seconds: 3 };

const calm: SoakOutcome = {
  audits: 10,
  answers: [...Array<AuditAnswer>(7).fill(fine), ...Array<AuditAnswer>(3).fill(crash)],
  wrong: [],
  unanswered: [],
  samples: Array<Sample>(20).fill(sample(100)),
  processesLeft: 0,
  foldersLeft: 0,
  errors: '',
  minutes: 2,
};

test('a normal run breaks no limit', () => {
  assert.deepEqual(findBreaches(calm), []);
  assert.deepEqual(
    findBreaches({
      ...calm,
      samples: [...Array<Sample>(10).fill(sample(100)), sample(300), ...Array<Sample>(10).fill(sample(109))],
    }),
    [],
  );
});

test('every exceeded limit is named', () => {
  const broken: [Partial<SoakOutcome>, RegExp][] = [
    [{ unanswered: ['fine: ECONNRESET'], answers: calm.answers.slice(1) }, /no answer: fine/],
    [{ answers: calm.answers.slice(1) }, /1 audits were never asked for/],
    [{ wrong: [{ ...crash, code: 'internal', status: 500 }] }, /crash came to 500 internal/],
    [{ wrong: [{ ...crash, code: undefined, status: 200 }] }, /crash came to 200 measured/],
    [{ processesLeft: 1 }, /1 processes left/],
    [{ foldersLeft: 2 }, /2 folders left/],
    [{ errors: 'UnhandledPromiseRejection' }, /standard error: Unhandled/],
    [{ samples: [...Array<Sample>(10).fill(sample(100)), ...Array<Sample>(10).fill(sample(110))] }, /grew by 10\.0 %/],
    [{ samples: [] }, /grew by NaN/],
  ];
  for (const [change, words] of broken) {
    const breaches = findBreaches({ ...calm, ...change });
    assert.equal(breaches.length, 1, String(words));
    assert.match(breaches[0] ?? '', words);
  }
});

test('the table counts every answer', () => {
  const table = soakTable(calm);
  assert.match(table, /\| … 200 measured \| 7 \|/);
  assert.match(table, /\| … 502 page_crashed \| 3 \|/);
  assert.match(table, /\| audits a minute \| 5\.0 \|/);
});
