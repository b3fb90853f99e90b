/** The changes of an experiment, each in a real load: what the page and the servers got, and what Lighthouse made of it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Hits, type LoadVariant, toInterception } from '../../src/contract/experiments/load-variant.ts';
import type { Recipe } from '../../src/contract/experiments/request.ts';
import type { Lhr } from '../../src/measure/lhr/lhr.ts';
import type { ReadPage } from '../../src/measure/lighthouse/read-page.ts';
import { createOwnPool } from '../support/audits/create-own-pool.ts';
import { startVariantSite } from './variant-site.ts';

type Changes = Partial<Omit<LoadVariant, 'intercept'>>;
type Request = { url: string; statusCode: number; transferSize: number; resourceSize: number };
type Loaded = { text: string; lhr: Lhr; hits: Hits | undefined; blockedRequests: number };

const hooks: (() => Promise<void> | void)[] = [];
const site = await startVariantSite({ after: hook => void hooks.push(hook) });
const logged: string[] = [];
const pool = createOwnPool({ log: (...line) => void logged.push(JSON.stringify(line)) });
after(async () => {
  await pool.close(0);
  for (const hook of hooks) await hook();
});

const unchanged = {
  block: [],
  replace: [],
  headers: {},
  recipes: [],
  throttling: null,
  throttlingMethod: 'simulate',
} as const;
const toRecipe = (name: Recipe['name'], changes: Partial<Recipe> = {}): Recipe => ({
  name,
  url: null,
  value: null,
  find: null,
  replace: null,
  ...changes,
});

const readPage: ReadPage<Loaded> = async (bytes, { hits, blockedRequests }) => {
  const text = Buffer.from(bytes).toString();
  return { text, lhr: JSON.parse(text), hits, blockedRequests };
};

/** @param others the other arms, which this load only intercepts the requests of */
async function load(changes: Changes, others: readonly Changes[] = []) {
  const arms = [changes, ...others].map(arm => ({ ...unchanged, ...arm }));
  const variant = { ...unchanged, ...changes, intercept: toInterception(arms) };
  const audit = {
    url: site.url,
    strategy: 'mobile',
    categories: ['performance'],
    profile: 'lighthouse',
    locale: 'en-US',
    variant,
  } as const;
  const signal = new AbortController().signal;
  const { value, artifacts } = await pool.audit(audit, readPage, signal, { keepArtifacts: true });
  assert.equal(artifacts, undefined, 'a load with a variant leaves no artifacts');
  const details = value.lhr.audits['network-requests']?.details as { items: Request[] };
  const find = (path: string) => details.items.find(({ url }) => url.endsWith(path));
  return { ...value, find, ...site.take() };
}

const secret = 'v-19c0ffee';
const variants: readonly Changes[] = [
  {
    block: [`${site.other}/tag`],
    headers: { 'x-secret': secret },
    replace: [
      { url: `${site.origin}/app.js`, body: `window.app = 'other'; // ${secret}`, with: null },
      { url: `${site.origin}/kept.js`, body: 'window.kept = 2;', with: null },
      { url: `${site.origin}/style.css`, body: null, with: `${site.origin}/other.css` },
    ],
  },
  {
    recipes: [
      toRecipe('defer', { url: '/app.js' }),
      toRecipe('async', { url: '/tag.js' }),
      toRecipe('preload', { url: '/a.svg' }),
      toRecipe('lazy-loading'),
      toRecipe('fetch-priority', { url: '/style.css', value: 'low' }),
      toRecipe('font-display', { value: 'optional' }),
      toRecipe('find-and-replace', { find: 'Price: 10', replace: 'Preis: 10 €' }),
      toRecipe('find-and-replace', { find: 'not there', replace: '' }),
    ],
  },
];

test('the base passes through the interception of all arms, and is unchanged', async () => {
  const base = await load({}, variants);
  assert.deepEqual(base.hits, {});
  assert.deepEqual([base.seen?.app, base.seen?.color], ['usual', 'rgb(1, 0, 0)']);
  assert.equal(base.seen?.html, site.page.slice('<!doctype html>'.length));
  assert.ok([...base.own, ...base.others].every(({ headers }) => headers['x-secret'] === undefined));
  const [plain, document] = [base.find('/a.svg'), base.find(`${site.origin}/`)];
  assert.equal(plain?.statusCode, 200);
  assert.ok(document && document.transferSize < document.resourceSize / 2, 'the document counts as compressed');
});

test("a variant blocks, replaces and sends headers only to its page's origin, and its texts are not revealed", async () => {
  const { hits, find, lhr, own, others, seen, text } = await load(variants[0] ?? {}, variants);
  assert.deepEqual(
    others.map(({ path }) => path),
    ['/moved.js'],
  );
  assert.equal(others[0]?.headers['x-secret'], undefined, 'a redirect to another origin loses them');
  // The document is requested once before the load, with the same headers.
  assert.equal(own.filter(({ path }) => path === '/').length, 2);
  const paths = own.filter(({ headers }) => headers['x-secret'] === secret).map(({ path }) => path);
  assert.deepEqual(paths.toSorted(), own.map(({ path }) => path).toSorted());
  assert.ok(paths.includes('/') && paths.includes('/other.css') && !paths.includes('/style.css'));
  assert.match(own[0]?.headers['user-agent'] ?? '', /Mobile/);
  assert.deepEqual([seen?.app, seen?.color], ['other', 'rgb(2, 0, 0)']);
  const replaced = find('/app.js');
  assert.ok(replaced && replaced.resourceSize < 100 && replaced.transferSize > 0);
  assert.ok(!find('/tag.js') || find('/tag.js')?.statusCode === -1, JSON.stringify(find('/tag.js')));
  assert.deepEqual(hits, {
    [`${site.other}/tag`]: 1,
    [`${site.origin}/app.js`]: 1,
    // The browser refuses another text than that of the `integrity` attribute.
    [`${site.origin}/kept.js`]: 0,
    [`${site.origin}/style.css`]: 1,
    // The page, its style, three scripts, its picture, and its report.
    headers: 7,
  });
  assert.equal(lhr.runtimeError, undefined);
  assert.ok(!text.includes(secret), 'the result has no text of the request');
  assert.ok(!logged.some(line => line.includes(secret)));
});

test('recipes change the document and its stylesheets, and report how often', async () => {
  const { hits, seen, find } = await load(variants[1] ?? {}, variants);
  const html = seen?.html ?? '';
  for (const part of [
    '<head><link rel="preload" as="image" href="/a.svg">',
    '<script defer="" src="/app.js">',
    `<script async="" src="${site.other}/tag.js">`,
    '<img loading="lazy" src="/a.svg"',
    '<link fetchpriority="low" rel="stylesheet"',
    '<h1>Preis: 10 €</h1>',
  ])
    assert.ok(html.includes(part), `${part} in ${html.slice(0, 600)}`);
  assert.deepEqual(hits, {
    'defer /app.js': 1,
    'async /tag.js': 1,
    'preload /a.svg': 1,
    'lazy-loading': 1,
    'fetch-priority /style.css': 1,
    'font-display': 1,
    'find-and-replace': 1,
    'find-and-replace #2': 0,
  });
  assert.equal(find('/style.css')?.statusCode, 200);
});

test('a request without an answer delays the page as long as the browser waits for it', async () => {
  const recipes = [toRecipe('single-point-of-failure', { url: '/tag.js' })];
  const { hits, lhr, others } = await load({ recipes, throttlingMethod: 'devtools' });
  assert.deepEqual(hits, { 'single-point-of-failure /tag.js': 1 });
  assert.ok(!others.some(({ path }) => path === '/tag.js'));
  assert.ok((lhr.audits['first-contentful-paint']?.numericValue ?? 0) > 9_000);
  assert.equal(lhr.configSettings?.throttlingMethod, 'devtools');
});

test('throttling overrides that of the profile, and a blocked target is also blocked as a replacement', async () => {
  const throttling = { rtt_ms: 10, throughput_kbps: 50_000, cpu_slowdown_multiplier: 2 };
  const replace = [{ url: `${site.origin}/style.css`, body: null, with: 'http://169.254.169.254/latest.css' }];
  const { lhr, seen, blockedRequests } = await load({ throttling, replace });
  const { rttMs, throughputKbps, cpuSlowdownMultiplier } = lhr.configSettings?.throttling ?? {};
  assert.deepEqual([rttMs, throughputKbps, cpuSlowdownMultiplier], [10, 50_000, 2]);
  assert.equal(seen?.color, 'rgb(0, 0, 0)', 'the page has no style');
  assert.ok(blockedRequests > 0);
});
