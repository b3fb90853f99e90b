import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readWanted } from '../../../test/support/asking/read-wanted.ts';
import { makeScratchFolder } from '../../../test/support/scratch-folder.ts';
import { UsageError } from '../input/usage-error.ts';
import { readConfig } from './config/read-config.ts';
import { toDryRun } from './dry-run.ts';
import { toPlan } from './plan.ts';

type Scope = { after(done: () => void): void };

/** Returns the assertions of a file with their lines, or its faults. */
async function plan(t: Scope, files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = makeScratchFolder(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const names = { branch: 'a', target: 'a', note: { text: 'main at 1a2b3c4d' }, toLabel: (branch: string) => branch };
  try {
    const config = await readConfig(Object.keys(files)[0], folder);
    const { assertions } = toDryRun(config, toPlan(config, readWanted('ci', []), names, {}));
    return assertions.map(({ text, at }) => `${at.replace(`${folder}/`, '')} ${text}`);
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.faults.map(fault => `fault ${fault.replaceAll(`${folder}/`, '')}`);
  }
}

test('a lighthouserc is known by its content under any name, and each assertion has its line', async t => {
  const page = '"collect": { "url": "http://localhost:3000/" }';
  const seo = (level = 'error') => `"assert": { "assertions": {\n"categories:seo": "${level}" } }`;
  for (const root of ['ci', 'lhci', 'ci:client'])
    assert.deepEqual(await plan(t, { 'quality.json': `{ "${root}": { ${page}, ${seo()} } }` }), [
      'quality.json:2 categories:seo minScore>=0.9',
    ]);
  assert.deepEqual(await plan(t, { 'quality.json': `{ ${page}, ${seo()} }` }), [
    'fault quality.json:1: "collect" is not read here; move it into "ci"',
  ]);
  assert.deepEqual(await plan(t, { 'a.json': `{ "ci": { ${page} },\n"lhci": { ${seo()} } }` }), [
    'fault a.json:2: "ci" and "lhci" mean the same; merge them into one',
  ]);
  const yaml = `
.limits: &limits { minScore: 0.8 }
ci: # settings
  collect: { url: http://localhost:3000/, numberOfRuns: 1 } # one run
  assert:
    assertions:
      categories.seo: # all pages
        - error
        - <<: *limits
      categories:performance: off`;
  assert.deepEqual(await plan(t, { 'lighthouserc.yml': yaml }), ['lighthouserc.yml:8 categories:seo minScore>=0.8']);
  assert.deepEqual(await plan(t, { 'lighthouserc.json': `{ "ci": { ${page}, // pages\n${seo()} } }` }), [
    'fault lighthouserc.json:1: JSON has no comments; remove it, or write the file as .js',
  ]);
  const script = `module.exports = { ci: { collect: { url: ['http://localhost:3000/'] }, // pages
    assert: { assertMatrix: [{ matchingUrlPattern: /localhost/, assertions: { 'categories.seo': ['warn'] } }] } } };`;
  assert.deepEqual(await plan(t, { 'lighthouserc.cjs': script }), [
    'lighthouserc.cjs: ci/assert/assertMatrix/0/assertions/categories.seo warn categories:seo minScore>=0.9',
  ]);
});

test('a file that is extended keeps its lines, and one that cannot be read is a fault', async t => {
  const own = (path: string) => `{ "ci": { "extends": "${path}", "collect": { "url": "http://localhost:3000/" },
    "assert": { "assertions": { "categories:seo": ["warn"] } } } }`;
  const base = `{ "ci": { "assert": { "assertions": {
    "categories.seo": ["error", { "minScore": 0.5 }],
    "image-alt": "error" } } } }`;
  assert.deepEqual(await plan(t, { 'lighthouserc.json': own('./base.json'), 'base.json': base }), [
    'lighthouserc.json:2 warn categories:seo minScore>=0.5',
    'base.json:3 image-alt minScore>=0.9',
  ]);
  for (const [path, said] of [
    ['none.json', 'none.json does not exist; extends is relative to its file'],
    ['lighthouserc.json', 'lighthouserc.json extends itself; remove one "extends"'],
  ] as const)
    assert.deepEqual(await plan(t, { 'lighthouserc.json': own(path) }), [`fault lighthouserc.json:1: ${said}`]);
});

test('a pattern is a regular expression, limited in time; a file whose patterns match no page asserts nothing', async t => {
  const file = (...patterns: string[]) => ({
    'lighthouserc.json': JSON.stringify({
      ci: {
        collect: { url: 'http://localhost:3000/shop/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
        assert: {
          assertMatrix: patterns.map(matchingUrlPattern => ({
            matchingUrlPattern,
            assertions: { 'image-alt': 'error' },
          })),
        },
      },
    }),
  });
  const line = 'lighthouserc.json:1 image-alt minScore>=0.9';
  assert.deepEqual(await plan(t, file('https?://[^/]+/(shop|cart)/a+$')), [line]);
  assert.deepEqual(await plan(t, file('/blog/', '^(?!.*cart)')), [line, line]);
  const [none = ''] = await plan(t, file('/blog/', '/cart/'));
  assert.match(none, /^fault lighthouserc\.json:1: no matchingUrlPattern matches a page/);
  const [late = ''] = await plan(t, file('(a+)+b'));
  assert.match(late, /^fault lighthouserc\.json:1: matchingUrlPattern \(a\+\)\+b takes too long/);
});

test('every budget of budgetsFile that matches a page applies, and old metrics are notes', async t => {
  const main = `{ "ci": { "collect": { "url": "http://localhost:3000/a" }, "assert": { "budgetsFile": "./budget.json" } } }`;
  const budget = `[
    { "path": "/*", "resourceSizes": [{ "resourceType": "script", "budget": 10 }] },
    { "path": "/a", "resourceCounts": [{ "resourceType": "font", "budget": 2 }],
      "timings": [{ "metric": "first-cpu-idle", "budget": 1 },
        { "metric": "max-potential-fid", "budget": 99 }] }]`;
  assert.deepEqual(await plan(t, { 'lighthouserc.json': main, 'budget.json': budget }), [
    'budget.json:2 resource-summary:script:size maxNumericValue<=10240',
    'budget.json:3 resource-summary:font:count maxNumericValue<=2',
    'budget.json:5 max-potential-fid maxNumericValue<=99',
  ]);
  const wrong = `[{ "path": "/a", "resourceSize": [] },\n { "resourceSizes": { "script": 10 } },\n { "timings": [{ "metric": "interactive", "budget": 1, "tolerence": 2 }] }]`;
  assert.deepEqual(
    (await plan(t, { 'lighthouserc.json': main, 'budget.json': wrong })).map(fault => fault.slice(0, 60)),
    [
      "fault budget.json:1: unknown setting 'resourceSize'; did you mean",
      'fault budget.json:2: resourceSizes must be a list of objects',
      "fault budget.json:3: unknown setting 'tolerence'; choose from",
    ].map(fault => fault.slice(0, 60)),
  );
});
