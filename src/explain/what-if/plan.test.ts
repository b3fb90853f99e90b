import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLhr } from '../../../test/support/builders/lhr.ts';
import { toWhatIf } from './answer.ts';
import { cpuMultipliers, planWhatIf } from './plan.ts';

const site = 'https://example.com';
const failing = (id: string, details: object) => ({
  id,
  title: `Title of ${id}`,
  score: 0,
  scoreDisplayMode: 'numeric',
  details,
});
const audits = [
  failing('unused-javascript', {
    items: [
      { url: `${site}/a.js`, wastedBytes: 5000 },
      { url: '', wastedBytes: 9 },
    ],
  }),
  failing('render-blocking-insight', { items: [{ url: `${site}/a.css` }, { url: 7 }] }),
  failing('lcp-discovery-insight', { items: [] }),
  failing('cache-insight', { items: [{ url: `${site}/a.js`, wastedBytes: 5000 }] }),
  failing('document-latency-insight', {
    items: { serverResponseIsFast: { value: false } },
    debugData: { serverResponseTime: 900, uncompressedResponseBytes: 2000 },
  }),
  { ...failing('unused-css-rules', { items: [{ url: `${site}/b.css`, wastedBytes: 10 }] }), score: 1 },
];
const base = buildLhr();
const cls = { id: 'cumulative-layout-shift', title: 'CLS', score: 1, scoreDisplayMode: 'numeric' };
const performance = { id: 'performance', title: 'Performance', score: 0.6, auditRefs: [{ id: cls.id, weight: 25 }] };
const lhr = {
  ...base,
  mainDocumentUrl: `${site}/`,
  categories: { performance },
  audits: Object.fromEntries([cls, ...audits].map(audit => [audit.id, audit])),
};

test('proposals of audits become fixes, unless they passed, name no file, or cannot be simulated', () => {
  const plan = planWhatIf(lhr) ?? assert.fail();
  assert.deepEqual(plan.order.fixes, [
    { id: 'unused-javascript', savedBytes: { [`${site}/a.js`]: 5000 } },
    { id: 'render-blocking-insight', unblocked: [`${site}/a.css`] },
    { id: 'document-latency-insight', serverMs: 800, savedBytes: { [`${site}/`]: 2000 } },
    { id: 'lcp-discovery-insight', startsLargestImage: true },
  ]);
  assert.deepEqual(
    plan.notPredicted.map(({ id }) => id),
    ['cache-insight'],
  );
  assert.equal(plan.order.cells.length, 25);
  assert.deepEqual(Object.keys(plan.order.unchanged), ['cumulative-layout-shift']);
});

test('a result without a performance score, or of an unknown shape, has no plan', () => {
  assert.equal(planWhatIf({}), undefined);
  assert.equal(planWhatIf({ ...lhr, categories: {} }), undefined);
  assert.equal(planWhatIf({ ...lhr, audits: {} }), undefined);
});

const simulated = (score: number) => ({
  score,
  first_contentful_paint: 1000,
  largest_contentful_paint: 2000,
  total_blocking_time: 300.4,
  speed_index: 1500,
});

const askedFor = { id: 'x', url: `${site}/`, strategy: 'mobile', disturbed: false } as const;
const nothingFound = { breakPoints: [], removals: [], fixes: [], unusable: [] };
const ownSettings = { cpu: 4, rttMs: 150, throughputKbps: 1638.4 };

test('a higher score with a slower CPU or network is explained only if it has less blocking time', () => {
  const plan = planWhatIf(lhr) ?? assert.fail();
  type Row = readonly (readonly [score: number, blockingMs: number])[];
  const limitsOf = (rows: readonly Row[]) => {
    const cells = plan.order.cells.map((_, at) => {
      const row = rows[Math.floor(at / cpuMultipliers.length)] ?? rows.at(-1) ?? assert.fail();
      const [score, total_blocking_time] = row[at % cpuMultipliers.length] ?? assert.fail();
      return { ...simulated(score), total_blocking_time };
    });
    return toWhatIf(askedFor, plan, { own: ownSettings, base: simulated(0.6), cells, ...nothingFound }).limits;
  };
  const limitsWith = (...row: Row) => limitsOf([row]);
  const usual = limitsWith([0.9, 0], [0.8, 100], [0.7, 200], [0.6, 300], [0.5, 400]);
  const less = limitsWith([0.9, 0], [0.8, 600], [0.83, 200], [0.6, 300], [0.5, 400]);
  assert.match(less[0] ?? '', /^Some slower devices have the higher score: /);
  assert.deepEqual(less.slice(1), usual);
  const [fast, slow] = [
    [0.9, 0.8, 0.7, 0.6, 0.5],
    [0.9, 0.8, 0.73, 0.6, 0.5],
  ].map((scores, network) => scores.map((score, at) => [score, 100 * at - 10 * network] as const)) as unknown as [
    Row,
    Row,
  ];
  assert.deepEqual(limitsOf([fast, slow]), less, 'a slower network');
  assert.deepEqual(limitsOf([slow, fast]), usual);
  // The last cell of a row is no neighbour of the first one of the next row. A score may change by rounding.
  assert.deepEqual(limitsWith([0.9, 0], [0.8, 100], [0.7, 200], [0.6, 300], [0.5, 50]), usual);
  assert.deepEqual(limitsWith([0.9, 0], [0.8, 100], [0.804, 90], [0.6, 300], [0.5, 400]), usual);
  assert.deepEqual(limitsWith([0.9, 0], [0.8, 100], [0.83, 200], [0.6, 300], [0.5, 400]), usual);
});

test('points are differences before rounding, and the reachable score is the best of all steps', () => {
  const plan = planWhatIf(lhr) ?? assert.fail();
  const removal = {
    kind: 'third_party',
    category: null,
    requests: 1,
    bytes: 10,
    mainThreadMs: 5,
    takesWith: [] as string[],
  } as const;
  const answer = toWhatIf({ ...askedFor, disturbed: true }, plan, {
    own: ownSettings,
    base: simulated(0.604),
    cells: plan.order.cells.map(() => simulated(0.5)),
    breakPoints: [
      { cpu: { at: null, isSlowest: false }, network: { at: null, isSlowest: false } },
      { cpu: { at: 20, isSlowest: true }, network: { at: { rttMs: 300, throughputKbps: 700 }, isSlowest: false } },
    ],
    removals: [
      { ...removal, name: 'unknown', without: { reason: 'the document itself comes from there' } },
      { ...removal, name: 'less', without: simulated(0.61) },
      { ...removal, name: 'more', without: simulated(0.699) },
    ],
    fixes: [
      { id: 'unused-javascript', after: simulated(0.7) },
      { id: 'render-blocking-insight', after: simulated(0.81) },
      { id: 'lcp-discovery-insight', after: simulated(0.79) },
    ],
    unusable: ['document-latency-insight'],
  });
  assert.deepEqual(
    answer.third_parties.items.map(({ name, predicted, reason }) => [name, predicted?.points ?? null, reason]),
    [
      ['more', 9.5, null],
      ['less', 0.6, null],
      ['unknown', null, 'Not predicted: the document itself comes from there.'],
    ],
  );
  assert.deepEqual(
    answer.fixes.steps.map(({ points }) => points),
    [9.6, 11],
  );
  assert.deepEqual([answer.fixes.reachable.points, answer.fixes.reachable.fixes, answer.base.score], [20.6, 2, 60]);
  assert.deepEqual(
    answer.fixes.not_predicted.map(({ id }) => id),
    ['cache-insight', 'document-latency-insight', 'lcp-discovery-insight'],
  );
  assert.equal(answer.fixes.not_predicted.at(-1)?.reason, 'The simulation shows no gain after the other fixes.');
  assert.match(answer.limits[0] ?? '', /^This load was disturbed, /);
  assert.equal(answer.map.own_score, answer.base.score);
  assert.deepEqual(
    answer.map.cells.filter(({ is_own }) => is_own).map(({ network }) => network),
    ['slow_4g'],
  );
  assert.deepEqual(
    answer.map.break_points.map(({ slowest_cpu }) => slowest_cpu),
    [null, 20],
  );
});
