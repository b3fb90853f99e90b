/**
 * Top-level folders of `src/` ("rooms"), in order: a room imports only rooms after it. The same applies to the folders
 * of some rooms. So there are no import cycles between rooms.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { projectRoot, readSourceFiles } from './source-files.ts';

type Import = { from: string; to: string; isType: boolean };

const rooms = [
  'cli',
  'service',
  'http',
  'jobs',
  'telemetry',
  'fleet',
  'analysis',
  'web',
  'api-client',
  'explain',
  'storage',
  'settings',
  'measure',
  'presentation',
  'contract',
];

/** Folders of a room, in the same order. Files in the room itself have no place in the order. */
const floors: Readonly<Record<string, readonly string[]>> = {
  explain: ['what-if', 'experiments', 'history', 'change', 'statistics', 'compare'],
  'explain/compare': ['causes', 're-audits', 'same-page', 'points'],
  measure: ['sitemaps', 'psi', 'lighthouse', 'lhr', 'egress', 'targets'],
  contract: ['experiments', 'stored', 'jobs', 'analysis', 'result'],
};

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
const isIn = (path: string, ...folders: readonly string[]) => folders.some(folder => path.startsWith(`${folder}/`));
const roomOf = (path: string) => path.slice(0, path.indexOf('/'));
const show = ({ from, to, isType }: Import) => `${from} → ${to}${isType ? ' (types)' : ''}`;

test('the imports are found', () => {
  assert.ok(imports.length > 100);
  assert.deepEqual(
    imports.filter(({ to }) => to.startsWith('.') || to === ''),
    [],
  );
});

test('src/ contains exactly the listed rooms, at most 15', () => {
  assert.ok(rooms.length <= 15);
  const found = new Set(files.map(({ path }) => path.split('/')[0]));
  assert.deepEqual([...found].toSorted(), rooms.toSorted());
});

test('a room imports only rooms below it', () => {
  const isUpward = ({ from, to }: Import) => rooms.indexOf(roomOf(to)) < rooms.indexOf(roomOf(from));
  assert.deepEqual(imports.filter(isOwn).filter(isUpward).map(show), []);
});

test('in a room with ordered folders, a folder imports only folders below it', () => {
  for (const [room, folders] of Object.entries(floors)) {
    const floorOf = (path: string) =>
      isIn(path, room) ? folders.indexOf(path.split('/')[room.split('/').length] ?? '') : -1;
    const isUpward = ({ from, to }: Import) => floorOf(to) >= 0 && floorOf(to) < floorOf(from);
    assert.deepEqual(imports.filter(isOwn).filter(isUpward).map(show), [], room);
  }
});

test('no file imports itself indirectly', () => {
  const next = Map.groupBy(
    imports.filter(isOwn).filter(({ isType }) => !isType),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (done.has(path)) return;
    done.add(path);
    for (const { to } of next.get(path) ?? []) visit(to, [...way, path]);
  };
  for (const { path } of files) visit(path, []);
  assert.deepEqual(circles, []);
});

test('ARCHITECTURE.md shows the rooms in this order', () => {
  const text = readFileSync(`${projectRoot}ARCHITECTURE.md`, 'utf8');
  const [, section = ''] = text.split(/^## The rooms$/m);
  const shown = [...(section.split(/^## /m)[0] ?? '').matchAll(/^\| `src\/([\w-]+)\/`/gm)].map(([, room]) => room);
  assert.deepEqual(shown, rooms);
});

test('only the command starts the process of the service, and only these two import the composition root', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      (to === 'service/main.ts' && from !== 'cli/start.ts') ||
      (to === 'service/service.ts' && !['service/main.ts', 'cli/open-service.ts'].includes(from)),
  );
  assert.deepEqual(wrong.map(show), []);
});

test('full Lighthouse results are parsed in a thread, and other code knows its tasks only by type', () => {
  const wrong = imports.filter(
    ({ from, to, isType }) =>
      to.startsWith('analysis/threads/') && !isType && !isIn(from, 'analysis/threads', 'service'),
  );
  assert.deepEqual(wrong.map(show), []);
});

test('the worker imports only its own side of the process boundary, readers of Lighthouse results, and packages', () => {
  const worker = 'measure/lighthouse/worker';
  const boundary = ['measure/lighthouse/messages.ts', 'measure/port.ts', 'measure/pipe-wire.ts'];
  // Shapes of what a worker sends are checked by the service; the worker knows only their types.
  const isOfWorker = (each: Import) => isOwn(each) && !(each.isType && each.to === 'measure/lighthouse/replies.ts');
  const reached = new Set([`${worker}/worker.ts`]);
  for (const path of reached)
    for (const { to } of imports.filter(isOfWorker).filter(({ from }) => from === path)) reached.add(to);
  assert.deepEqual(
    [...reached].filter(path => !isIn(path, worker, 'contract', 'measure/lhr') && !boundary.includes(path)),
    [],
  );
});

test('each library is imported in its own room only', () => {
  const homes: [RegExp, ...string[]][] = [
    [/^fastify/, 'http'],
    [/^esbuild/, 'http'],
    [/^puppeteer/, 'measure/lighthouse'],
    [/^@sparticuz/, 'measure/lighthouse'],
    [/^lit-html/, 'web'],
    [/^saxes$/, 'measure/sitemaps'],
    [/^node:sqlite$/, 'storage'],
    [/^pg$/, 'storage', 'fleet'],
    [/^pg-boss/, 'fleet'],
    [/^@opentelemetry/, 'telemetry/tracing'],
  ];
  const strays = imports.filter(({ from, to }) =>
    homes.some(([name, ...folders]) => name.test(to) && !isIn(from, ...folders)),
  );
  assert.deepEqual(strays.map(show), []);
});

const inBrowser = ['web/page', 'web/views', 'api-client', 'presentation', 'contract'];

test('browser code imports only its library, typebox for the contract, and nothing of Node', () => {
  const isFine = ({ to, isType }: Import) =>
    isIn(to, ...inBrowser) || (isType && !to.endsWith('.ts')) || /^lit-html(\/|$)/.test(to) || to === 'typebox';
  const wrong = imports.filter(({ from }) => isIn(from, ...inBrowser)).filter(arrow => !isFine(arrow));
  assert.deepEqual(wrong.map(show), []);
});

test('pure rooms have no input or output', () => {
  const pure = ['explain', 'presentation', 'contract', 'measure/lhr', 'measure/psi/wire'];
  const impure = /^node:(fs|http|https|net|dns|child_process|dgram|tls|worker_threads)/;
  const wrong = imports.filter(({ from, to }) => isIn(from, ...pure) && impure.test(to));
  assert.deepEqual(wrong.map(show), []);
});
