import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readWanted } from '../../../../test/support/asking/read-wanted.ts';
import { makeScratchFolder } from '../../../../test/support/scratch-folder.ts';
import { isOfPage } from '../../input/assertion.ts';
import { UsageError } from '../../input/usage-error.ts';
import { toPlan } from '../plan.ts';
import { readConfig } from './read-config.ts';

const names = {
  branch: 'topic',
  target: 'main',
  note: { text: 'main at 1a2b3c4d' },
  toLabel: (branch: string) => `${branch}@1a2b3c4-1`,
};

/** Writes the files, and reads the first one as `rangelight ci` does. */
async function plan(t: { after(done: () => void): void }, files: Readonly<Record<string, string>>, env = {}) {
  const folder = makeScratchFolder(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const read = await readConfig(Object.keys(files)[0], folder);
  return { folder, read, plan: toPlan(read, readWanted('ci', []), names, env) };
}

/** Returns the faults, with paths relative to the folder. */
async function faultsOf(t: Parameters<typeof plan>[0], files: Readonly<Record<string, string>>, env = {}) {
  try {
    await plan(t, files, env);
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.faults.map(fault => fault.replaceAll(/\S*\/(?=[\w.]+\.(?:json|js))/g, ''));
  }
  return [];
}

const config = 'rangelight.config.json';
const page = '"urls": ["https://example.com/"]';

test('every fault of a configuration has its line and a suggestion', async t => {
  for (const [text, ...faults] of [
    ['{\n  "urls": ["https://example.com/"\n}', `${config}:3: `],
    ['{}', `${config}:1: urls is missing; add it`],
    ['[]', `${config}:1: `],
    [`{\n ${page},\n "asert": []\n}`, `${config}:3: unknown setting 'asert'; did you mean assert?`],
    [
      `{\n ${page},\n "server": { "comand": "x", "url": "http://a/" }\n}`,
      `${config}:3: unknown setting 'comand'; did you mean command?`,
    ],
    [
      `{\n ${page},\n "server": { "url": "http://a/" }\n}`,
      `${config}:3: server.command is missing; add it, or remove server if the site already runs`,
    ],
    ['{ "url": ["https://example.com/"] }', `${config}:1: unknown setting 'url'; did you mean urls?`],
    [
      `{\n ${page},\n "strategies": [\n"mobil"]\n}`,
      `${config}:4: strategies.0 must be one of mobile, desktop; did you mean`,
    ],
    [`{\n "strict": true\n "runs": 3\n}`, `${config}:2: this is not valid JSON; check commas, quotes and brackets`],
    [`{\n ${page},\n "runs": 9\n}`, `${config}:3: runs must be a number from 1 to 5, or "auto"`],
    [`{\n ${page},\n "strict": "yes"\n}`, `${config}:3: strict must be true or false, without quotes`],
    [`{\n ${page},\n "assert": [\n"LCP<=2s",\n"performence>=90"\n]}`, `${config}:5: 'performence>=90': unknown score`],
    [
      `{\n ${page},\n "assert": ["/shop/* LCP<=2s"]}`,
      `${config}:3: '/shop/* LCP<=2s' matches no page in "urls"; correct`,
    ],
    [
      `{\n ${page},\n "categories": ["seo"],\n "assert": ["LCP<=2s"]}`,
      `${config}:4: 'LCP<=2s': it needs the category performance, which "categories" omits`,
    ],
    [
      '{\n "urls": [\n"https://example.com/",\n"/about"\n]}',
      `${config}:4: '/about' is a path; name the site in "server"`,
    ],
    ['{\n "urls": ["ftp://example.com/"]}', `${config}:2: 'ftp://example.com/' is not the URL of a page`],
    [`{\n ${page},\n "minEffect": "3"}`, `${config}:3: minEffect must be in points, ms or percent`],
    [`{\n ${page},\n "service": "https://a:b@c/"}`, `${config}:3: service must be the http or https URL of a runnin`],
    [
      `{\n ${page},\n "baseline": { "branch": "a", "label": "b" }}`,
      `${config}:3: baseline has both "branch" and "label"`,
    ],
    [`{\n ${page},\n "label": "a",\n "baseline": { "label": "a" }}`, `${config}:3: this run and its baseline are both`],
    [`{\n ${page},\n "label": "a\\nb"}`, `${config}:3: a label must be one line; remove its control characters`],
    ['{\n // pages\n "urls": ["https://example.com/"]}', `${config}:2: JSON has no comments; remove it, or`],
    [`{\n ${page},\n ${page}}`, `${config}:3: this setting appears twice; remove one`],
    ['', `${config}:1: it is not an object; write { "urls": ["https://example.com/"] }`],
    ['{\n "urls": []}', `${config}:2: urls is empty; add an entry`],
    ['{\n "urls": ["https://a.example/",\n"https://a.example"]}', `${config}:3: https://a.example/ is in "urls" twice`],
    [`{\n ${page},\n "strategies": ["mobile", "mobile"]}`, `${config}:3: strategies has an entry twice; remove one`],
    [
      `{\n ${page},\n "server": { "command": "", "url": "http://a/", "timeout": 0 }}`,
      `${config}:3: server.command is empty; fill it in, or remove it`,
      `${config}:3: server.timeout is 0; write 1 or more`,
    ],
    [`{\n ${page},\n "label": "${'x'.repeat(101)}"}`, `${config}:3: label has more than 100 characters; shorten it`],
    [
      `{\n ${page},\n "baseline": "main"}`,
      `${config}:3: baseline must be an object; write it like { "branch": "main" }`,
    ],
    [`{\n ${page},\n "baseline": {}}`, `${config}:3: baseline is empty; name a "branch", a "label" or a "file"`],
    [`{\n ${page},\n "assert": ["LCP=<2s"]}`, `${config}:3: 'LCP=<2s': write 'performance>=90' or 'LCP<=2.5s'`],
    [
      `{\n ${page},\n "baseline": { "file": "none.json" }}`,
      `${config}:3: the baseline none.json does not exist; write`,
    ],
    [
      `{\n ${page},\n "service": "http://a/",\n "baseline": { "file": "none.json" }}`,
      `${config}:4: a file is compared in the store of the project; remove "service"`,
    ],
    [`{\n ${page},\n "budgets": "none.json"}`, `${config}:3: none.json does not exist; paths are relative`],
    [
      '{\n "server": { "command": "x", "url": "127.0.0.1:3000" },\n "urls": ["/"]}',
      `${config}:2: server.url is not an http URL; write it like http://127.0.0.1:3000/`,
    ],
  ] as const) {
    const found = await faultsOf(t, { [config]: text });
    assert.equal(found.length, faults.length, `${text}\n${found.join('\n')}`);
    for (const [at, fault] of faults.entries()) assert.equal(found[at]?.slice(0, fault.length), fault, text);
  }
});

test('a script that cannot be loaded is named with its line', async t => {
  const [fault = ''] = await faultsOf(t, { 'rangelight.config.mjs': "\nthrow new Error('no such site');\n" });
  assert.match(fault, /rangelight\.config\.mjs:2: it cannot be loaded: no such site; run it with node/);
  const { plan: read } = await plan(t, {
    'rangelight.config.mjs': "export default { urls: ['https://example.com/'] };",
  });
  assert.deepEqual(read.urls, ['https://example.com/']);
});

test('pages that TARGETS forbids are rejected before anything is measured', async t => {
  const local = { [config]: '{ "urls": [\n"http://127.0.0.1:3000/"] }' };
  const [fault = ''] = await faultsOf(t, local, { TARGETS: 'public' });
  assert.match(
    fault,
    /^rangelight\.config\.json:2: http:\/\/127\.0\.0\.1:3000\/ is not allowed by TARGETS: .* Add its/,
  );
  assert.deepEqual(await faultsOf(t, local), []);
});

test('a missing configuration is reported with the name of the file to create', async t => {
  const folder = makeScratchFolder(t);
  await assert.rejects(
    readConfig(undefined, folder),
    /there is no rangelight\.config\.json here; write one with "urls"/,
  );
  await assert.rejects(readConfig('other.json', folder), /--config other\.json does not exist/);
});

test('a budget.json becomes assertions, and each of its faults has its line', async t => {
  const main = { [config]: `{ ${page}, "budgets": "budget.json" }` };
  const budget = `[{
    "path": "/*",
    "options": { "firstPartyHostnames": ["example.com"] },
    "resourceSizes": [{ "resourceType": "script", "budget": 125 }, { "resourceType": "third-party", "budget": 0 }],
    "resourceCounts": [{ "resourceType": "font", "budget": 2 }],
    "timings": [{ "metric": "interactive", "budget": 5000 }]
  }]`;
  const { read, plan: made } = await plan(t, { ...main, 'budget.json': budget });
  assert.deepEqual(
    made.assertions.map(({ text }) => text),
    ['/* script-size<=125KiB', '/* third-party-size<=0KiB', '/* font-count<=2', '/* interactive<=5000'],
  );
  assert.match(read.notes.join(), /budget\.json:3: options\.firstPartyHostnames is not used/);
  const wrong = `[
    { "resourceSizes": [{ "resourceType": "scripts", "budget": 1 },
      { "resourceType": "script", "budget": "1 kB" }],
      "timings": [{ "metric": "first-paint", "budget": 1 }] }]`;
  const faults = await faultsOf(t, { ...main, 'budget.json': wrong });
  assert.deepEqual(
    faults.map(fault => fault.slice(0, 62)),
    [
      "budget.json:2: unknown resourceType 'scripts'; did you mean script?",
      'budget.json:3: "budget" is not a number; write it without quotes or unit',
      "budget.json:4: unknown metric 'first-paint'; choose from first",
    ].map(fault => fault.slice(0, 62)),
  );
  assert.match(
    (await faultsOf(t, { ...main, 'budget.json': '{}' })).join(),
    /budget\.json:1: a budget\.json must be a list/,
  );
});

test('the last budget that matches a page applies to it, and one without a page is only named', async t => {
  const urls = '"urls": ["https://example.com/", "https://example.com/shop/", "https://example.com/shop/cart"]';
  const limit = (kib: number) => `"resourceSizes": [{ "resourceType": "script", "budget": ${kib} }]`;
  const budget = `[
    { "path": "/*", ${limit(100)} },
    { "path": "/shop/", ${limit(200)} },
    { "path": "/shop/cart" },
    { "path": "/blog/", ${limit(300)} }
  ]`;
  const { plan: made } = await plan(t, {
    [config]: `{ ${urls}, "budgets": "budget.json" }`,
    'budget.json': budget,
  });
  const limitsOf = (url: string) => made.assertions.filter(one => isOfPage(one, url)).map(one => one.limit / 1024);
  assert.deepEqual(made.urls.map(limitsOf), [[100], [200], []]);
  assert.equal(made.notes.length, 1);
  assert.match(made.notes[0] ?? '', /budget\.json:5: '\/blog\/\* script-size<=300KiB' matches no page in "urls"\.$/);
});

test('projects that share a service have baselines of their own', async t => {
  const planOf = async (text: string) => (await plan(t, { [config]: `{ ${page}${text} }` })).plan;
  const { label, firstLabel, baseline } = await planOf(', "project": "shop"');
  assert.deepEqual(
    [label, firstLabel, baseline],
    ['shop:topic@1a2b3c4-1', 'shop:main@1a2b3c4-1', { branch: 'shop:main' }],
  );
  const release = await planOf(', "project": "shop", "baseline": { "branch": "release" }');
  assert.deepEqual(release.baseline, { branch: 'shop:release' });
  assert.deepEqual((await planOf('')).baseline, { branch: 'main' });
  const [fault = ''] = await faultsOf(t, { [config]: `{ ${page},\n "project": "a shop" }` });
  assert.match(fault, /^rangelight\.config\.json:2: project /);
});

test("a folder outside of the pipeline's cache is refused", async t => {
  const cached = { RANGELIGHT_CACHED_STORE: '.rangelight' };
  const files = (more: string) => ({ [config]: `{\n ${page}${more}\n}` });
  assert.deepEqual(await faultsOf(t, files(',\n "store": "kept"'), cached), [
    `${config}:3: this pipeline caches .rangelight next to the configuration; remove "store"`,
  ]);
  assert.deepEqual(await faultsOf(t, files(',\n "store": "kept"')), []);
  assert.deepEqual(await faultsOf(t, files(',\n "store": "./.rangelight"'), cached), []);
  assert.deepEqual(await faultsOf(t, files(',\n "store": "kept", "service": "http://127.0.0.1:1/"'), cached), []);
});
