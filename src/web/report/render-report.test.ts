import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import { buildResult } from '../../../test/web/reports.ts';
import { renderReport, reportPolicy } from './render-report.ts';

const lhr = (fields: Parameters<typeof buildMeasuredLhr>[0] = {}) => buildMeasuredLhr(fields);
const render = (fields: Parameters<typeof buildResult>[0] = {}) =>
  renderReport(buildResult({ lighthouse_result: lhr(), ...fields }));
const count = (text: string, part: string) => text.split(part).length - 1;

test('a result without its full data is not rendered', () => {
  assert.throws(() => renderReport(buildResult()), /drawn from full data/);
  assert.throws(() => renderReport(buildResult({ lighthouse_result: {} })), /drawn from full data/);
});

test('the policy comes before everything that it applies to', () => {
  const text = render();
  const at = text.indexOf(`<meta http-equiv="Content-Security-Policy" content="${reportPolicy()}">`);
  assert.ok(at > 0 && at < text.indexOf('<script') && at < text.indexOf('<style'));
  assert.doesNotMatch(reportPolicy(), /script-src[^;]*unsafe/);
});

test('the scripts are the same in every report; the result is data', () => {
  const scriptsOf = (text: string) => [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script]) => script);
  const [one, other] = [
    render(),
    render({ url: 'https://other.example/', lighthouse_result: lhr({ runWarnings: ['x'] }) }),
  ];
  assert.equal(scriptsOf(one).length, 3);
  assert.deepEqual(scriptsOf(one), scriptsOf(other));
  assert.equal(count(one, '<script type="application/json" id="lighthouse-result">'), 1);
});

test('text of a page stays text', () => {
  const bait = `</script><script>document.title=1</script><!--<script>"'\u2028%rangelight-data%$&</title></noscript>`;
  const hostile = lhr({ runWarnings: [bait], finalDisplayedUrl: `https://example.com/${bait}` });
  const text = render({ final_url: bait, lighthouse_result: hostile, warnings: [bait] });
  assert.equal(count(text, '<script>document'), 0);
  assert.equal(count(text, '<script'), count(render(), '<script'));
  const [, json = ''] = /id="lighthouse-result">([^<]*)<\/script>/.exec(text) ?? [];
  assert.deepEqual(JSON.parse(json).runWarnings, [bait]);
});

test('without scripts, scores and metrics are readable', () => {
  const text = render({ scores: { performance: 0, seo: null } });
  const [, plain = ''] = /<noscript>([\s\S]*?)<\/noscript>/.exec(text) ?? [];
  for (const part of [
    'Performance: 0 of 100',
    'SEO: no score',
    'Largest Contentful Paint: 1.2\u00a0s',
    'Total Blocking Time: 0\u00a0ms',
  ])
    assert.ok(plain.includes(part), part);
  assert.ok(!plain.includes('Accessibility'));
});

const spread = {
  results: 12,
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-19T00:00:00.000Z',
  metrics: {},
  scores: { performance: { min: 84, median: 87, max: 90, spread: 6 } },
};
const noteOf = (text: string) =>
  /<aside class="rangelight-note"[^>]*>([\s\S]*?)<\/aside>/
    .exec(text)?.[1]
    ?.replace(/<ol>[\s\S]*<\/ol>/, '')
    .replaceAll(/<[^>]*>/g, '');

test('a report starts with the verdict, the variation of the score, and any disturbance', () => {
  const scores = { performance: 62 };
  assert.match(noteOf(render({ scores })) ?? '', /^This page could be faster on mobile\..*Performance 62, one run\.$/s);
  assert.match(
    noteOf(render({ scores, spread })) ?? '',
    /Performance 62, one run, usually 84 to 90\..* This result, 62, is outside that range\.$/s,
  );
  const runs = {
    requested: 5,
    completed: 5,
    selected: 2,
    selected_by: 'median_run' as const,
    metrics: {},
    scores: { performance: { min: 84, median: 87, max: 90, spread: 6 } },
  };
  assert.match(
    noteOf(render({ runs, label: '<b>build</b>' })) ?? '',
    /median run of 5, 84 to 90\.5 runs: performance 84 to 90, median 87\. Run 2 is shown, nearest to the medians\.Label: &lt;b&gt;build&lt;\/b&gt;$/,
  );
  const disturbance = {
    kinds: ['processor_wait' as const],
    denied: ['total_blocking_time' as const],
    performance: 87,
    total_blocking_time: 80,
  };
  assert.match(
    noteOf(render({ scores, disturbed: true, disturbance })) ?? '',
    /^This run was disturbed \(.*\): it scores 62, and 87 without/,
  );
});
