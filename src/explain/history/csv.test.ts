import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildSeriesPoint as point } from '../../../test/support/builders/series.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import type { SeriesPoint } from '../../storage/results/store.ts';
import { toHistoryCsv, toResultsCsv } from './csv.ts';
import { toHistory } from './to-history.ts';

const toCsv = (points: SeriesPoint[]) =>
  toHistoryCsv(
    toHistory({
      notes: [],
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

test('stored results have a line each, failures with their error code', () => {
  const facts = {
    id: 'a',
    kind: 'result',
    url: 'https://example.com/?a=1,2',
    source: 'lighthouse',
    strategy: 'mobile',
    label: '=1+1',
    analyser: { kind: 'local', host: null, lighthouse_version: '13.5.0', browser_version: null, machine_id: null },
    fetched_at: '2026-11-20T10:00:00.000Z',
    scores: { performance: 98, accessibility: null },
    metrics: { largest_contentful_paint: 1234.5 },
    disturbed: false,
    performance_range: { min: 96, max: 99 },
    error_code: null,
    page_status: null,
  } as unknown as KeptFacts;
  const failed = {
    ...facts,
    id: 'b',
    kind: 'failure',
    scores: {},
    metrics: {},
    error_code: 'page_error',
    page_status: 404,
  };
  const [heading = '', ...lines] = toResultsCsv([facts, failed as KeptFacts]).split('\r\n');
  const names = heading.split(',');
  const cellsOf = (line = '') => Object.fromEntries(readCells(line).map((cell, at) => [names[at], cell]));
  const [first, second] = lines.map(cellsOf);
  assert.equal(lines.length, 3, 'the last line ends too');
  assert.deepEqual(
    [first?.url, first?.label, first?.performance, first?.accessibility, first?.performance_min],
    ['https://example.com/?a=1,2', "'=1+1", '98', '', '96'],
  );
  assert.deepEqual(
    [first?.largest_contentful_paint, first?.disturbed, first?.lighthouse_version],
    ['1234.5', 'false', '13.5.0'],
  );
  assert.deepEqual([second?.error_code, second?.page_status, second?.performance], ['page_error', '404', '']);
});
