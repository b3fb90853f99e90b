import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildSeriesPoint as point } from '../../../test/support/builders/series.ts';
import type { SeriesPoint } from '../../storage/results/store.ts';
import { toHistoryCsv } from './history-csv.ts';
import { toHistory } from './to-history.ts';

const toCsv = (points: SeriesPoint[]) =>
  toHistoryCsv(
    toHistory({
      url: 'https://example.com/',
      strategy: 'mobile',
      source: 'lighthouse',
      metric: 'performance',
      label: null,
      series: { points, failures: [] },
      limit: 10_000,
    }),
  );

/** Reads one line as RFC 4180 has it. */
function readCells(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g))
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
  return cells;
}

const head = 'fetched_at,value,unit,label,id,runs,lighthouse_version,browser_version,change,disturbed';

test('the points of a history are lines after a header; without points there is only the header', () => {
  assert.equal(toCsv([]), `${head}\r\n`);
  assert.equal(
    toCsv([point(0, 91, { label: 'v1' }), point(1, 0, { disturbed: true })]),
    [
      head,
      '2026-11-20T12:00:00.000Z,91,point,v1,id-0,1,13.5.0,153.0.1,,',
      '2026-11-20T12:01:00.000Z,0,point,,id-1,1,13.5.0,153.0.1,,true',
      '',
    ].join('\r\n'),
  );
});

test('the first point after a change is marked', () => {
  const lines = toCsv(Array.from({ length: 30 }, (_, at) => point(at, at < 14 ? 90 : 70))).split('\r\n');
  assert.deepEqual(
    lines.flatMap((line, at) => (line.includes(',worse,') ? [at - 1] : [])),
    [14],
  );
});

test('a label that a spreadsheet would execute becomes text', () => {
  for (const label of ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("http://evil.test","x")', '＝1']) {
    const [, line = ''] = toCsv([point(0, 90, { label })]).split('\r\n');
    assert.equal(readCells(line)[3], `'${label}`);
    assert.match(line, /^[^,]+,90,point,"'/);
  }
});

test('any label is one cell of one line', () => {
  const label = fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' }).filter(text => !/\p{Cc}/u.test(text));
  fc.assert(
    fc.property(label, given => {
      const lines = toCsv([point(0, 90, { label: given })]).split('\r\n');
      assert.equal(lines.length, 3);
      const cells = readCells(lines[1] ?? '');
      assert.equal(cells.length, 10);
      assert.equal(cells[3], /^[=+\-@＝＋－＠]/.test(given) ? `'${given}` : given);
    }),
    // What looks like a formula that was made safe already stays as it is.
    { examples: [["'- "], ['-']] },
  );
});
