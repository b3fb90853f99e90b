import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../../../test/support/builders/side.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Column } from '../../../presentation/answer.ts';
import { toSideNames } from '../../../presentation/side-names.ts';
import { countRatings, type IndexEntry, indexScript, orderEntries } from './index-order.ts';
import { indexMark, renderIndex } from './render-index.ts';

const column = (scores: Result['scores'], source: Result['source'] = 'lighthouse'): Column => ({
  source,
  strategy: 'mobile',
  part: { ok: true, result: buildSide({ source, result: { scores } }).result },
});
const failure: Column = {
  source: 'lighthouse',
  strategy: 'mobile',
  part: { ok: false, url: 'x', failure: { kind: 'unreachable' } },
};
const entry = (url: string, ...columns: Column[]): IndexEntry => ({
  url,
  strategy: 'mobile',
  columns,
  report: `${url}.html`,
  picture: undefined,
});
const names = toSideNames(undefined);
const render = (entries: readonly IndexEntry[], asked = entries.length) => renderIndex({ entries, names, asked });

test('the worst performance is first, pages without it are later, and failed ones last', () => {
  const entries = [
    entry('failed', failure),
    entry('good', column({ performance: 95 })),
    entry('unscored', column({ performance: null })),
    entry('worst', column({ performance: 0 }, 'psi'), column({ performance: 99 })),
    entry('same', column({ performance: 95 })),
    entry('half', column({ performance: 50 }), failure),
  ];
  assert.deepEqual(
    orderEntries(entries).map(({ url }) => url),
    ['worst', 'half', 'good', 'same', 'unscored', 'failed'],
  );
  assert.deepEqual(countRatings(entries), { poor: 1, 'needs-improvement': 1, good: 2 });
});

test('without performance, the first category with a score decides', () => {
  const entries = [entry('a', column({ seo: 90 })), entry('b', column({ seo: 80 }))];
  assert.deepEqual(
    orderEntries(entries).map(({ url }) => url),
    ['b', 'a'],
  );
  assert.doesNotMatch(render(entries), /Performance:/);
});

test('a row links to its report; a failure has its reason; a cancelled list says so', () => {
  const html = render([entry('http://a/?x="1"&y', column({ performance: 40 })), entry('http://b/', failure)], 5);
  assert.match(
    html,
    /<a href="\.\/http%3A%2F%2Fa%2F%3Fx%3D%221%22%26y\.html">http:\/\/a\/\?x=&quot;1&quot;&amp;y<\/a>/,
  );
  assert.match(html, /cancelled: 2 of 5 results/);
  assert.match(html, /<strong>The service cannot be reached<\/strong> <code>no_connection<\/code>/);
  assert.match(html, /Performance: 1 poor\. 1 could not be measured\./);
  assert.ok(html.includes(indexMark));
});

test("the title of a page is text, and the only script in the file is the index's own", () => {
  const hostile = '<img src=x onerror=alert(1)></script><script>alert(1)</script>';
  const html = render([entry(hostile, column({ performance: 1 })), entry(hostile, failure)]);
  assert.doesNotMatch(html, /<img src=x/);
  assert.deepEqual(html.match(/<script>[\s\S]*?<\/script>/g), [`<script>${indexScript}</script>`]);
  assert.match(
    html,
    /content="default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; img-src data:; /,
  );
});

test('a row shows the range of its score, and for two sides which one has it', () => {
  const range = { min: 84, median: 87, max: 90, spread: 6 };
  const runs = {
    requested: 5,
    completed: 5,
    selected: 2,
    selected_by: 'median_run',
    scores: { performance: range },
    metrics: {},
  };
  const repeated: Column = {
    source: 'lighthouse',
    strategy: 'mobile',
    part: {
      ok: true,
      result: buildSide({ result: { scores: { performance: 87 }, runs: runs as NonNullable<Result['runs']> } }).result,
    },
  };
  assert.match(render([entry('a', repeated)]), />mobile · median run of 5, 84 to 90</);
  assert.match(
    render([entry('a', column({ performance: 90 }, 'psi'), repeated)]),
    />mobile · Local: median run of 5, 84 to 90</,
  );
  assert.doesNotMatch(render([entry('a', column({ performance: 90 }))]), /one run/);
});

test('a row is sorted by the worse of its sides, ignoring missing values', () => {
  const html = render([entry('a', column({ performance: 90 }, 'psi'), column({ performance: 40, seo: 100 }), failure)]);
  assert.match(html, /data-first="low">Performance/);
  assert.match(html, /data-first="high"><abbr/);
  assert.match(html, /data-value="40"/);
  assert.doesNotMatch(render([entry('a', failure)]), /data-value/);
});

test('with two sides there is a legend, and with pictures there is space for them', () => {
  const one = [entry('a', column({ performance: 1 }))];
  const two = [entry('a', column({ performance: 1 }, 'psi'), column({ performance: 1 }))];
  assert.doesNotMatch(render(one), /class="index-sides|class="thumbnail/);
  assert.match(render(two), /<p class="index-sides small">[\s\S]*Remote[\s\S]*Local[\s\S]*<\/p>/);
  const pictured = [...one.map(given => ({ ...given, picture: 'data:image/png;base64,AAAA' })), ...two];
  assert.equal(render(pictured).match(/class="thumbnail"/g)?.length, 2);
});

test('an index of failures alone, and an empty one, are drawn', () => {
  assert.match(render([entry('http://b/', failure)]), /Not measured: 1/);
  assert.match(render([], 3), /0 results/);
});

const disturbed = (score: number, without: number | null): Column => ({
  source: 'lighthouse',
  strategy: 'mobile',
  part: {
    ok: true,
    result: {
      ...buildSide({ source: 'lighthouse', result: { scores: { performance: score } } }).result,
      disturbed: true,
      disturbance: {
        kinds: ['processor_wait'],
        denied: ['total_blocking_time'],
        performance: without,
        total_blocking_time: null,
      },
    },
  },
});

test('a disturbed page is not ranked by what disturbed it, and is marked', () => {
  const entries = [
    entry('quiet', column({ performance: 70 })),
    entry('known', disturbed(40, 87)),
    entry('unknown', disturbed(10, null)),
  ];
  assert.deepEqual(
    orderEntries(entries).map(({ url }) => url),
    ['quiet', 'known', 'unknown'],
  );
  assert.deepEqual(countRatings(entries), { poor: 0, 'needs-improvement': 2, good: 0 });
  const text = render(entries);
  assert.match(text, /mobile · disturbed, measured 40</);
  assert.match(text, /mobile · disturbed</);
  assert.match(text, /data-value="87"/);
  assert.doesNotMatch(text, /data-value="(?:10|40)"/);
  const [, json = ''] = new RegExp(`${indexMark}>([^<]*)<`).exec(text) ?? [];
  assert.deepEqual(
    (JSON.parse(json) as { results: { disturbed: boolean | null }[] }[]).map(({ results }) => results[0]?.disturbed),
    [null, true, true],
  );
});

test('agentic browsing is shown as a fraction', () => {
  const { result } = buildSide({ source: 'lighthouse', result: { agentic_browsing: { passed: 3, total: 5 } } });
  const html = render([entry('a', { source: 'lighthouse', strategy: 'mobile', part: { ok: true, result } })]);
  assert.match(html, /data-value="60"><span class="cell-label" aria-hidden="true">Agentic browsing<\/span>.*3\/5/);
  assert.match(html, /"agentic_browsing":\{"passed":3,"total":5\}/);
});
