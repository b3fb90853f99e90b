import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSides, planFor } from '../../../../test/support/builders/compared.ts';
import { buildReAudit } from '../../../../test/support/builders/re-audit.ts';
import { buildDetails, buildSide, pageUrl } from '../../../../test/support/builders/side.ts';
import { toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import type { LhrAudit } from '../../../measure/lhr/lhr.ts';
import type { Side } from '../side.ts';
import { toPageExperiment } from './plan-page-changes.ts';

type Item = { path: string; type?: string; status?: number; bytes?: number; packed?: number };

const document = { url: pageUrl, resourceType: 'Document', statusCode: 200, resourceSize: 5000 };
const requests = (...items: Item[]): LhrAudit =>
  buildDetails('network-requests', {
    items: [
      document,
      ...items.map(({ path, type = 'Image', status = 200, bytes = 5000, packed = bytes }) => ({
        url: `${pageUrl}${path}`,
        resourceType: type,
        statusCode: status,
        resourceSize: bytes,
        transferSize: packed,
      })),
    ],
  });
const scripts = (...items: [path: string, ms: number][]): LhrAudit =>
  buildDetails('bootup-time', {
    items: items.map(([path, ms]) => ({ url: `${pageUrl}${path}`, scripting: 1.2 * ms, total: 1.2 * ms })),
  });
const factsOf = (...audits: LhrAudit[]) => toSideFacts(buildSide({ audits }).lhr, 'mobile');
const plan = (psi: LhrAudit[], lighthouse: LhrAudit[]) =>
  toPageExperiment(factsOf(...psi), factsOf(...lighthouse), true)?.changes;
const at = (path: string) => `${pageUrl}${path}`;
const nothing = { without: [], transferSizes: {}, scriptShares: {} };

const large = { path: 'hero.png', bytes: 3_000_000 };
const small = { path: 'hero.png', bytes: 180_000 };

test('the local load can be simulated with the files of the PSI load', () => {
  assert.deepEqual(plan([requests(small)], [requests(large)]), {
    ...nothing,
    transferSizes: { [at('hero.png')]: 180_000 },
  });
  assert.deepEqual(
    plan([requests({ ...large, packed: 400_000 })], [requests(large)]),
    { ...nothing, transferSizes: { [at('hero.png')]: 400_000 } },
    'packed on one side only',
  );
  assert.deepEqual(
    plan([requests({ path: 'hero.png', status: 403, bytes: 300 })], [requests(large)]),
    { ...nothing, transferSizes: { [at('hero.png')]: 300 } },
    'a failure in place of a picture',
  );
  const script = { path: 'a.js?time=17', type: 'Script' };
  assert.deepEqual(
    plan([requests({ path: 'a.js?time=4', type: 'Script', status: 500 })], [requests(script)]),
    { ...nothing, without: [at('a.js?time=17')] },
    'a script that failed did not run; by its local URL',
  );
  assert.deepEqual(
    plan([requests(), scripts()], [requests({ path: 'ads.js', type: 'Script' }), scripts(['ads.js', 300])]),
    { ...nothing, without: [at('ads.js')] },
    'a script in the local load only',
  );
  const worked = (ms: number) => [requests({ path: 'app.js', type: 'Script' }), scripts(['app.js', ms])];
  assert.deepEqual(plan(worked(70), worked(700)), { ...nothing, scriptShares: { [at('app.js')]: 0.1 } });
});

test('a setting that cannot be simulated is not planned', () => {
  const cases: [string, LhrAudit[], LhrAudit[]][] = [
    ['the same page', [requests(large)], [requests(large)]],
    [
      'a script in the PSI load only',
      [requests({ path: 'ads.js', type: 'Script' }), scripts(['ads.js', 300])],
      [requests()],
    ],
    [
      'a script that worked more there',
      [requests({ path: 'a.js', type: 'Script' }), scripts(['a.js', 700])],
      [requests({ path: 'a.js', type: 'Script' })],
    ],
    ['a request that failed here', [requests(large)], [requests({ path: 'hero.png', status: 403, bytes: 300 })]],
    [
      'a style sheet in the local load only',
      [requests()],
      [requests({ path: 'a.css', type: 'Stylesheet', bytes: 90_000 })],
    ],
    [
      'a style sheet that failed there',
      [requests({ path: 'a.css', type: 'Stylesheet', status: 404, bytes: 0 })],
      [requests({ path: 'a.css', type: 'Stylesheet', bytes: 90_000 })],
    ],
    [
      'an answer to a script',
      [requests({ path: 'a.json', type: 'Fetch', bytes: 500 })],
      [requests({ path: 'a.json', type: 'Fetch', bytes: 90_000 })],
    ],
    ['two requests of one address', [requests(small)], [requests(large, large)]],
    ['a few bytes more of a counter', [requests(large)], [requests(large, { path: 'dot.png', bytes: 40 })]],
  ];
  for (const [what, psi, lighthouse] of cases) assert.equal(plan(psi, lighthouse), undefined, what);
});

test('a different document is an entirely different page', () => {
  const wall = buildDetails('network-requests', { items: [{ ...document, resourceSize: 300 }] });
  assert.equal(plan([wall], [requests(large)]), undefined);
  const login = toSideFacts(
    buildSide({ lhr: { mainDocumentUrl: `${pageUrl}login` }, audits: [requests(small)] }).lhr,
    'mobile',
  );
  assert.equal(toPageExperiment(login, factsOf(requests(large)), true), undefined);
});

test('a load that differs in a hundred files is not simulated', () => {
  const many = Array.from({ length: 100 }, (_, number) => ({ path: `${number}a.png`, bytes: 30_000 }));
  assert.equal(plan([requests()], [requests(...many)]), undefined);
});

/** A re-audit with this score of the largest contentful paint, which weighs 25 points. */
const again = (lcp: number) => buildReAudit([1, lcp, 1, 1, 1]);
const sideOf = (source: Side['result']['source'], lcp: number, item: Item, fields: object = {}) =>
  buildSide({ source, metricScores: [1, lcp, 1, 1, 1], audits: [requests(item)], ...fields });
const compare = (psi: Side, lighthouse: Side, results: Record<string, { score: number | null }>[]) =>
  compareSides(psi, lighthouse, { outcome: { results }, askedAtMs: Date.parse('2026-11-20T10:00:00.000Z') });

test('the cost of the page is computed first, with the local settings, and that of a setting on equal pages', () => {
  const [psi, lighthouse] = [
    sideOf('psi', 1, small),
    sideOf('lighthouse', 0.2, large, { throttling: { cpuSlowdownMultiplier: 4 } }),
  ];
  assert.deepEqual(
    planFor(psi, lighthouse).map(({ cause }) => cause),
    ['cpu', 'page', 'page'],
  );
  const comparison = compare(psi, lighthouse, [again(0.2), again(0.6), again(0.92), again(1)]);
  const [page, cpu] = comparison.causes;
  assert.deepEqual([page?.cause, page?.points, page?.certainty], ['different_page', -18, 'computed']);
  assert.deepEqual([cpu?.cause, cpu?.points], ['cpu', -2]);
  assert.match(
    page?.explanation ?? '',
    /\. Simulated with \/hero\.png as on Google, the local load scores 18 points more at 4× CPU throttling, and 10 points more at 1\.2×\.$/,
  );
  assert.match(
    comparison.explanation,
    /^The two sides did not load the same page: .*3.0 MB in local Lighthouse\. .* A different page explains 18 of the 20 points/,
  );
  assert.doesNotMatch(comparison.explanation, /Simulated/);
  assert.deepEqual(comparison.re_audits.order, ['page', 'cpu']);
});

test("if the worker cannot run the simulation, the page's cost is observed, and the settings are computed", () => {
  const [psi, lighthouse] = [
    sideOf('psi', 1, small),
    sideOf('lighthouse', 0.2, large, { throttling: { cpuSlowdownMultiplier: 4 } }),
  ];
  const comparison = compare(psi, lighthouse, [again(0.2), again(0.28), {}, {}]);
  const [page, cpu] = comparison.causes;
  assert.deepEqual([page?.cause, page?.points, page?.certainty], ['different_page', null, 'observed']);
  assert.deepEqual([cpu?.cause, cpu?.certainty], ['cpu', 'computed']);
  assert.deepEqual([comparison.re_audits.status, comparison.re_audits.order], ['done', ['cpu']]);
  const alone = compare(sideOf('psi', 1, small), sideOf('lighthouse', 0.2, large), [again(0.2), {}]);
  assert.equal(alone.re_audits.status, 'not_needed');
  assert.equal(alone.causes[0]?.points, null);
});

test('a cost that the two scores do not show is reported, but not claimed', () => {
  const comparison = compare(sideOf('psi', 0.2, small), sideOf('lighthouse', 0.2, large), [again(0.2), again(1)]);
  const [page] = comparison.causes;
  assert.deepEqual([page?.points, page?.certainty], [null, 'observed']);
  assert.match(page?.explanation ?? '', /the local load scores 20 points more\.$/);
  const free = compare(sideOf('psi', 1, small), sideOf('lighthouse', 0.2, large), [again(0.2), again(0.2)]);
  assert.equal(free.causes[0]?.points, null);
  assert.match(free.causes[0]?.explanation ?? '', /the local load scores the same\.$/);
});
