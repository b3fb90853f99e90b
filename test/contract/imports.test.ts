/**
 * Which way imports run: `http → analysis → {psi, lighthouse, cache, targets, compare} → report → {errors, settings types}`.
 * `web` runs elsewhere, in browsers: it takes types of what the service sends. `html-report` imports it to draw files with
 * its views; so those have to do without a document, which its template reader and its tests hold them to. The command
 * line (`cli`) asks the service as the page does, so it uses the page's pure parts; nobody else imports them.
 */
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { readSourceFiles } from './source-files.ts';

type Import = { from: string; to: string; isType: boolean };

const statement =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?[^'";]*?from\s*'([^']+)'|import\(\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'/g;

const files = readSourceFiles();
const imports: readonly Import[] = files.flatMap(({ path, text }) =>
  [...text.matchAll(statement)].map(([, type, from, dynamic, sideEffect]) => {
    const specifier = from ?? dynamic ?? sideEffect ?? '';
    const to = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
    return { from: path, to, isType: type !== undefined };
  }),
);
const isOwn = ({ to }: Import) => to.endsWith('.ts');
const roomOf = (path: string) => (path.includes('/') ? path.split('/')[0] : path) ?? path;
const show = ({ from, to, isType }: Import) => `${from} → ${to}${isType ? ' (types)' : ''}`;

const foundations = ['errors.ts', 'settings.ts'];
const middle = ['psi', 'lighthouse', 'cache', 'targets', 'compare'];

/** From a room to the rooms it may import from. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  http: ['analysis', 'html-report', 'report', ...foundations],
  'html-report': ['web', 'report'],
  analysis: [...middle, 'report', ...foundations],
  ...Object.fromEntries(middle.map(room => [room, ['report', ...foundations]])),
  report: foundations,
  web: [],
  cli: ['web', 'html-report', 'report', ...foundations],
  'errors.ts': [],
  'settings.ts': ['setting-readers.ts'],
  'setting-readers.ts': [],
  'usage.ts': [],
  'log.ts': [],
};

/** They build and start everything. */
const compositionRoots = ['service.ts', 'main.ts', 'cli/start.ts', 'cli/open-service.ts'];
/** What the command line takes from elsewhere: its version, how an address is read. */
const cliParts = ['http/health.get.ts', 'targets/page-url.ts'];
/** Pure parts of rooms below that `http` needs as values: it reads, describes and words with them, and starts nothing. */
const pureParts = [
  'targets/page-url.ts',
  'targets/host-name.ts',
  'psi/error-body.ts',
  'psi/field-mask.ts',
  'psi/wire-fields.ts',
  'compare/comparison.ts',
];
/** The settings are read with the reader of one of them, and `--help` is made of the settings. */
const exceptions = ['settings.ts → targets/policy.ts', 'usage.ts → settings.ts'];

/** What the service sends, for the page that reads it. */
const sentTypes = ['http/schemas.ts', 'report/report.ts', 'report/thresholds.ts', 'errors.ts'];

const mayImport = (arrow: Import): boolean => {
  const { from, to, isType } = arrow;
  const [source, target] = [roomOf(from), roomOf(to)];
  if (source === target || compositionRoots.includes(from)) return true;
  if (source === 'cli' && to.startsWith('web/page/')) return false;
  if (arrows[source]?.includes(target)) return target !== 'settings.ts' || isType || source === 'cli';
  if (source === 'web' || source === 'html-report') return isType && sentTypes.includes(to);
  if (source === 'cli') return cliParts.includes(to);
  if (source === 'http' && middle.includes(target)) return isType || pureParts.includes(to);
  return exceptions.includes(`${from} → ${to}`);
};

test('the imports were found', () => {
  assert.ok(imports.length > 100);
  assert.deepEqual(
    imports.filter(({ to }) => to.startsWith('.') || to === ''),
    [],
  );
});

test('every room has its place', () => {
  const rooms = new Set(files.map(({ path }) => roomOf(path)));
  const unknown = [...rooms].filter(room => !Object.hasOwn(arrows, room) && !compositionRoots.includes(room));
  assert.deepEqual(unknown, []);
});

test('imports run one way, never up and never sideways', () => {
  assert.deepEqual(
    imports
      .filter(isOwn)
      .filter(arrow => !mayImport(arrow))
      .map(show),
    [],
  );
});

test('only the command starts the process of the service, and only they import the composition root', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      (to === 'main.ts' && from !== 'cli/start.ts') ||
      (to === 'service.ts' && !['main.ts', 'cli/open-service.ts'].includes(from)),
  );
  assert.deepEqual(wrong.map(show), []);
});

test('the worker imports only its own side of the process boundary and packages', () => {
  const ownSide = ['messages', 'browser', 're-audit', 'stages', 'navigation-watch', 'page-pulse', 'page-failure-seen'];
  const allowed = ['errors.ts', ...ownSide.map(name => `lighthouse/${name}.ts`)];
  const reached = new Set(['lighthouse/worker.ts']);
  for (const path of reached)
    for (const { to } of imports.filter(isOwn).filter(({ from }) => from === path)) reached.add(to);
  assert.deepEqual(
    [...reached].slice(1).filter(path => !allowed.includes(path)),
    [],
  );
});

test('the framework stays in http, the browser driver in lighthouse', () => {
  const homes: [RegExp, ...string[]][] = [
    [/^fastify/, 'http'],
    [/^puppeteer/, 'lighthouse'],
    [/^@sparticuz/, 'lighthouse'],
    [/^lit-html/, 'web', 'html-report'],
  ];
  const strays = imports.filter(({ from, to }) =>
    homes.some(([name, ...rooms]) => name.test(to) && !rooms.includes(roomOf(from))),
  );
  assert.deepEqual(strays.map(show), []);
});

test('the page runs in browsers: it imports its library and nothing of Node', () => {
  const wrong = imports.filter(arrow => roomOf(arrow.from) === 'web' && !isOwn(arrow) && !arrow.isType);
  assert.deepEqual(wrong.filter(({ to }) => to !== 'lit-html').map(show), []);
});

test('pure rooms have no input or output', () => {
  const impure = /^node:(fs|http|https|net|dns|child_process|dgram|tls|worker_threads)/;
  const wrong = imports.filter(({ from, to }) => ['report', 'compare'].includes(roomOf(from)) && impure.test(to));
  assert.deepEqual(wrong.map(show), []);
});
