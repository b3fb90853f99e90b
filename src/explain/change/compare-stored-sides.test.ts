import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulatedPageNames, simulateRuns } from '../../../test/support/audits/lighthouse-noise.ts';
import { buildSummary, toEntries, toScored, toSide } from '../../../test/support/builders/kept-side.ts';
import { buildAudit, buildCategory, buildLhr, buildRef } from '../../../test/support/builders/lhr.ts';
import { buildFacts } from '../../../test/support/builders/load-facts.ts';
import type { NewEntry } from '../../storage/results/store.ts';
import { toRandom } from '../statistics/random.ts';
import { defaultSmallestEffects } from '../statistics/smallest-effect.ts';
import { compareKept } from './compare-stored-sides.ts';

const compare = (before: readonly NewEntry[], after: readonly NewEntry[], earlier: readonly NewEntry[][] = []) =>
  compareKept({
    before: toSide(before, { asked: 'v1' }),
    after: toSide(after, { asked: 'v2' }),
    smallestEffects: defaultSmallestEffects,
    earlier,
  });

const high = [95, 96, 95, 97, 96];
const low = [80, 82, 81, 80, 83];
const local = toScored([1])[0]?.analyser as NewEntry['analyser'];

test('five runs a side that differ are better or worse, with the interval, in one sentence', () => {
  const { verdict, scores } = compare(toScored(high), toScored(low));
  assert.deepEqual([verdict.status, verdict.by_numbers, verdict.more_runs], ['worse', 'worse', null]);
  assert.equal(verdict.explanation, 'The page got worse: performance score 96 → 81 (−15; between −17 and −12).');
  assert.deepEqual(
    [scores.performance?.unit, scores.performance?.before, scores.performance?.after],
    ['point', 96, 81],
  );
  const back = compare(toScored(low), toScored(high)).verdict;
  assert.deepEqual([back.status, back.explanation.slice(0, 19)], ['better', 'The page got better']);
});

test('a side of mostly disturbed runs has no verdict, and one disturbed run only a warning', () => {
  const disturb = (count: number) => toScored(low).map((entry, at) => ({ ...entry, disturbed: at < count }));
  const most = compare(toScored(high), disturb(3)).verdict;
  assert.deepEqual([most.status, most.more_runs, most.by_numbers], ['undecided', 1, 'worse']);
  assert.equal(
    most.explanation,
    'Undecided: performance score 96 → 81 (−15; between −17 and −12). 3 of 5 runs after the change were disturbed: measure the current build again before you act on this verdict.',
  );
  const one = compare(toScored(high), disturb(1)).verdict;
  assert.equal(one.status, 'worse');
  const shifted = (shift: number) =>
    toScored(high).map((entry, at) => ({
      ...entry,
      disturbed: at < 3,
      metrics: { ...entry.metrics, cumulative_layout_shift: shift },
    }));
  assert.equal(compare(shifted(0), shifted(0.4)).verdict.status, 'worse', 'no machine shifts a layout');
  assert.match(
    one.explanation,
    /1 of 5 runs after the change was disturbed: measure the current build again before you act/,
  );
});

const steady = [96, 96, 96, 96, 96];

test('another score that changed is named next to the verdict, which it does not decide', () => {
  const withScore = (scores: readonly number[], accessibility: number, seo = 90) =>
    toScored(scores).map(entry => ({ ...entry, scores: { ...entry.scores, accessibility, seo } }));
  const same = compare(withScore(steady, 98), withScore(steady, 70)).verdict;
  assert.deepEqual([same.status, same.decided_by.includes('accessibility' as 'performance')], ['no_difference', false]);
  assert.match(
    same.explanation,
    /^No meaningful difference in performance: .*\. Worse: accessibility score 98 → 70 \(−28\)\.$/,
  );
  const better = compare(withScore(low, 98), withScore(high, 70, 100)).verdict;
  assert.match(
    better.explanation,
    /^The page got better: .* Worse: accessibility score 98 → 70 \(−28\)\. Better: seo score 90 → 100 \(\+10\)\.$/,
  );
  const open = compare(withScore([96], 98), withScore([70], 98)).verdict;
  assert.doesNotMatch(open.explanation, /accessibility/);
});

test('the same runs on both sides are no difference', () => {
  const { verdict } = compare(toScored(steady), toScored(steady));
  assert.equal(verdict.status, 'no_difference');
  assert.match(verdict.explanation, /^No meaningful difference: any difference is below 1 point\.$/);
});

test('one run a side is undecided, whatever the difference, and gives the number of runs likely to decide', () => {
  const { verdict } = compare(toScored([99]), toScored([20]));
  assert.equal(verdict.status, 'undecided');
  assert.ok(Number(verdict.more_runs) >= 3);
  assert.match(
    verdict.explanation,
    /^Undecided: one run cannot separate a change from noise\. 7 more runs of the current build .* its usual spread\.$/,
  );
});

test('one run next to other results of the page is the same, or asks for runs of the current build', () => {
  const history = toScored([99, 98, 99, 100, 99, 98, 99, 99, 100, 99]);
  const judge = (score: number) =>
    compareKept({
      before: { ...toSide(toScored([99])), history },
      after: toSide(toScored([score])),
      smallestEffects: defaultSmallestEffects,
      earlier: [],
    });
  const { verdict, before } = judge(99);
  assert.deepEqual([verdict.status, before.runs, before.history], ['no_difference', 1, 10]);
  const far = judge(66).verdict;
  assert.equal(far.status, 'undecided', 'no changed file is known');
  assert.match(
    far.explanation,
    /performance score 99 → 66 .* more runs? of the current build .* whether that stays\.$/,
  );
});

test('one run a side can be decided with the spread of earlier runs', () => {
  const random = toRandom([3]);
  const earlier = Array.from({ length: 30 }, () =>
    toScored(Array.from({ length: 5 }, () => 90 + Math.round(random()))),
  );
  assert.equal(compare(toScored([90]), toScored([60]), earlier).verdict.status, 'worse');
  assert.notEqual(compare(toScored([90]), toScored([91]), earlier).verdict.status, 'worse');
});

test('sides without a common value are undecided, with a message', () => {
  const noScore = toScored(high).map(entry => ({ ...entry, scores: { ...entry.scores, performance: null } }));
  const { verdict } = compare(noScore, toScored(low));
  assert.deepEqual([verdict.status, verdict.more_runs], ['undecided', null]);
  assert.equal(
    verdict.explanation,
    'The verdict needs a performance score or a metric that both sides have. Measure both with the category performance.',
  );
});

test('contradicting values are undecided with five runs; with seven the score decides', () => {
  const withBlocking = (ms: number, runs: readonly number[]) =>
    toScored(runs).map(entry => ({ ...entry, metrics: { ...entry.metrics, total_blocking_time: ms } }));
  const few = compare(withBlocking(300, high), withBlocking(100, low)).verdict;
  assert.equal(few.status, 'undecided');
  assert.match(
    few.explanation,
    /^Undecided: some values improved and others regressed \(.*\)\. 2 more runs of each side \(about 4.min\) would let the score decide\.$/,
  );
  const [more, less] = [
    [...high, 96, 95],
    [...low, 80, 82],
  ];
  const many = compare(withBlocking(300, more), withBlocking(100, less)).verdict;
  assert.deepEqual([many.status, many.against], ['worse', ['total_blocking_time']]);
});

const preventing: readonly (readonly [what: string, given: Partial<NewEntry>, words: RegExp])[] = [
  ['url', { url: 'https://example.com/b' }, /URL: https:\/\/example.com\/ → https:\/\/example.com\/b/],
  ['strategy', { strategy: 'desktop' }, /strategy: mobile → desktop/],
  ['source', { source: 'psi' }, /source: lighthouse → psi/],
  ['profile', { profile: 'psi' }, /profile: lighthouse → psi/],
  ['analyser', { analyser: { ...local, kind: 'google' } }, /analyser: local → google/],
  [
    'lighthouse_version',
    { analyser: { ...local, lighthouseVersion: '14.0.0' } },
    /Lighthouse version: 13\.5\.0 → 14\.0\.0/,
  ],
  ['throttling', { summary: buildSummary({ cpu: 1 }) }, /throttling: simulate, .* CPU 4× → simulate, .* CPU 1×/],
  ['benchmark_index', { summary: buildSummary({ benchmark: 1000 }) }, /speed of the machine: 1500 → 1000/],
];
for (const [name, given, words] of preventing)
  test(`sides that differ in ${name} get no verdict, and the difference is named first`, () => {
    const { verdict, differences } = compare(toScored(high), toScored(low, given));
    assert.deepEqual([verdict.status, verdict.by_numbers, verdict.more_runs], ['undecided', 'worse', null]);
    assert.match(verdict.explanation, /^The two sides cannot be compared/);
    assert.match(verdict.explanation, words);
    assert.deepEqual([differences[0]?.name, differences[0]?.effect], [name, 'no_verdict']);
  });

test('a faster machine is no cause of a slower page, and prevents no verdict on it', () => {
  const { verdict, differences } = compare(
    toScored(high),
    toScored(low, { summary: buildSummary({ benchmark: 2100 }) }),
  );
  assert.deepEqual([verdict.status, differences], ['worse', []]);
  const gained = compare(toScored(low), toScored(high, { summary: buildSummary({ benchmark: 2100 }) }));
  assert.equal(gained.verdict.status, 'undecided', 'it may be the cause of a faster one');
});

const possible: readonly (readonly [what: string, given: Partial<NewEntry>, words: RegExp])[] = [
  ['browser_version', { analyser: { ...local, browserVersion: '154.0.0' } }, /The browser version also differs/],
  ['machine_id', { analyser: { ...local, machineId: 'machine-2' } }, /The machine also differs/],
  [
    'lighthouse_version',
    { analyser: { ...local, lighthouseVersion: '13.5.2' } },
    /The Lighthouse version also differs/,
  ],
];
for (const [name, given, words] of possible)
  test(`a different ${name} is a possible cause in addition to the page`, () => {
    const { verdict, differences } = compare(toScored(high), toScored(low, given));
    assert.equal(verdict.status, 'worse');
    assert.match(verdict.explanation, words);
    assert.deepEqual(
      differences.map(({ name: own, effect }) => [own, effect]),
      [[name, 'possible_cause']],
    );
  });

test('a setting that a side does not report is not a difference, nor is the URL of the embedded analyser', () => {
  const unknown = { ...local, lighthouseVersion: null, browserVersion: null, machineId: null };
  const silent = { analyser: unknown, summary: '{"environment":{}}', profile: null };
  assert.deepEqual(compare(toScored(high), toScored(low, silent)).differences, []);
  const embedded = (host: string) => ({ analyser: { ...local, kind: 'embedded', host } });
  const sides = [toScored(high, embedded('127.0.0.1:1')), toScored(low, embedded('127.0.0.1:2'))] as const;
  assert.deepEqual(compare(...sides).differences, []);
});

test('equal mixes of machines on both sides are not a difference', () => {
  const mixed = (scores: number[]) =>
    toScored(scores).map((entry, at) => ({ ...entry, analyser: { ...local, machineId: `machine-${at % 2}` } }));
  assert.deepEqual(compare(mixed(high), mixed(low)).differences, []);
});

test('summaries of an unknown shape are ignored', () => {
  for (const summary of [
    '[]',
    'null',
    '{"environment":null,"failed_audits":[null]}',
    '{"environment":{"benchmark_index":"x"}}',
  ])
    assert.equal(compare(toScored(high, { summary }), toScored(low)).verdict.status, 'worse', summary);
});

test('each side lists its runs, labels and times, oldest first', () => {
  const entries = toScored(high, { label: 'v1' }).toReversed();
  const { before } = compare(entries, toScored(low));
  assert.deepEqual([before.requested, before.by, before.runs, before.labels], ['v1', 'label', 5, ['v1']]);
  assert.deepEqual(before.ids, entries.map(({ id }) => id).reverse());
  assert.ok(before.from < before.to);
  assert.equal(before.links.self, `/results/${before.selected_id}`);
});

const request = (url: string, transferSize: number, resourceType = 'Script') => ({ url, transferSize, resourceType });
const lhrOf = (failed: readonly string[], requests: readonly object[]) =>
  buildLhr({
    audits: [
      ...['contrast', 'alt', 'title'].map(id => buildAudit(id, { score: failed.includes(id) ? 0 : 1 })),
      buildAudit('video', { score: null, scoreDisplayMode: 'notApplicable' }),
      buildAudit('network-requests', { details: { items: requests } }),
    ],
    categories: [
      buildCategory(
        'accessibility',
        ['contrast', 'alt', 'title', 'video'].map(id => buildRef(id)),
      ),
    ],
  });
const compareLhrs = (
  before: ReturnType<typeof lhrOf>,
  after: ReturnType<typeof lhrOf>,
  [failedBefore, failedAfter]: readonly [string[][], string[][]] = [[[]], [[]]],
) => {
  const entriesOf = (failed: string[][]) =>
    failed.flatMap(ids => toScored([90], { summary: buildSummary({ failed: ids }) }));
  return compareKept({
    before: toSide(entriesOf(failedBefore), { lhr: before }),
    after: toSide(entriesOf(failedAfter), { lhr: after }),
    smallestEffects: defaultSmallestEffects,
    earlier: [],
  });
};

test('audits that fail in all runs of one side and none of the other have flipped', () => {
  const { audits } = compareLhrs(lhrOf(['contrast', 'alt'], []), lhrOf(['alt', 'title'], []), [
    [
      ['contrast', 'alt'],
      ['contrast', 'alt'],
    ],
    [
      ['alt', 'title'],
      ['alt', 'title'],
    ],
  ]);
  assert.deepEqual(audits, [
    { id: 'title', title: 'Title of title', categories: ['accessibility'], before: 'passed', after: 'failed' },
    { id: 'contrast', title: 'Title of contrast', categories: ['accessibility'], before: 'failed', after: 'passed' },
  ]);
});

test('an audit that fails in some runs only has not flipped', () => {
  const { audits } = compareLhrs(lhrOf(['contrast'], []), lhrOf([], []), [
    [['contrast'], []],
    [[], []],
  ]);
  assert.deepEqual(audits, []);
});

test('an audit that only one version has did not flip; one that no longer applies did', () => {
  const before = lhrOf(['alt'], []);
  const { alt: _, ...audits } = before.audits;
  const unknown = { ...lhrOf([], []), audits };
  assert.deepEqual(compareLhrs(before, unknown, [[['alt']], [[]]]).audits, []);
  const applies = lhrOf([], []);
  const failing = { ...applies, audits: { ...applies.audits, video: buildAudit('video', { score: 0 }) } };
  assert.deepEqual(
    compareLhrs(failing, applies, [[['video']], [[]]]).audits?.map(({ id, before: was, after }) => [id, was, after]),
    [['video', 'failed', 'not_applicable']],
  );
});

test('requests of two builds at different hosts are paired by path, and those of two pages are not', () => {
  const sideOf = (url: string) =>
    toSide(toScored(url.includes('main') ? high : low, { url }), {
      lhr: { ...lhrOf([], [request(`${url}app.js`, 9000)]), mainDocumentUrl: url },
    });
  const [before, after] = [sideOf('https://main.example.com/'), sideOf('https://preview.example.com/')];
  const compareAs = (areBuilds: boolean) =>
    compareKept({ before, after, smallestEffects: defaultSmallestEffects, earlier: [], areBuilds });
  const { requests, verdict } = compareAs(true);
  assert.deepEqual([requests?.added, requests?.removed], [[], []]);
  assert.doesNotMatch(verdict.explanation, /Changed files/);
  const { added, removed } = compareAs(false).requests ?? assert.fail();
  assert.deepEqual([added.length, removed.length], [1, 1]);
});

test('requests that were added, removed or grew are listed by URL without query, largest first', () => {
  const before = [
    request('https://a.test/app.js?v=1', 1000),
    request('https://a.test/old.js', 500),
    request('https://a.test/pixel?1', 10),
    request('https://a.test/pixel?2', 10),
    request('data:image/png;base64,AAAA', 5000),
  ];
  const after = [
    request('https://a.test/app.js?v=2', 9000),
    request('https://a.test/small.js', 20),
    request('https://b.test/large.js#x', 70_000),
    request('https://a.test/pixel?3', 10),
  ];
  assert.deepEqual(compareLhrs(lhrOf([], before), lhrOf([], after)).requests, {
    before: { requests: 4, bytes: 1520 },
    after: { requests: 4, bytes: 79_030 },
    added: [
      { url: 'https://b.test/large.js', type: 'Script', requests: 1, bytes: 70_000 },
      { url: 'https://a.test/small.js', type: 'Script', requests: 1, bytes: 20 },
    ],
    removed: [{ url: 'https://a.test/old.js', type: 'Script', requests: 1, bytes: 500 }],
    changed: [
      {
        url: 'https://a.test/app.js',
        type: 'Script',
        before: { requests: 1, bytes: 1000 },
        after: { requests: 1, bytes: 9000 },
      },
    ],
  });
});

test('only the twenty largest requests are listed', () => {
  const many = Array.from({ length: 300 }, (_, at) => request(`https://a.test/${at}`, at));
  const { requests } = compareLhrs(lhrOf([], []), lhrOf([], many));
  assert.equal(requests?.added.length, 20);
  assert.equal(requests?.added[0]?.url, 'https://a.test/299');
});

test('without full results, or with broken ones, neither audits nor requests are listed', () => {
  const broken = [
    null,
    { coding: 'zstd', bytes: Uint8Array.of(1, 2, 3) },
    { coding: 'gzip', bytes: Buffer.from('{}') },
  ];
  for (const full of broken) {
    const side = { ...toSide(toScored(steady)), shown: { id: 'x', full } };
    const { audits, requests, verdict } = compareKept({
      before: side,
      after: side,
      smallestEffects: defaultSmallestEffects,
      earlier: [],
    });
    assert.deepEqual([audits, requests, verdict.status], [null, null, 'no_difference']);
  }
});

test('a planted change never gets the wrong direction, and at most 2 % of unchanged pages count as changed', () => {
  const random = toRandom([11]);
  const called = { changed: 0, wrong: 0, pairs: 0 };
  for (const page of simulatedPageNames)
    for (let pair = 0; pair < 12; pair += 1) {
      const draw = (planted = {}) => toEntries(simulateRuns(page, 5, { random, planted }));
      const same = compare(draw(), draw()).verdict.status;
      const shifted = compare(draw(), draw({ first_contentful_paint: 300, largest_contentful_paint: 300 })).verdict;
      called.pairs += 1;
      if (same === 'better' || same === 'worse') called.changed += 1;
      if (shifted.status === 'better') called.wrong += 1;
      assert.ok(
        shifted.explanation.length > 20 && !/undefined|NaN|null/.test(shifted.explanation),
        shifted.explanation,
      );
    }
  assert.deepEqual([called.wrong, called.changed <= Math.ceil(0.02 * called.pairs)], [0, true]);
});

/** Loads that were simulated under the same conditions, each with a score and a largest paint. */
const toLoads = (entries: readonly NewEntry[], value: { score: number; paintMs: number }, heroBytes: number) =>
  entries.map((entry, at) => ({
    entry,
    audited: {
      performance: { score: value.score / 100, value: null },
      'largest-contentful-paint': { score: 0.5, value: value.paintMs + at },
    },
    facts: buildFacts({ 'hero.png': { bytes: heroBytes, resourceBytes: heroBytes } }),
    cpuFactor: 1,
  }));
const cpuFactor = { before: 1, after: 1 };
/** Measured values that say nothing. */
const wide = [96, 60, 99, 70, 90];
const compareAlike = (
  after: { score: number; paintMs: number; heroBytes: number },
  given: Partial<NewEntry> = {},
  factor = 1,
) => {
  const [sideBefore, sideAfter] = [toScored(wide), toScored(wide, given)];
  return compareKept({
    before: toSide(sideBefore, { asked: 'v1' }),
    after: toSide(sideAfter, { asked: 'v2' }),
    smallestEffects: defaultSmallestEffects,
    earlier: [],
    alike: {
      before: toLoads(sideBefore, { score: 96, paintMs: 2000 }, 150_000),
      after: toLoads(sideAfter, after, after.heroBytes).map(load => ({ ...load, cpuFactor: factor })),
      cpuFactor,
    },
  });
};
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('loads under the same conditions decide if measured values do not, and the changed file is first', () => {
  const { verdict, alike, scores } = compareAlike({ score: 83, paintMs: 4000, heroBytes: 550_000 });
  assert.deepEqual([verdict.status, verdict.by_numbers, verdict.judged_by], ['worse', 'undecided', 'simulated_alike']);
  assert.equal(
    plain(verdict.explanation),
    'hero.png grew by 400 kB. The page got worse: performance score 96 → 83 (−13) and Largest Contentful Paint 2.0 s → 4.0 s (+2.0 s). Measured: performance score 90 → 90 (0; between −36 and +36).',
  );
  assert.deepEqual([alike?.loads, alike?.files.map(({ kind }) => kind)], [{ before: 5, after: 5 }, ['size']]);
  assert.equal(scores.performance?.status, 'undecided');
});

test('measured values next to a verdict on loads under the same conditions have the mark of disturbed runs', () => {
  const after = { score: 83, paintMs: 4000, heroBytes: 550_000 };
  assert.match(
    compareAlike(after, { disturbed: true }).verdict.explanation,
    /\. Measured: .*\. The measured values include disturbed runs: 5 of 5 runs after\.$/,
  );
  const same = { score: 96, paintMs: 2020, heroBytes: 153_000 };
  assert.doesNotMatch(compareAlike(same, { disturbed: true }).verdict.explanation, /disturbed/, 'no measured values');
});

test('a verdict of no difference has an upper bound, and says that a change of the files has no effect', () => {
  const { verdict } = compareAlike({ score: 96, paintMs: 2020, heroBytes: 153_000 });
  assert.deepEqual([verdict.status, verdict.bound], ['no_difference', { points: 0, ms: 22 }]);
  assert.equal(
    plain(verdict.explanation),
    'No meaningful difference: any difference is below 30 ms and 1 point. hero.png grew by 3 kB, without a meaningful effect.',
  );
});

test('a small difference that no changed file explains is undecided, and no number of runs would settle it', () => {
  const { verdict, alike } = compareAlike({ score: 96, paintMs: 2130, heroBytes: 150_000 });
  assert.equal(
    plain(verdict.explanation),
    'Undecided: Largest Contentful Paint 2.0 s → 2.1 s (+130 ms). No file of the page changed, so a difference this small may come from other work on the machine. Measure the current build again while it is idle.',
  );
  assert.deepEqual(
    [verdict.status, verdict.decided_by, verdict.more_runs],
    ['undecided', ['largest_contentful_paint'], null],
  );
  assert.equal(alike?.metrics.largest_contentful_paint?.status, 'undecided');
  const besideFile = compareAlike({ score: 96, paintMs: 2130, heroBytes: 153_000 }).verdict;
  assert.equal(
    plain(besideFile.explanation),
    'Undecided: Largest Contentful Paint 2.0 s → 2.1 s (+130 ms). No changed file explains it, so a difference this small may come from other work on the machine. Measure the current build again while it is idle. hero.png grew by 3 kB.',
  );
});

test('another machine speed or Lighthouse version does not prevent a verdict on loads simulated alike', () => {
  const summary = buildSummary({ benchmark: 500 });
  const analyser = { ...local, lighthouseVersion: '12.0.0' };
  const { verdict, differences } = compareAlike(
    { score: 83, paintMs: 4000, heroBytes: 550_000 },
    { summary, analyser },
  );
  assert.equal(verdict.status, 'worse');
  assert.deepEqual(new Set(differences.map(({ effect }) => effect)), new Set(['possible_cause']));
  assert.match(verdict.explanation, /The speed of the machine also differs/, 'too little work to compare processors');
  const compared = compareAlike({ score: 83, paintMs: 4000, heroBytes: 550_000 }, { summary, analyser }, 1.1);
  assert.doesNotMatch(compared.verdict.explanation, /speed of the machine/);
  const other = compareAlike({ score: 83, paintMs: 4000, heroBytes: 550_000 }, { strategy: 'desktop' }).verdict;
  assert.deepEqual([other.status, other.bound], ['undecided', null]);
  assert.match(
    other.explanation,
    /^The two sides cannot be compared \(strategy: mobile → desktop\)\. Measure both with the same settings\.$/,
  );
});
