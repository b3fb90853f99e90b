import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildSide } from '../../../../test/support/builders/side.ts';
import { makeScratchFolder } from '../../../../test/support/scratch-folder.ts';
import type { Result } from '../../../contract/result/result.ts';
import { createMask, maskTexts } from '../mask.ts';
import { toGitlab } from './gitlab.ts';
import { toJunit } from './junit.ts';
import { maxSummaryBytes, toMarkdown } from './markdown.ts';
import { isFailing, type Report, type Row, rowValuesOf, sayVerdict, toRedirect } from './report.ts';
import { toAnnotations, toText } from './text.ts';
import { toJsonReport, writeOutputs } from './write-outputs.ts';

const row = (changes: Partial<Row> = {}): Row => ({
  url: 'https://example.com/',
  strategy: 'mobile',
  source: 'lighthouse',
  state: 'no_difference',
  explanation: 'No meaningful difference.',
  baseline: 'main@1a2b3c4-1',
  runs: [5, 5],
  points: 0,
  scores: { performance: 80, accessibility: null },
  metrics: { largest_contentful_paint: 2000, total_blocking_time: 10, cumulative_layout_shift: 0 },
  files: [],
  checks: [],
  id: 'one',
  link: undefined,
  ...changes,
});
const report = (rows: readonly Row[], isStrict = false): Report => ({ rows, unused: [], isStrict });
const budget = { text: 'LCP<=1s', measured: '2000 ms', passed: false, isWarning: false };

test('the text wraps at the width of a terminal, and counts what failed of how many', () => {
  const explanation = 'heavy.js was added (150 kB, 400 ms of CPU time) and costs 16 points.';
  const link = 'DATA_DIR=.rangelight npx rangelight show 0199a8c2-0000-7000-8000-000000000001';
  const rows = [row({ state: 'worse', explanation, checks: [budget], link }), row()];
  assert.equal(
    toText(report(rows), 48),
    `Failed: 1 of 2 results got worse, 1 missed a
  budget.

worse: https://example.com/ (mobile) against
  main@1a2b3c4-1
  heavy.js was added (150 kB, 400 ms of CPU
  time) and costs 16 points.
  budget missed: LCP<=1s, measured 2000 ms
  ${link}
`,
  );
  assert.ok(toText(report(rows)).includes(`\n  ${explanation}\n`));
});

test('only a decided regression or a missed budget fails, and with --strict also an undecided one', () => {
  for (const [changes, fails, failsStrictly] of [
    [{ state: 'worse' }, true, true],
    [{ state: 'better' }, false, false],
    [{ state: 'undecided' }, false, true],
    [{ state: 'not_compared' }, false, true],
    [{ state: 'created' }, false, false],
    [{ checks: [budget] }, true, true],
    [{ checks: [{ ...budget, isWarning: true }] }, false, false],
  ] as const) {
    assert.equal(isFailing(row(changes), false), fails, JSON.stringify(changes));
    assert.equal(isFailing(row(changes), true), failsStrictly, JSON.stringify(changes));
  }
  assert.equal(
    sayVerdict(report([row({ state: 'undecided' })])),
    'Passed: nothing got worse (1 undecided or not compared).',
  );
  const others = [row({ worse_scores: ['accessibility'] }), row({ state: 'better', worse_scores: ['seo'] }), row()];
  assert.equal(
    sayVerdict(report(others)),
    'Passed: the performance of no page got worse (other scores of 2 results did).',
  );
  assert.match(
    sayVerdict(report([row({ state: 'undecided' })], true)),
    /^Failed: 1 result undecided or not compared\.$/,
  );
});

test('the link to a result is the one of the service, whatever it contains', () => {
  const link = 'https://service.example/?url=https%3A%2F%2Fexample.com%2F%3Fa%3D%25&result=one';
  const linkOf = (given: string) => /^Result: <(.*)>$/m.exec(toMarkdown(report([row({ link: given })])))?.[1];
  assert.equal(linkOf(link), link);
  assert.equal(linkOf('https://service.example/> <b'), 'https://service.example/%3E%20%3Cb');
});

test('a disturbed load is marked in every output, and GitLab gets none of its unreliable values', () => {
  const marked = row({
    state: 'worse',
    mark: 'disturbed, 87 without',
    denied: ['performance', 'total_blocking_time'],
    checks: [{ ...budget, measured: '1400 ms, disturbed', isWarning: true }],
  });
  const of = report([marked]);
  assert.match(toMarkdown(of), /\| 80 \(disturbed, 87 without\) \(0\) \| 2\.0.s \| 10.ms ! \| 0 \|/);
  assert.match(toMarkdown(of), /Warning: .*measured 1400 ms, disturbed/);
  assert.match(toJunit(of), /<testsuite name="[^"]*lighthouse, disturbed, 87 without\)"/);
  assert.match(toAnnotations(of)[0] ?? '', /mobile%2C disturbed%2C 87 without/);
  assert.deepEqual(
    toGitlab(of)[0]?.metrics.map(({ name }) => name),
    ['Largest contentful paint (ms)', 'Cumulative layout shift'],
  );
  assert.match(JSON.stringify(toJsonReport(of, 1)), /"mark":"disturbed, 87 without"/);
});

test('unreliable values are left out of GitLab even if the load has no performance score', () => {
  const { result } = buildSide({ source: 'lighthouse', metricScores: [null, 1, 1, 1, 1] });
  const disturbance: Result['disturbance'] = {
    kinds: ['late_paint'],
    performance: null,
    total_blocking_time: null,
    denied: ['largest_contentful_paint'],
  };
  const marked = row(rowValuesOf({ ...result, disturbed: true, disturbance }));
  assert.equal(marked.mark, undefined);
  assert.match(toMarkdown(report([marked])), / ! \|/);
  assert.ok(!toGitlab(report([marked]))[0]?.metrics.some(({ name }) => /Largest/.test(name)));
});

test('the range of a score is in the summary and in the JSON', () => {
  const ranged = report([row({ performance_range: { min: 78, max: 84 } })]);
  assert.match(toMarkdown(ranged), /\nPerformance 80, range 78 to 84 · Accessibility –\n/);
  assert.match(JSON.stringify(toJsonReport(ranged, 0)), /"performance_range":\{"min":78,"max":84\}/);
});

test('without a baseline, nothing is called passed', () => {
  assert.equal(sayVerdict(report([row({ state: 'measured' })])), 'Measured 1 result.');
  assert.match(sayVerdict({ ...report([row()]), unused: [budget, budget] }), /^Failed: 2 budgets match no page/);
  assert.match(sayVerdict({ ...report([row()]), unused: [budget] }), /^Failed: 1 budget matches no page/);
});

test("a summary of 5,000 rows stays below GitHub's limit, with the largest change first", () => {
  const rows = Array.from({ length: 5000 }, (_, at) =>
    row({
      url: `https://example.com/${at}/${'é'.repeat(200)}`,
      state: at % 2 === 0 ? 'worse' : 'no_difference',
      points: at === 3210 ? -60 : -(at % 50),
      explanation: 'Performance is lower. '.repeat(20),
    }),
  );
  const text = toMarkdown(report(rows));
  const bytes = Buffer.byteLength(text);
  assert.ok(bytes <= maxSummaryBytes && bytes > maxSummaryBytes / 2, `${bytes} bytes`);
  const [first = ''] = text.split('\n').filter(line => line.startsWith('| worse'));
  assert.match(first, /example\.com\/3210\/|example\\\.com\/3210\//);
  assert.match(text.slice(0, 100), /^## Rangelight: Failed: 2500 of 5000 results got worse/);
  assert.match(text, /\d+ rows and \d+ sections have no room here/);
});

test('a summary with content of other steps is only appended to', async t => {
  const path = join(makeScratchFolder(t), 'summary.md');
  writeFileSync(path, 'x'.repeat(maxSummaryBytes - 10_000));
  const rows = Array.from({ length: 300 }, () => row({ state: 'worse', points: -9 }));
  await writeOutputs(report(rows), {}, { env: { GITHUB_STEP_SUMMARY: path }, exitCode: 1 });
  const { length } = readFileSync(path);
  assert.ok(length <= maxSummaryBytes, `${length} bytes`);
});

test('page text is escaped in the summary', () => {
  const text = toMarkdown(
    report([row({ state: 'worse', explanation: '<img src=x> [link](https://evil.example) `code` @team | cell' })]),
  );
  assert.ok(!/<img|\]\(https:|(?<!\\)@team/.test(text), text);
});

test('a redirect is in every output, with a warning for another host or a sign-in page', () => {
  const at = (url: string, final: string) => toRedirect({ url, final_url: final });
  for (const [url, final, warning] of [
    ['https://shop.example/admin', 'https://shop.example/login?next=/admin', /^a sign-in page was measured/],
    ['https://shop.example/admin', 'https://shop.example/users/sign_in', /^a sign-in page/],
    ['https://shop.example/a', 'https://accounts.example/a', /^a page of accounts\.example was measured instead of/],
    ['https://shop.example/', 'https://shop.example/en/', undefined],
    ['http://shop.example/login', 'https://shop.example/login/', undefined],
    ['http://shop.example/catalog', 'http://shop.example/catalogin', undefined],
  ] as const) {
    const found = at(url, final);
    assert.equal(found?.final_url, final);
    if (warning) assert.match(found?.warning ?? '', warning);
    else assert.equal(found?.warning, undefined, final);
  }
  assert.equal(at('https://shop.example/#/a', 'https://shop.example/#/b'), undefined);
  const redirect = at('https://shop.example/admin', 'https://shop.example/login');
  const all = report([row({ ...(redirect ? { redirect } : {}) })]);
  const outputs = [toMarkdown(all), toJunit(all), JSON.stringify(toJsonReport(all, 0)), toAnnotations(all).join()];
  for (const text of outputs) assert.match(text, /shop\.example\/login[\s\S]*a sign\\?-in page was measured/, text);
  assert.match(toJunit(all), /name="redirected to https:\/\/shop\.example\/login"><skipped message="a sign-in page/);
  assert.equal(isFailing(all.rows[0] as Row, true), false);
});

test('addresses in page text are not linked, but the measured page is', () => {
  const explanation =
    'See https://evil.example, HTTP://evil.example, ftp://evil.example, WWW.evil.example, a@evil.example';
  const text = toMarkdown(report([row({ state: 'worse', explanation })]));
  const [, words = ''] = /(See .*)/.exec(text) ?? [];
  assert.doesNotMatch(words, /:\/\/|www\.|@[\w.]/i);
  assert.equal(words.replaceAll('<!-- -->', '').replaceAll('\\', '').startsWith(explanation), true, words);
  assert.match(text, /^### .*: <https:\/\/example\.com\/> /m);
  const odd = toMarkdown(report([row({ url: 'https://example.com/new-in/a_b?x=|<b>' })]));
  assert.match(odd, /\| <https:\/\/example\.com\/new-in\/a_b\?x=%7C%3Cb%3E> \|/);
});

test('annotations have one line each, and at most ten of each kind', () => {
  const rows = [
    row({ state: 'worse', explanation: '100% lower\nthan: before, really' }),
    ...Array.from({ length: 20 }, () => row({ state: 'undecided' })),
    row({ checks: [budget, { ...budget, isWarning: true }] }),
  ];
  const lines = toAnnotations(report(rows));
  assert.ok(lines.every(line => !/[\r\n]/.test(line)));
  assert.equal(lines.filter(line => line.startsWith('::warning ')).length, 10);
  assert.equal(
    lines.find(line => line.startsWith('::error title=worse')),
    '::error title=worse%3A https%3A//example.com/ (mobile)::100%25 lower%0Athan: before, really',
  );
  assert.ok(lines.includes('::error title=Budget%3A https%3A//example.com/ (mobile)::LCP<=1s, measured 2000 ms'));
});

test("GitLab's file contains the numbers of each measured page", () => {
  assert.deepEqual(toGitlab(report([row(), row({ state: 'failed' })])), [
    {
      subject: 'https://example.com/ (mobile)',
      metrics: [
        { name: 'Performance', value: 80, desiredSize: 'larger' },
        { name: 'Largest contentful paint (ms)', value: 2000, desiredSize: 'smaller' },
        { name: 'Total blocking time (ms)', value: 10, desiredSize: 'smaller' },
        { name: 'Cumulative layout shift', value: 0, desiredSize: 'smaller' },
      ],
    },
  ]);
});

test('agentic browsing is a fraction', () => {
  const measured = report([row({ state: 'worse', agentic_browsing: { passed: 3, total: 5 } })]);
  assert.match(toMarkdown(measured), /Agentic browsing 3\/5 audits passed/);
  const metric = toGitlab(measured)[0]?.metrics.find(({ name }) => name.startsWith('Agentic'));
  assert.deepEqual(metric, { name: 'Agentic browsing (audits passed)', value: 3, desiredSize: 'larger' });
  assert.deepEqual(toJsonReport(measured, 1).results[0]?.agentic_browsing, { passed: 3, total: 5 });
});

test('secrets of the environment are in no output, in any format', () => {
  const env = {
    RANGELIGHT_API_KEY: 'a_key-with*marks&more',
    DATABASE_URL: 'postgres://user:pass%2Bword@db.example/app',
    HTTPS_PROXY: 'http://proxy:hunter2hunter2@proxy.example:3128',
    GIT_AUTHOR_NAME: 'Ada Lovelace',
    SHORT_TOKEN: 'abc',
    SITE_AUTHORIZATION: 'Bearer header-value-1',
    NEXTAUTH_URL: 'https://example.com',
    SLACK_TOKEN_URL: 'https://hooks.example/services/T0001/path-secret-00001',
    AUTH0_BASE_URL: 'https://ada-key:hunter3hunter3@example.com/about?state=query-secret&q=other-secret',
  };
  const secrets = [
    ...[env.RANGELIGHT_API_KEY, 'pass%2Bword', 'pass+word', 'hunter2hunter2', 'header-value-1', 'hunter3hunter3'],
    ...['ada-key', 'query-secret', 'other-secret', 'path-secret-00001'],
  ];
  const said = `${secrets.join(' ')} ${encodeURIComponent(env.RANGELIGHT_API_KEY)} by Ada Lovelace`;
  const masked = maskTexts(
    report([
      row({
        url: `https://example.com/about?q=${said}`,
        state: 'worse',
        explanation: said,
        checks: [{ ...budget, text: said }],
      }),
    ]),
    createMask(env),
  );
  const outputs = [
    toJunit(masked),
    toMarkdown(masked),
    toAnnotations(masked).join('\n'),
    JSON.stringify(toGitlab(masked)),
    JSON.stringify(toJsonReport(masked, 1)),
  ];
  for (const output of outputs) {
    const plain = output.replaceAll('\\', '').replaceAll('&amp;', '&').replaceAll('%25', '%');
    for (const secret of secrets) assert.ok(!plain.includes(secret), `${secret} in ${output}`);
    assert.match(output, /Ada Lovelace/);
    assert.match(plain, /https(?::|%3A)\/\/example\.com\/about/);
  }
});
