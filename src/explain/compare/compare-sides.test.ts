import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/value';
import { compareSides, planFor } from '../../../test/support/builders/compared.ts';
import { buildReAudit } from '../../../test/support/builders/re-audit.ts';
import { buildDetails, buildLatency, buildSide, pageUrl } from '../../../test/support/builders/side.ts';
import { type Cause, Comparison } from '../../contract/analysis/comparison.ts';
import type { Result } from '../../contract/result/result.ts';
import type { Runs } from '../../contract/result/runs.ts';
import type { ReAuditOutcome, ReAuditScores } from './re-audits/step-points.ts';
import type { Side } from './side.ts';

const resultOf = (...scores: (number | null)[]): ReAuditScores => buildReAudit(scores);
const none: ReAuditOutcome = { results: [] };
/** A local side with this score of total blocking time, which weighs 30 points. */
const blocked = (score: number, fields: Parameters<typeof buildSide>[0] = {}): Side =>
  buildSide({ source: 'lighthouse', metricScores: [1, 1, score, 1, 1], ...fields });
const slowed = { throttling: { cpuSlowdownMultiplier: 4 } };
const show = ({ causes }: Comparison) => causes.map(({ cause, points, certainty }) => [cause, points, certainty]);
const runsOf = (spread: number): { result: Partial<Result> } => {
  const values = { min: 70, median: 70 + spread / 2, max: 70 + spread, spread };
  const runs: Runs = {
    requested: 3,
    completed: 3,
    selected: 1,
    selected_by: 'median_run',
    scores: { performance: values },
    metrics: { total_blocking_time: values },
  };
  return { result: { runs } };
};
/** A run that has no spread: three were requested, and one completed. */
const onlyRun: { result: Partial<Result> } = {
  result: { runs: { requested: 3, completed: 1, selected: 1, selected_by: 'only_run', scores: {}, metrics: {} } },
};

/** Time at which the built sides were measured. */
const measuredAtMs = Date.parse('2026-11-20T10:00:00.000Z');
const compare = (psi: Side, lighthouse: Side, outcome: ReAuditOutcome) =>
  compareSides(psi, lighthouse, { outcome, askedAtMs: measuredAtMs });

test('the same result on both sides has no cause', () => {
  const comparison = compare(buildSide(), buildSide({ source: 'lighthouse' }), none);
  assert.deepEqual(comparison.causes, []);
  assert.equal(comparison.re_audits.status, 'not_needed');
  assert.equal(comparison.noise, null);
  assert.equal(comparison.performance?.difference, 0);
});

test('a re-audit computes the cost of a setting, and the small rest is not called noise', () => {
  const lighthouse = blocked(0.2, slowed);
  const psi = blocked(0.95, { source: 'psi' });
  assert.deepEqual(
    planFor(psi, lighthouse).map(({ cause }) => cause),
    ['cpu'],
  );
  const comparison = compare(psi, lighthouse, { results: [resultOf(1, 1, 0.2, 1, 1), resultOf(1, 1, 0.9, 1, 1)] });
  assert.deepEqual(show(comparison), [
    ['cpu', -21, 'computed'],
    ['unexplained', -1.5, 'possible'],
  ]);
  assert.deepEqual([comparison.re_audits.status, comparison.re_audits.order], ['done', ['cpu']]);
});

test('a computed cause precedes a larger rest', () => {
  const results = [resultOf(1, 1, 0.8, 1, 1), resultOf(1, 1, 0.85, 1, 1)];
  assert.deepEqual(show(compare(blocked(1, { source: 'psi' }), blocked(0.8, slowed), { results })), [
    ['cpu', -1.5, 'computed'],
    ['run_noise', -4.5, 'possible'],
  ]);
});

test('the cost of each step is its addition to the previous ones', () => {
  const psi = blocked(1, { source: 'psi', audits: buildLatency(400), throttling: { rttMs: 40 } });
  const lighthouse = blocked(0.4, slowed);
  const results = [0.4, 0.5, 0.9, 1].map(score => resultOf(1, 1, score, 1, 1));
  assert.deepEqual(show(compare(psi, lighthouse, { results })), [
    ['cpu', -12, 'computed'],
    ['throttling', -3, 'computed'],
    ['server', -3, 'computed'],
  ]);
});

test('a slower server that cost nothing is not a cause', () => {
  const [psi, lighthouse] = [blocked(1, { source: 'psi', audits: buildLatency(400) }), blocked(1)];
  const results = (second: number) => [resultOf(1, 1, 1, 1, 1), resultOf(1, 1, second, 1, 1)];
  const comparison = compare(psi, lighthouse, { results: results(1) });
  assert.deepEqual([show(comparison), comparison.re_audits.order], [[], ['server']]);
  assert.deepEqual(
    show(compare(psi, lighthouse, { results: results(0.9) })).map(([cause]) => cause),
    ['server', 'run_noise'],
  );
});

test('a setting that costs nothing on this page is last', () => {
  const psi = blocked(1, { source: 'psi' });
  const results = [resultOf(1, 1, 0.9, 1, 1), resultOf(1, 1, 0.9, 1, 1)];
  assert.deepEqual(show(compare(psi, blocked(0.9, slowed), { results })), [
    ['run_noise', -3, 'possible'],
    ['cpu', 0, 'computed'],
  ]);
});

test('without a re-audit the settings are observed, and the answer says that nothing was computed', () => {
  const psi = blocked(1, { source: 'psi' });
  const outcomes: ReAuditOutcome[] = [
    { reason: 'it took too long or failed' },
    none,
    { results: [resultOf(1, 1, 0.2, 1, 1)] },
    { results: [resultOf(1, 1, 0.2, 1, 1), resultOf(1, 1, null, 1, 1)] },
    { results: [resultOf(1, 1, null, 1, 1), resultOf(1, 1, 1, 1, 1)] },
    { results: [resultOf(1, 1, 0.6, 1, 1), resultOf(1, 1, 1, 1, 1)] },
  ];
  for (const outcome of outcomes) {
    const comparison = compare(psi, blocked(0.2, slowed), outcome);
    assert.deepEqual(show(comparison), [['cpu', null, 'observed']], JSON.stringify(outcome));
    assert.equal(comparison.re_audits.status, 'not_possible');
    assert.match(comparison.causes[0]?.explanation ?? '', /The effect was not computed/);
    assert.match(comparison.explanation, /could not be computed/);
  }
});

test('a difference without any cause is unexplained', () => {
  const psi = blocked(1, { source: 'psi' });
  assert.deepEqual(show(compare(psi, blocked(0.5), none)), [['unexplained', -15, 'observed']]);
  assert.deepEqual(show(compare(psi, blocked(0.85), none)), [['run_noise', -4.5, 'possible']]);
  assert.deepEqual(show(compare(psi, blocked(0.99), none)), [], 'less than half a point is rounding');
});

test('several runs show how much is noise', () => {
  const psi = blocked(1, { source: 'psi' });
  const within = compare(psi, blocked(0.5, runsOf(20)), none);
  assert.deepEqual(show(within), [['run_noise', -15, 'observed']]);
  const beyond = compare(psi, blocked(0.9, runsOf(1)), none);
  assert.deepEqual(show(beyond), [['unexplained', -3, 'observed']]);
  const onlyOne = compare(psi, blocked(0.9, onlyRun), none);
  assert.deepEqual(show(onlyOne), [['run_noise', -3, 'possible']]);
  assert.doesNotMatch(onlyOne.causes[0]?.explanation ?? '', /runs=/, 'several were asked for');
  assert.match(beyond.causes[0]?.explanation ?? '', /differ by only 1 point/);
});

test('the noise says whether the PSI value is within the local ones', () => {
  const inside = (performance: number | null) =>
    compare(buildSide({ result: { scores: { performance } } }), blocked(0.5, runsOf(10)), none).noise?.scores
      .performance?.psi_inside;
  assert.deepEqual([70, 75, 80, 69, 81, 0, null].map(inside), [true, true, true, false, false, false, null]);
  const { noise } = compare(buildSide(), blocked(0.5, runsOf(10)), none);
  assert.deepEqual([noise?.runs, noise?.metrics.total_blocking_time?.psi], [3, 0]);
  assert.equal(compare(buildSide(), blocked(0.5, onlyRun), none).noise, null, 'one run has no spread');
});

test('a different page is first, with its differences, and claims no points', () => {
  const psi = blocked(1, { source: 'psi', lhr: { mainDocumentUrl: 'https://example.com/wall' } });
  const results = [resultOf(1, 1, 0.2, 1, 1), resultOf(1, 1, 0.9, 1, 1)];
  const comparison = compare(psi, blocked(0.2, slowed), { results });
  assert.deepEqual(show(comparison), [
    ['different_page', null, 'observed'],
    ['cpu', -21, 'computed'],
    ['unexplained', -3, 'possible'],
  ]);
  assert.match(
    comparison.explanation,
    /^The two sides did not load the same page: the final URL was .*\/wall on Google /,
  );
  assert.doesNotMatch(comparison.explanation, /no known cause/);
});

test('an older answer is a possible cause and does not affect other causes', () => {
  const fresh = compare(buildSide(), blocked(0.9), none);
  const cache = { status: 'hit', age: 7, expires_at: '2026-11-20T13:00:00.000Z' } as const;
  const cached = compare(buildSide({ result: { cache } }), blocked(0.9), none);
  assert.deepEqual(cached, { ...fresh, causes: [cached.causes[0], ...fresh.causes] });
  assert.deepEqual([cached.causes[0]?.cause, cached.causes[0]?.certainty], ['cached_answer', 'possible']);
  const old = compare(buildSide({ result: { fetched_at: '2026-11-19T10:00:00.000Z' } }), blocked(0.9), none);
  assert.equal(old.causes[0]?.cause, 'cached_answer', "the remote analyser's own cache");
  assert.match(old.explanation, / The result on Google is 1 day old\.$/);
  const waited = buildSide({ source: 'lighthouse', result: { fetched_at: '2026-11-20T10:05:00.000Z' } });
  assert.deepEqual(compare(buildSide(), waited, none).causes, [], 'the local side waited: the remote answer is new');
});

test('different versions and devices are observed', () => {
  const lhr = {
    lighthouseVersion: '12.8.2',
    environment: { hostUserAgent: 'HeadlessChrome/151.0.0.0', benchmarkIndex: 2000 },
    configSettings: { formFactor: 'desktop' },
  };
  assert.deepEqual(show(compare(buildSide({ lhr }), buildSide({ source: 'lighthouse' }), none)), [
    ['form_factor', null, 'observed'],
    ['lighthouse_version', null, 'observed'],
    ['chrome_version', null, 'observed'],
  ]);
  const patched = buildSide({ lhr: { lighthouseVersion: '13.5.9' } });
  assert.deepEqual(show(compare(patched, buildSide({ source: 'lighthouse' }), none)), []);
});

test('the same scripts with different timing are noise, unless one side painted far longer', () => {
  const audits = (drawing: number) => [
    buildDetails('bootup-time', { items: [{ url: pageUrl, scripting: 240, total: 240 }] }),
    buildDetails('mainthread-work-breakdown', { items: [{ group: 'paintCompositeRender', duration: drawing }] }),
  ];
  const psi = buildSide({ audits: audits(20) });
  assert.deepEqual(show(compare(psi, blocked(0.6, { audits: audits(30) }), none)), [['run_noise', -12, 'observed']]);
  const drawn = compare(psi, blocked(0.6, { audits: audits(780) }), none);
  assert.deepEqual(show(drawn)[0], ['different_page', null, 'possible']);
  assert.doesNotMatch(drawn.explanation, /noise/);
});

test('a browser about a year old is possible, and another device precedes settings without points', () => {
  const lhr = { environment: { hostUserAgent: 'HeadlessChrome/140.0.0.0', benchmarkIndex: 2000 } };
  const aged = compare(buildSide({ lhr }), blocked(0.6), none);
  assert.deepEqual(show(aged)[0], ['chrome_version', null, 'possible']);
  assert.match(aged.explanation, / Possible cause: different versions of the browser\./);
  const desktop = buildSide({ lhr: { configSettings: { formFactor: 'desktop' } } });
  const settings = blocked(0.6, { throttling: { cpuSlowdownMultiplier: 4 } });
  assert.deepEqual(
    compare(desktop, settings, { reason: 'it is gone' })
      .causes.slice(0, 2)
      .map(({ cause }) => cause),
    ['form_factor', 'cpu'],
  );
});

const withMachine = (side: Side, boot_id: string | null): Side => ({
  ...side,
  result: { ...side.result, environment: { ...side.result.environment, boot_id } },
});

/** Audits of a load whose scripts ran for these milliseconds, each in a file of its own. */
const working = (...times: number[]) => {
  const files = times.map((ms, at) => ({ url: `${pageUrl}${'abcd'[at]}.js`, ms: 1.2 * ms }));
  const document = { url: pageUrl, resourceType: 'Document', statusCode: 200 };
  const scripts = files.map(({ url }) => ({ url, resourceType: 'Script', statusCode: 200, resourceSize: 9000 }));
  return (resourceSize: number) => [
    buildDetails('network-requests', { items: [{ ...document, resourceSize }, ...scripts] }),
    buildDetails('bootup-time', { items: files.map(({ url, ms }) => ({ url, scripting: ms, total: ms })) }),
  ];
};

test('if every script took three times as long, a slower machine is possible, and small page differences are omitted', () => {
  const [fast, slow] = [working(60, 70, 80), working(180, 210, 240)];
  const analyser = { kind: 'custom', host: 'psi.example' } as const;
  const psi = blocked(1, { source: 'psi', analyser, audits: fast(5000) });
  const { causes, explanation: verdict } = compare(psi, blocked(0.5, { audits: slow(5024) }), none);
  assert.deepEqual(
    causes.map(({ cause, points, certainty }) => [cause, points, certainty]),
    [['machine', -15, 'possible']],
  );
  assert.match(causes[0]?.explanation ?? '', /^Most scripts took about 3 times as long in local Lighthouse: /);
  assert.match(
    verdict,
    /^Local Lighthouse scores 85, \S+ 100\. Possible cause: the speed of the machines\. Accessibility/,
  );
  const own = { ...psi, result: { ...psi.result, analyser: { kind: 'embedded', host: '127.0.0.1' } as const } };
  assert.equal(compare(own, blocked(0.5, { audits: slow(5000) }), none).causes[0]?.cause, 'disturbed_run');
  const alike = compare(psi, blocked(0.5, { audits: working(60, 180, 80)(5024) }), none);
  assert.ok(alike.causes.some(({ cause, certainty }) => cause === 'different_page' && certainty === 'possible'));
});

test('a machine that was far slower than usual may have painted later', () => {
  const slow: Partial<Result['environment']> = { benchmark_index: 500, benchmark_median: 1500 };
  const late = buildSide({ source: 'lighthouse', metricScores: [0.7, 0.6, 1, 1, 0.9] });
  const local = { ...late, result: { ...late.result, environment: { ...late.result.environment, ...slow } } };
  const [first] = compare(buildSide(), local, none).causes;
  assert.deepEqual([first?.cause, first?.certainty], ['disturbed_run', 'possible']);
  assert.notEqual(compare(buildSide(), late, none).causes[0]?.cause, 'disturbed_run');
});

/** A load with early observed paints, and with images of these sizes in bytes. */
const painted = (metricScore: number, ...pictures: number[]) => {
  const toItem = (resourceSize: number, at: number) => ({
    url: `${pageUrl}${'abcdef'[at]}.jpg`,
    resourceType: 'Image',
    statusCode: 200,
    resourceSize,
  });
  const items = [{ url: pageUrl, resourceType: 'Document', statusCode: 200 }, ...pictures.map(toItem)];
  const seen = { observedFirstContentfulPaint: 200, observedLargestContentfulPaint: 220 };
  const audits = [buildDetails('network-requests', { items }), buildDetails('metrics', { items: [seen] })];
  return buildSide({ source: 'lighthouse', metricScores: [1, metricScore, 1, 1, 1], audits });
};

test('an effect of simulation that may be due to a different page follows that page', () => {
  const psi = painted(1, 320_000, 200_000, 200_000);
  const { causes, explanation: verdict } = compare(psi, painted(0.6, 430_000, 200_000, 200_000), none);
  assert.deepEqual(
    causes.map(({ cause, certainty }) => [cause, certainty]),
    [
      ['different_page', 'possible'],
      ['simulation', 'possible'],
    ],
  );
  assert.match(verdict, /^Local Lighthouse scores 90, .* 100\. Possible cause: a different page\. .*\/a\.jpg/);
  const [first] = compare(psi, painted(0.6, 320_000, 200_000, 202_000), none).causes;
  assert.deepEqual([first?.cause, first?.certainty], ['simulation', 'observed']);
});

test('the largest contribution to the score is first', () => {
  const psi = blocked(1, { source: 'psi', throttling: { rttMs: 40 } });
  const results = [0.2, 0.3, 1].map(score => resultOf(1, 1, score, 1, 1));
  assert.match(
    compare(psi, blocked(0.2, slowed), { results }).explanation,
    / CPU throttling \(4× instead of 1\.2×\) explains 21 of the 24 points, and network throttling explains 3\./,
  );
});

test('one machine does not count as two because its benchmark varies', () => {
  const embedded = buildSide({ analyser: { kind: 'embedded', host: '192.168.1.5:8000' }, benchmarkIndex: 500 });
  assert.deepEqual(planFor(embedded, blocked(1)), []);
  const remote = buildSide({ analyser: { kind: 'custom', host: 'psi.example' }, benchmarkIndex: 500 });
  assert.equal(planFor(remote, blocked(1)).length, 1, 'nothing is known of it');
  assert.deepEqual(planFor(remote, blocked(1), true), [], 'under an address of this machine');
  const own = withMachine(blocked(1), 'one');
  assert.deepEqual(planFor(withMachine(remote, 'one'), own), [], 'it says so itself');
  assert.equal(planFor(withMachine(remote, 'other'), own, true).length, 1, 'another machine behind our address');
  assert.equal(planFor(buildSide({ benchmarkIndex: 500 }), blocked(1), true).length, 1, 'Google is never here');
});

test('a difference of machines by benchmark index is possible, never computed', () => {
  const psi = buildSide({ analyser: { kind: 'custom', host: 'psi.example' }, benchmarkIndex: 500 });
  const results = [resultOf(1, 1, 0.5, 1, 1), resultOf(1, 1, 0.2, 1, 1)];
  const { causes, explanation: verdict } = compare(psi, blocked(0.5), { results });
  assert.ok(!causes.some(({ certainty }) => certainty === 'computed'));
  assert.doesNotMatch(verdict, /explains?|costs|processor/);
});

test('a PSI score within the local runs is no difference, whatever the settings cost', () => {
  const psi = buildSide({ metricScores: [1, 1, 0.9, 1, 1], result: { scores: { performance: 92 } } });
  const lighthouse = blocked(0.5, { ...slowed, ...runsOf(23) });
  lighthouse.result.scores.performance = 76;
  const { explanation: verdict, causes } = compare(psi, lighthouse, {
    results: [resultOf(1, 1, 0.5, 1, 1), resultOf(1, 1, 0.9, 1, 1)],
  });
  assert.match(verdict, / 76, Google 92\. The score on Google is inside the range of the 3 local runs \(70 to 93\)\./);
  assert.ok(!causes.some(({ cause }) => cause === 'unexplained'));
});

test('computed points are those of all runs, with their range', () => {
  const others = [0.2, 0.4].map(score => ({
    ...blocked(score, slowed),
    outcome: { results: [resultOf(1, 1, score, 1, 1), resultOf(1, 1, 1, 1, 1)] },
  }));
  const comparison = compareSides(buildSide(), blocked(0.3, { ...slowed, ...runsOf(4) }), {
    outcome: { results: [resultOf(1, 1, 0.3, 1, 1), resultOf(1, 1, 1, 1, 1)] },
    askedAtMs: measuredAtMs,
    others,
  });
  const [cpu] = comparison.causes;
  assert.deepEqual([cpu?.points, cpu?.points_range], [-21, { min: -24, max: -18, runs: 3 }]);
  assert.match(cpu?.explanation ?? '', / Over 3 runs, the effect was −24 to −18 points\.$/);
  assert.match(comparison.explanation, /CPU throttling \(4× instead of 1\.2×\) explains .* \(18 to 24 over 3 runs\)/);
});

test('what remains of a cost after a measured wait has no range, because the range includes the wait', () => {
  const resultsOf = (score: number) => [resultOf(1, 1, score, 1, 1), resultOf(1, 1, 1, 1, 1)];
  const local = blocked(0.3, { ...slowed, ...runsOf(4) });
  local.result.environment.processor_wait = {
    main_thread_ms: 500,
    without: { performance: 89, total_blocking_time: 0 },
  };
  const { causes } = compareSides(buildSide(), local, {
    outcome: { results: resultsOf(0.3) },
    askedAtMs: measuredAtMs,
    others: [0.2, 0.4].map(score => ({ ...blocked(score, slowed), outcome: { results: resultsOf(score) } })),
  });
  assert.deepEqual(
    causes.map(({ cause, points, points_range: range }) => [cause, points, range]),
    [
      ['cpu', -11, undefined],
      ['disturbed_run', -10, undefined],
    ],
  );
  assert.doesNotMatch(causes[0]?.explanation ?? '', /Over 3 runs/);
});

test('a cost that the remote score does not show is not stated', () => {
  const results = [resultOf(1, 1, 0.2, 1, 1), resultOf(1, 1, 1, 1, 1)];
  const { causes, explanation: verdict } = compare(blocked(0.2, { source: 'psi' }), blocked(0.2, slowed), { results });
  assert.deepEqual(show({ causes } as Comparison), [
    ['cpu', -24, 'possible'],
    ['run_noise', 24, 'possible'],
  ]);
  assert.match(verdict, /^Both sides score 76\./);
});

test('without performance nothing is audited again', () => {
  const psi = buildSide({ result: { scores: { accessibility: 100 } }, benchmarkIndex: 500 });
  assert.deepEqual(planFor(psi, blocked(1)), []);
});

const score = fc.integer({ min: 0, max: 100 }).map(percent => percent / 100);
const anySide = fc
  .record({
    metricScores: fc.array(fc.option(score, { freq: 9 }), { minLength: 5, maxLength: 5 }),
    auditScores: fc.array(fc.constantFrom(0, 1, null, undefined), { minLength: 3, maxLength: 3 }),
    benchmarkIndex: fc.constantFrom(0, 500, 2000, 3000),
    cpuSlowdownMultiplier: fc.constantFrom(1, 1.2, 4),
    latency: fc.constantFrom(0, 10, 400),
    url: fc.constantFrom('https://example.com/', 'https://example.com/wall'),
  })
  .map(({ cpuSlowdownMultiplier, latency, url, ...fields }) =>
    buildSide({
      ...fields,
      throttling: { cpuSlowdownMultiplier },
      audits: buildLatency(latency),
      lhr: { mainDocumentUrl: url },
    }),
  );
const anyOutcome = fc.oneof(
  fc.constant({ reason: 'it failed' }),
  fc
    .array(fc.array(fc.option(score, { freq: 9 }), { minLength: 5, maxLength: 5 }), { maxLength: 4 })
    .map(all => ({ results: all.map(scores => resultOf(...scores)) })),
);

test('any two sides give a comparison of the published shape, in one sentence', () => {
  fc.assert(
    fc.property(anySide, anySide, anyOutcome, (psi, lighthouse, outcome) => {
      const before = structuredClone([psi, lighthouse]);
      const comparison = compare(psi, lighthouse, outcome);
      assert.ok(Check(Comparison, comparison));
      assert.deepEqual(JSON.parse(JSON.stringify(comparison)), comparison);
      assert.match(comparison.explanation, /^[A-Z].*\.$/);
      assert.doesNotMatch(comparison.explanation, /null|undefined|NaN|−0\b|\b(right|wrong|correct)\b/);
      assert.deepEqual([psi, lighthouse], before, 'the sides are left as they were');
    }),
  );
});

test('two sides with the same result have no invented cause', () => {
  fc.assert(
    fc.property(anySide, anyOutcome, (side, outcome) => {
      assert.deepEqual(compare(side, side, outcome).causes, []);
    }),
  );
});

test('computed causes and the rest make up the difference', () => {
  fc.assert(
    fc.property(anySide, anySide, anyOutcome, (psi, lighthouse, outcome) => {
      const { causes, scores, re_audits: reAudits } = compare(psi, lighthouse, outcome);
      const difference = scores.performance?.difference;
      if (typeof difference !== 'number' || reAudits.status === 'not_possible') return;
      const own = causes.filter(({ category }) => category === 'performance');
      const sum = own.reduce((total, { points }) => total + (points ?? 0), 0);
      // Lighthouse rounds the score of each side, the comparison rounds each cause, and less than half a point is not a
      // cause.
      assert.ok(Math.abs(sum - difference) <= 1.8, `${sum} ${difference}`);
    }),
  );
});

test('swapping the sides negates every value that needs no re-audit', () => {
  const settings = fc.record({ metricScores: fc.array(score, { minLength: 5, maxLength: 5 }) }).map(buildSide);
  const negated = ({ cause, points, category }: Cause) => [cause, category, points === null ? null : 0 - points];
  fc.assert(
    fc.property(settings, settings, (one, other) => {
      const [forward, backward] = [compare(one, other, none), compare(other, one, none)];
      assert.deepEqual(
        backward.causes.map(({ cause, points, category }) => [cause, category, points]),
        forward.causes.map(negated),
      );
    }),
  );
});

test('field data do not affect a comparison', () => {
  const lighthouse = blocked(0.5);
  const psi = buildSide();
  const metric = { p75: 9000, unit: 'millisecond', rating: 'poor', distribution: [0, 0, 1] } as const;
  const field = { scope: 'url', collected_by: 'psi', period: null, assessment: 'failed' } as const;
  const { lab } = psi.result.core_web_vitals;
  const result: Result = {
    ...psi.result,
    core_web_vitals: { lab, field: { ...field, largest_contentful_paint: { ...metric, distribution: [0, 0, 1] } } },
  };
  assert.deepEqual(compare({ ...psi, result }, lighthouse, none), compare(psi, lighthouse, none));
});
