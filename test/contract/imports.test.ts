/**
 * Which way imports run: from the face (`http`, `cli`, `web`) through the use cases (`analysis`) to the parts that do the
 * work, and from all of them down to what travels (`contract`). Never up, never sideways. `web` runs in browsers; what it
 * shares with the command line and the HTML report is in `client` and `presentation`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { readTableRows } from './markdown.ts';
import { projectRoot, readSourceFiles } from './source-files.ts';

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

/** What every room may use: errors, the schemas and names of what travels, and what is pure and nobody's own. */
const bottom = ['contract/errors.ts', 'contract', 'measure/fair-queue.ts'];

/** From a room to the rooms it may import from, beside the bottom. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  // The face.
  http: ['analysis', 'html-report', 'result'],
  cli: ['client', 'presentation', 'html-report', 'settings'],
  web: ['client', 'presentation'],
  'html-report': ['web', 'presentation', 'result'],
  client: ['presentation'],
  presentation: [],
  // The work.
  analysis: ['analysers', 'before-after', 'lighthouse', 'cache', 'targets', 'compare', 'psi-v5', 'result', 'records'],
  jobs: ['analysis', 'database', 'egress', 'records', 'result', 'results', 'targets'],
  analysers: ['lighthouse', 'psi-v5', 'result'],
  lighthouse: ['result'],
  metrics: ['analysers', 'cache', 'lighthouse', 'results'],
  threads: ['before-after', 'compare', 'history', 'html-report', 'presentation', 'psi-v5', 'result'],
  egress: ['targets'],
  compare: ['result'],
  change: [],
  history: ['change', 'results'],
  'before-after': ['change', 'presentation', 'result', 'results'],
  cache: [],
  records: ['cache', 'change', 'database', 'results', 'result'],
  results: ['database'],
  database: [],
  fleet: ['analysers', 'cache', 'database', 'lighthouse', 'records', 'result', 'results'],
  'psi-v5': ['result'],
  sitemaps: ['lighthouse', 'targets'],
  result: [],
  targets: [],
  tracing: ['analysers', 'jobs', 'lighthouse'],
  settings: ['targets'],
  contract: [],
  'contract/errors.ts': [],
  'measure/fair-queue.ts': [],
  'telemetry/log.ts': [],
};

/** They build and start everything. */
const compositionRoots = [
  ...[
    'service/service.ts',
    'service/join-fleet.ts',
    'service/main.ts',
    'cli/start.ts',
    'cli/open-service.ts',
    'cli/run-store.ts',
    'jobs/open-jobs.ts',
  ],
];
/** Rooms below `http` whose types and pure parts it needs. It builds nothing from them. */
const belowHttp = [
  'fleet',
  ...['analysers', 'lighthouse', 'cache', 'targets', 'compare', 'psi-v5', 'settings', 'presentation'],
  ...['records', 'results', 'database', 'change', 'metrics', 'jobs', 'sitemaps', 'tracing'],
];
const pureParts = [
  'measure/targets/page-url.ts',
  'measure/targets/host-name.ts',
  'psi-v5',
  'presentation/side-names.ts',
  'analysis/records/to-kept-facts.ts',
  'jobs/to-answer.ts',
  'jobs/problems.ts',
  'jobs/callbacks/callback-url.ts',
  'jobs/schedules/next-time.ts',
  'storage/results/fault.ts',
  'storage/database/fault.ts',
  'explain/change/smallest-effect.ts',
];
/** They hand work to the thread, and import none of it themselves. */
const threadUsers = ['http', 'analysis', 'analysers', 'lighthouse', 'fleet'];
/** What else the command line takes: how an address is read. */
const cliParts = ['measure/targets/page-url.ts'];

const isOneOf = (path: string, parts: readonly string[]) => parts.includes(path) || parts.includes(roomOf(path));

const mayImport = ({ from, to, isType }: Import): boolean => {
  const [source, target] = [roomOf(from), roomOf(to)];
  if (source === target || compositionRoots.includes(from)) return true;
  if (source !== 'contract/errors.ts' && bottom.includes(target))
    return target === 'contract/errors.ts' || source !== 'contract/errors.ts';
  if (arrows[source]?.includes(target)) return true;
  if (target === 'threads') return isType && threadUsers.includes(source);
  if (target === 'results' && source === 'analysis') return isType;
  if (source === 'cli') return isOneOf(to, cliParts);
  return source === 'http' && belowHttp.includes(target) && (isType || isOneOf(to, pureParts));
};

test('the imports are found', () => {
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

test('ARCHITECTURE.md shows the same arrows', () => {
  const text = readFileSync(`${projectRoot}ARCHITECTURE.md`, 'utf8');
  const [, section = ''] = text.split(/^## Who imports whom$/m);
  const namesOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const shown = readTableRows(section.split(/^## /m)[0] ?? '').flatMap(([rooms = '', targets = '']) =>
    namesOf(rooms).map(room => [room, namesOf(targets).toSorted()]),
  );
  const expected = Object.entries(arrows)
    .filter(([room]) => !room.endsWith('.ts'))
    .map(([room, targets]) => [room, targets.toSorted()]);
  assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(expected));
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

/** Folders of a room, from the ground up. */
const floors: Readonly<Record<string, readonly string[]>> = {
  compare: ['sides', 'points', 'same-page', 're-audits', 'causes', 'verdict'],
  contract: ['result', 'analysis', 'jobs', 'kept'],
};

test('a step of a comparison, and a part of the contract, imports only from those before it', () => {
  const floorOf = (path: string) => floors[roomOf(path)]?.indexOf(path.split('/')[1] ?? '') ?? -1;
  const inOneRoom = imports.filter(({ from, to }) => roomOf(from) === roomOf(to));
  assert.deepEqual(inOneRoom.filter(({ from, to }) => floorOf(from) >= 0 && floorOf(to) > floorOf(from)).map(show), []);
  const folders = new Set(files.map(({ path }) => path.split('/').slice(0, -1).join('/')));
  const named = Object.entries(floors).flatMap(([room, names]) => names.map(name => `${room}/${name}`));
  assert.deepEqual([...folders].filter(folder => /^(compare|contract)\//.test(folder)).toSorted(), named.toSorted());
});

test('only the command starts the process of the service, and only the two import the composition root', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      (to === 'service/main.ts' && from !== 'cli/start.ts') ||
      (to === 'service/service.ts' && !['service/main.ts', 'cli/open-service.ts'].includes(from)),
  );
  assert.deepEqual(wrong.map(show), []);
});

test('the worker imports only its own side of the process boundary and packages', () => {
  const isOwnSide = (path: string) =>
    path.startsWith('measure/lighthouse/worker/') || path === 'measure/lighthouse/messages.ts';
  const reached = new Set(['measure/lighthouse/worker/worker.ts']);
  for (const path of reached)
    for (const { to } of imports.filter(isOwn).filter(({ from }) => from === path)) reached.add(to);
  assert.deepEqual(
    [...reached].filter(path => !isOwnSide(path) && !bottom.includes(roomOf(path))),
    [],
  );
});

test('the framework stays in http, the browser driver in lighthouse', () => {
  const homes: [RegExp, ...string[]][] = [
    [/^fastify/, 'http'],
    [/^esbuild/, 'http'],
    [/^puppeteer/, 'lighthouse'],
    [/^@sparticuz/, 'lighthouse'],
    [/^lit-html/, 'web', 'html-report'],
    [/^saxes$/, 'sitemaps'],
    [/^node:sqlite$/, 'results'],
    [/^pg$/, 'database', 'fleet'],
    [/^@opentelemetry/, 'tracing'],
  ];
  const strays = imports.filter(({ from, to }) =>
    homes.some(([name, ...rooms]) => name.test(to) && !rooms.includes(roomOf(from))),
  );
  assert.deepEqual(strays.map(show), []);
});

test('the page runs in browsers: it imports its library and nothing of Node', () => {
  const wrong = imports.filter(
    arrow => ['web', 'client', 'presentation'].includes(roomOf(arrow.from)) && !isOwn(arrow) && !arrow.isType,
  );
  assert.deepEqual(wrong.filter(({ to }) => to !== 'lit-html' && !to.startsWith('lit-html/')).map(show), []);
});

test('pure rooms have no input or output', () => {
  const impure = /^node:(fs|http|https|net|dns|child_process|dgram|tls|worker_threads)/;
  const wrong = imports.filter(
    ({ from, to }) =>
      ['result', 'compare', 'change', 'history', 'before-after', 'contract', 'presentation', 'psi-v5'].includes(
        roomOf(from),
      ) && impure.test(to),
  );
  assert.deepEqual(wrong.map(show), []);
});
