import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSides } from '../../../test/support/builders/compared.ts';
import { buildSide, pageUrl } from '../../../test/support/builders/side.ts';
import type { Result } from '../../contract/result/result.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { type FinishedMeasurement, type Measurement, toFinishedMeasurement } from '../measurements.ts';
import { toResultsText } from './output-text.ts';
import { createScreen } from './terminal/screen.ts';
import { widthOf } from './terminal/width.ts';

const names = toSideNames({ kind: 'embedded' });
const show = (...all: FinishedMeasurement[]) => toResultsText(createScreen({ columns: 120 }), all, { names });
const unwrap = (text: string): string => text.replaceAll(/\n */g, ' ');

const toJob = (path: string, index = 0): Measurement => ({
  index,
  url: pageUrl,
  strategy: 'mobile',
  call: {
    method: 'GET',
    path,
    lanes: (path === 'compare' ? (['psi', 'lighthouse'] as const) : (['lighthouse'] as const)).map(source => ({
      source,
      strategy: 'mobile',
    })),
  },
});
const succeed = (path: string, body: unknown, index = 0) =>
  toFinishedMeasurement(toJob(path, index), { ok: true, body });

const spread = (min: number, median: number, max: number) => ({ min, median, max, spread: max - min });
const runs: Result['runs'] = {
  requested: 3,
  completed: 3,
  selected: 2,
  selected_by: 'median_run',
  scores: { performance: spread(90, 94, 97) },
  metrics: { largest_contentful_paint: spread(1100, 1200, 2400) },
};

const problem = {
  type: 'x',
  title: 'Page is blank',
  status: 502,
  detail: 'Nothing.',
  code: 'page_blank',
  retryable: true,
};
const [psi, lighthouse] = [buildSide(), buildSide({ source: 'lighthouse', metricScores: [1, 1, 0.1, 1, 1] })];
const comparison = compareSides(psi, lighthouse, { outcome: { results: [] }, askedAtMs: 0 });
const compared = { url: pageUrl, strategy: 'mobile', psi: psi.result, lighthouse: lighthouse.result, comparison };

test('one result shows each score and metric with its mark, and a score of zero as zero', () => {
  const { result } = buildSide({ source: 'lighthouse', metricScores: [0, 0, 0, 0, 0] });
  const text = show(succeed('lighthouse', { ...result, lighthouse_result: { big: true } }));
  assert.match(text, /^https:\/\/example\.com\/\n {2}mobile · Lighthouse on this machine · Lighthouse /);
  assert.match(text, /Performance +▲ 0 +poor\n/);
  assert.match(text, /Accessibility +● 100 +good\n/);
  assert.match(text, /Largest Contentful Paint +[●▲■] /);
  assert.doesNotMatch(text, /undefined|NaN|null|\[object/);
});

test('a missing score is a dash and has no rating', () => {
  const { result } = buildSide({ source: 'lighthouse', metricScores: [null, 1, 1, 1, 1] });
  assert.match(show(succeed('lighthouse', result)), /Performance +–\n/);
});

test("a finding shows its possible savings, in the page's units", () => {
  const audit = {
    id: 'a',
    title: 'Improve `images`',
    description: '',
    score: 0,
    categories: ['performance'],
    display_value: 'Est savings of 1,992 KiB',
    savings: { largest_contentful_paint: 2400 },
  } as Result['failed_audits'][number];
  const { result } = buildSide({ source: 'lighthouse', result: { failed_audits: [audit] } });
  assert.match(
    show(succeed('lighthouse', result)),
    / {2}- Improve images \(may save 2\.4\u00a0s on the main content and 2\.0\u00a0MB\)\n/,
  );
});

test('several runs show their spread', () => {
  const { result } = buildSide({ source: 'lighthouse', result: { runs } });
  const text = show(succeed('lighthouse', result));
  assert.match(text, / · median run of 3\n/);
  assert.match(text, /Performance .* 90–97\n/);
  assert.match(text, /Largest Contentful Paint .* 1\.1\u00a0s–2\.4\u00a0s\n/);
});

test('a comparison shows both sides, the difference in points, its causes and the verdict', () => {
  const text = show(succeed('compare', compared));
  const { scores, explanation: verdict, causes } = comparison;
  const difference = String(scores.performance?.difference).replace('-', '−');
  assert.match(text, new RegExp(`Performance +● 100 +[▲■] \\d+ +${difference}\n`));
  assert.match(text, /Total Blocking Time .* −\d+\.\d\n/);
  const unwrapped = unwrap(text);
  assert.ok(causes.length > 0 && causes.every(({ explanation }) => unwrapped.includes(explanation)));
  assert.ok(unwrapped.indexOf(verdict) > 0 && unwrapped.indexOf(verdict) < unwrapped.indexOf('Performance '));
  assert.doesNotMatch(text, /undefined|NaN|null|\[object/);
});

test('at 80 columns, a comparison with ranges is a table, and no line is longer', () => {
  const one = succeed('compare', { ...compared, lighthouse: { ...lighthouse.result, runs } });
  const lines = toResultsText(createScreen(), [one], { names }).split('\n');
  assert.ok(lines.some(line => /Local +difference +points +local: 3 runs/.test(line)));
  assert.ok(lines.some(line => /^ {2}LCP /.test(line)));
  assert.deepEqual(
    lines.filter(line => widthOf(line) > 80),
    [],
  );
});

test('agentic browsing is a fraction on each side and in a table of results', () => {
  const agentic = { agentic_browsing: { passed: 3, total: 5 } };
  const both = { ...compared, psi: { ...psi.result, ...agentic }, lighthouse: { ...lighthouse.result, ...agentic } };
  assert.match(show(succeed('compare', both)), /Agentic browsing +3\/5 +3\/5/);
  const results = show(succeed('lighthouse', both.lighthouse), succeed('lighthouse', both.psi, 1));
  assert.match(results, /Agentic browsing|Agent/);
  assert.equal(results.match(/3\/5/g)?.length, 2);
});

test('if one side failed, the other is shown, and the failed side is named', () => {
  const half = { ...compared, psi: { url: pageUrl, error: problem }, comparison: null };
  const text = show(succeed('compare', half));
  assert.match(text, /Performance +[▲■] \d+/);
  assert.match(
    text,
    /✗ https:\/\/example\.com\/ \(mobile, PSI settings\)\n {2}Page is blank \(page_blank\): Nothing\.\n/,
  );
});

test('a failure that both sides share is shown once', () => {
  const body = {
    ...compared,
    ...problem,
    psi: { url: pageUrl, error: problem },
    lighthouse: { url: pageUrl, error: problem },
  };
  const failed = toFinishedMeasurement(toJob('compare'), {
    ok: false,
    failure: { kind: 'cut' },
    body: { ...body, comparison: null },
  });
  const text = show(failed);
  assert.equal(text.match(/page_blank/g)?.length, 1);
  assert.match(text, /\(mobile, PSI settings and Local\)/);
});

const failAt = (index: number) =>
  toFinishedMeasurement(toJob('lighthouse', index), {
    ok: false,
    failure: { kind: 'problem', problem },
    body: problem,
  } as const);

test('several results have one row each, in the requested order, including failures', () => {
  const text = show(succeed('lighthouse', lighthouse.result), failAt(1), succeed('compare', compared, 2));
  const rows = text.split('\n').slice(4, 12);
  const patterns = [
    ...[/example/, /Local +[▲■] \d+/, /example/, /Local +✗ page_blank: Nothing\./],
    ...[/example/, /Google +● 100/, /Local +[▲■]/, /difference +−\d+/],
  ];
  for (const [at, pattern] of patterns.entries()) assert.match(rows[at] ?? '', pattern);
  assert.ok(unwrap(text).includes(`${pageUrl}: ${comparison.explanation}`));
});

test('values common to all rows are shown once above them', () => {
  const text = show(succeed('lighthouse', lighthouse.result), succeed('lighthouse', lighthouse.result, 1));
  assert.match(text, /^ {2}2 results · mobile · Local\n\n {2}page +Performance /);
});

test('a row of several results has the range of its score below it', () => {
  const { result } = buildSide({ source: 'lighthouse' });
  const usual = { results: 12, from: '', to: '', scores: { performance: spread(84, 87, 90) }, metrics: {} };
  const lines = show(
    succeed('lighthouse', { ...result, runs }),
    succeed('lighthouse', result, 1),
    succeed('lighthouse', { ...result, spread: usual }, 2),
  ).split('\n');
  const rows = lines.filter(line => /^ {2}https|^ {4}\S/.test(line)).map(line => line.trim().replace(/ .*● .*/, ''));
  assert.deepEqual(rows, [pageUrl, 'median run of 3, 90 to 97', pageUrl, pageUrl, 'one run, usually 84 to 90']);
});

test('pages with the same failure are listed together, with advice', () => {
  const text = show(succeed('lighthouse', lighthouse.result), failAt(1), failAt(2));
  assert.match(
    text,
    /\n✗ https:\/\/example\.com\/ \(mobile, Local\)\n✗ https:\/\/example\.com\/ \(mobile, Local\)\n {2}Page is blank \(page_blank\): Nothing\.\n {2}Check /,
  );
});

const manyUrls = Array.from({ length: 13 }, (_, at) => ({
  url: `https://cdn.example/pictures/2026/a-rather-long-name-of-a-picture-${at}.bmp?width=1600`,
  wastedBytes: 2_100_000 - at * 90_000,
}));
const findings = ['image-delivery-insight', 'unused-javascript', 'a', 'b', 'c', 'd', 'e'].map(id => ({
  id,
  title: `Title of \`${id}\``,
  description: '',
  score: 0,
  categories: ['performance'],
  savings: {},
  display_value: id === 'a' ? '13 things' : null,
})) as Result['failed_audits'];
const audit = (scoreDisplayMode: string, score: number | null = null) => ({ scoreDisplayMode, score });
const whole = {
  entities: [{ name: 'Example CDN', origins: ['https://cdn.example'] }],
  categories: {
    performance: {
      auditRefs: [
        ...['image-delivery-insight', 'passing', 'informing', 'nowhere', 'elsewhere', 'by-hand', 'left-out'].map(
          id => ({
            id,
          }),
        ),
        { id: 'largest-contentful-paint', group: 'metrics' },
      ],
    },
    seo: { auditRefs: [{ id: 'passing' }, { id: 'secret', group: 'hidden' }] },
  },
  audits: {
    'image-delivery-insight': {
      ...audit('metricSavings', 0),
      details: {
        type: 'table',
        headings: [
          { key: 'url', valueType: 'url', label: 'URL' },
          { key: 'wastedBytes', valueType: 'bytes', label: 'Est Savings' },
        ],
        items: [
          ...manyUrls,
          { url: 'https://cdn.example/\u001b[2J日本語/日本語/日本語/日本語/日本語/日本語.png', wastedBytes: 5 },
        ],
      },
    },
    'largest-contentful-paint': audit('numeric', 0),
    passing: audit('binary', 1),
    informing: audit('informative', 1),
    elsewhere: audit('notApplicable'),
    'by-hand': audit('manual'),
    'left-out': audit('binary', 0),
    secret: audit('binary', 1),
  },
};
const rich = buildSide({ source: 'lighthouse', result: { failed_audits: findings } }).result;
const one = succeed('lighthouse', { ...rich, lighthouse_result: whole });
const showAll = (columns: number, ...all: FinishedMeasurement[]) =>
  toResultsText(createScreen({ columns }), all, { names, isAll: true });

test('--all shows every finding with its table, and names the other audits', () => {
  assert.match(show(one), /\n {2}and 2 more \(--all shows them\)\n/);
  const text = showAll(100, one);
  assert.match(text, /\nTo fix: 7\n\nPerformance\n {2}▲ Title of image-delivery-insight\n {4}image-delivery-insight\n/);
  assert.match(text, /\n {6}URL +Est Savings\n/);
  assert.equal(text.match(/ · Example CDN/g)?.length, 14);
  assert.match(text, /\n {4}a · 13 things\n/);
  assert.match(text, /\nPassed \(1 audit\): passing\nInformative \(1 audit\): informing\n/);
  assert.match(text, /\nFailed too \(1 audit\): left-out\nNot applicable: 1\. To check by hand: 1\.\n/);
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
});

test('--all with several pages shows the table of all, then each page', () => {
  const text = showAll(100, one, succeed('lighthouse', rich, 1));
  assert.equal(text.match(/\nTo fix: 7\n/g)?.length, 2);
  assert.match(text, /^ {2}2 results/);
  assert.match(text, /does not contain the tables/);
});

test('--all with a comparison says which side has a finding', () => {
  const alone = { ...compared, lighthouse: { ...lighthouse.result, failed_audits: findings.slice(0, 1) } };
  assert.match(showAll(100, succeed('compare', alone)), /\n {4}image-delivery-insight · only Local\n/);
});

test('the location of a stored result is shown', () => {
  const keptAt = () => 'http://127.0.0.1:8000/?result=1';
  assert.match(
    toResultsText(createScreen(), [one], { names, keptAt }),
    /\n {2}stored: http:\/\/127\.0\.0\.1:8000\/\?result=1\n/,
  );
});

test('no row of any table is wider than the terminal', () => {
  const long = { ...rich, url: `https://example.com/${'a-long-path/'.repeat(30)}`, final_url: rich.url, runs };
  const several = [
    one,
    succeed('lighthouse', { ...long, strategy: 'desktop' }, 1),
    failAt(2),
    succeed('compare', compared, 3),
  ];
  // A word that is too long for a line is not cut, so that the URL of a heading can be copied.
  for (const columns of [40, 60, 80, 120, 200])
    for (const all of [[one], [succeed('lighthouse', long)], [succeed('compare', compared)], several])
      for (const line of showAll(columns, ...all).split('\n'))
        assert.ok(
          widthOf(line) <= columns || /^\S* ?https:\S+(?: \(\w+, \w+\))?$/.test(line.trim()),
          `${columns}: ${line}`,
        );
});

test('several runs show their number, their range, which one is shown, and their label', () => {
  const { result } = buildSide({ source: 'lighthouse' });
  const text = show(succeed('lighthouse', { ...result, runs, label: 'build-42' }));
  assert.match(text, /median run of 3 · label build-42\n/);
  assert.match(text, /value {2,}rating {2,}3 runs\n/);
  assert.match(text, /Performance .* 90–97\n/);
  assert.match(text, /\n3 runs: performance 90 to 97, median 94\. Run 2 is shown, nearest to the medians\.\n/);
  const fewer = { ...runs, requested: 5, completed: 3, disturbed: 1, counted: 2 } as Result['runs'];
  assert.match(
    show(succeed('lighthouse', { ...result, runs: fewer })),
    /\n3 of 5 runs, 2 of them undisturbed: performance 90 to 97, .* Run 2 is shown, nearest to the medians\.\n/,
  );
  const stored = { ...runs, disturbed: 1 } as Result['runs'];
  const ofEarlierVersion = show(succeed('lighthouse', { ...result, runs: stored }));
  assert.match(ofEarlierVersion, /\n3 runs: performance 90 to 97, .* 1 of them was disturbed\.\n/);
  const none = { ...runs, disturbed: 3 } as Result['runs'];
  assert.match(show(succeed('lighthouse', { ...result, runs: none })), /\n3 runs: .* All of them were disturbed\.\n/);
  const five = { ...runs, requested: 5, completed: 5, score_interval: { low: 91, high: 96, confidence: 0.9375 } };
  assert.match(
    show(succeed('lighthouse', { ...result, runs: five as Result['runs'] })),
    /\n5 runs: performance 90 to 97, median 94; the median of all loads lies between 91 and 96 \(93 %\)\./,
  );
});

test('a result says that its load was repeated, and several runs say how many were', () => {
  const { result } = buildSide({ source: 'lighthouse' });
  const once = {
    requested: 1,
    completed: 1,
    selected: 1,
    selected_by: 'only_run',
    repeated: 1,
    scores: {},
    metrics: {},
  };
  const text = show(succeed('lighthouse', { ...result, runs: once as Result['runs'] }));
  assert.match(
    text.replaceAll(/\n +/g, ' '),
    /The first load was disturbed, so the page was measured again, alone; the least disturbed load is shown\./,
  );
  assert.doesNotMatch(text, /median run of/);
  assert.match(
    show(succeed('lighthouse', { ...result, runs: { ...runs, repeated: 2 } as Result['runs'] })).replaceAll('\n', ' '),
    /2 loads were disturbed and repeated alone\./,
  );
});

test('one run shows the usual range of its page, if there are earlier results', () => {
  const { result } = buildSide({ source: 'lighthouse' });
  assert.doesNotMatch(show(succeed('lighthouse', result)), /usually|results before|range/);
  const usual = {
    results: 12,
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-11-19T00:00:00.000Z',
    scores: { performance: spread(84, 87, 90) },
    metrics: { largest_contentful_paint: spread(1100, 1200, 2400) },
  };
  const scores = { ...result.scores, performance: 86 };
  const text = show(succeed('lighthouse', { ...result, scores, spread: usual }));
  assert.match(text, /rating {2,}12 results before\n/);
  assert.match(text, /Largest Contentful Paint .* 1\.1\ss–2\.4\ss\n/);
  assert.match(text, /\nThe performance score of this page is usually 84 to 90 \(12 results before\)\.\n/);
  const low = { ...result, scores: { ...scores, performance: 62 }, spread: usual };
  assert.match(show(succeed('lighthouse', low)), /This result, 62, is outside that range\./);
});

const disturbed = (without: number | null): Partial<Result> => ({
  disturbed: true,
  disturbance: {
    kinds: ['processor_wait'],
    denied: ['total_blocking_time', 'interactive'],
    performance: without,
    total_blocking_time: without === null ? null : 80,
  },
});

test('a disturbed result is marked in the terminal, and so is its row in a list', () => {
  const { result } = buildSide({ source: 'lighthouse', metricScores: [1, 1, 0.1, 1, 1] });
  const marked = { ...result, ...disturbed(97) };
  const text = show(succeed('lighthouse', marked));
  // The value without the disturbance is the value, and the score alone has a mark.
  assert.match(text, /Performance +\S* ?97 ! +good\n/);
  assert.match(text, /Total Blocking Time .*80\sms +good\n/);
  assert.match(
    text,
    /\nThis run was disturbed \(the page waited for a CPU\): it scores \d+, and 97 without the disturbance\./,
  );
  const list = show(succeed('lighthouse', result), succeed('lighthouse', { ...marked, ...disturbed(null) }, 1));
  assert.match(list, / \d+ ! /);
  assert.match(list, /\n! disturbed: the value without the disturbance or, if that is unknown, an unreliable one\n/);
  assert.match(list, /measure the page again\.\n/);
  assert.doesNotMatch(show(succeed('lighthouse', result), succeed('lighthouse', result, 1)), /!/);
});
