import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { readLhciAssertions } from './config/lhci-assertions.ts';
import { judgeRuns } from './judge-runs.ts';

type Options = Readonly<Record<string, unknown>>;
type LhciResult = { readonly level: string; readonly passed: boolean };

const lhci = createRequire(createRequire(import.meta.url).resolve('@lhci/cli/src/cli.js'));
const judgeWithLhci = lhci('@lhci/utils/src/assertions.js').getAllAssertionResults as (
  options: Options,
  lhrs: readonly object[],
) => LhciResult[];

const read = (assert: Options) =>
  readLhciAssertions({ assert: structuredClone(assert) }, [], { faults: [], notes: [], lineOf: pointer => pointer });
const toChecks = async (options: Options, lhrs: readonly Record<string, unknown>[]) => {
  const runs = lhrs.map((lhr, at) => ({ run: at + 1, lhr }));
  return (await read(options)).flatMap(assertion => judgeRuns(assertion, runs));
};

const ids = ['first-contentful-paint', 'interactive', 'unused-javascript', 'image-alt', 'canonical'];
const score = fc.constantFrom(null, 0, 0.5, 0.89, 0.9, 1);
const audit = fc.record(
  {
    score,
    scoreDisplayMode: fc.constantFrom('numeric', 'notApplicable', 'informative', 'manual', 'error'),
    numericValue: fc.constantFrom(0, 100, 250.5, 900),
    details: fc.record({ items: fc.array(fc.constant({}), { maxLength: 3 }) }),
  },
  { requiredKeys: ['score'] },
);
const lhr = fc.record({
  finalUrl: fc.constantFrom('http://localhost:3000/', 'http://localhost:3000/en/'),
  audits: fc.dictionary(fc.constantFrom(...ids), audit, { minKeys: 4 }),
  categories: fc.record({ seo: fc.record({ score }) }),
});
const limits = fc.record(
  {
    minScore: fc.constantFrom(0, 0.5, 0.9, 1, '0.9'),
    maxLength: fc.constantFrom(0, 1, 2),
    maxNumericValue: fc.constantFrom(0, 100, 500, '250.5'),
    aggregationMethod: fc.constantFrom('optimistic', 'pessimistic', 'median', 'median-run'),
  },
  { requiredKeys: [] },
);
const value = fc.oneof(
  fc.constantFrom('error', 'warn', 'off', null, 0),
  fc.tuple(fc.constantFrom('error', 'warn', 'off'), limits),
);
const options = fc.record(
  {
    assertions: fc.dictionary(fc.constantFrom(...ids, 'categories:seo', 'categories:performance'), value, {
      minKeys: 1,
    }),
    aggregationMethod: fc.constantFrom('optimistic', 'pessimistic', 'median', 'median-run'),
    matchingUrlPattern: fc.constantFrom('', '/en/', '^https?://[^/]+/$', '(?<!en)/$'),
  },
  { requiredKeys: ['assertions'] },
);

/** Lighthouse CI has one result for an audit that did not run, this command one for each limit. */
const say = (results: readonly { passed: boolean; isWarning: boolean }[]) => ({
  fails: results.some(({ passed, isWarning }) => !passed && !isWarning),
  warns: results.some(({ passed, isWarning }) => !passed && isWarning),
  passes: results.some(({ passed }) => passed),
});

test('any assertion about any runs passes or fails as in Lighthouse CI', async () => {
  await fc.assert(
    fc.asyncProperty(options, fc.array(lhr, { minLength: 1, maxLength: 5 }), async (given, lhrs) => {
      const theirs = judgeWithLhci({ ...structuredClone(given), includePassedAssertions: true }, lhrs);
      const own = await toChecks(given, lhrs);
      assert.deepEqual(say(own), say(theirs.map(({ level, passed }) => ({ passed, isWarning: level === 'warn' }))));
    }),
    { numRuns: 500 },
  );
});

test('a check names the runs that were judged, and their values', async () => {
  const runs = [0.8, 0.95, 0.6].map((seo, at) => ({
    finalUrl: 'http://localhost/',
    audits: {
      'first-contentful-paint': { score: 1, numericValue: 1000 + 100 * at },
      interactive: { score: 1, numericValue: 2000 },
    },
    categories: { seo: { score: seo } },
  }));
  const measured = async (method: string, id = 'categories:seo', limit: object = { minScore: 0.9 }) => {
    const given = { assertions: { [id]: ['error', limit] }, aggregationMethod: method };
    return (await toChecks(given, runs)).map(check => `${check.passed} ${check.measured}`).join();
  };
  assert.equal(await measured('optimistic'), 'true 0.95 (best of runs 1, 2, 3: 0.8, 0.95, 0.6)');
  assert.equal(await measured('pessimistic'), 'false 0.6 (worst of runs 1, 2, 3: 0.8, 0.95, 0.6)');
  assert.equal(await measured('median'), 'false 0.8 (median of runs 1, 2, 3: 0.8, 0.95, 0.6)');
  const time = { maxNumericValue: 1050 };
  assert.equal(await measured('median-run', 'first-contentful-paint', time), 'false 1100 (median run, run 2)');
  assert.equal(await measured('median', 'image-alt', {}), 'false not measured in every run');
});

test('a pattern that takes exponential time misses its assertion instead of hanging', async () => {
  const page = { finalUrl: `http://localhost/${'a'.repeat(50)}`, audits: {}, categories: { seo: { score: 1 } } };
  const given = { assertMatrix: [{ matchingUrlPattern: '(a+)+b', assertions: { 'categories:seo': 'error' } }] };
  const [check] = await toChecks(given, [page]);
  assert.match(`${check?.passed} ${check?.measured}`, /^false matchingUrlPattern takes longer than 200 ms/);
});
