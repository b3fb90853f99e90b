/**
 * Prints the size of the project: lines, files, names and words.
 *
 * `--since REF` adds the same figures of a git revision. `--check` prints nothing, and fails if `src/` has more lines
 * than the last row of the decision on size allows. Lines are those that are not blank.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

type Figures = ReadonlyMap<string, number>;

const root = fileURLToPath(new URL('../', import.meta.url));
const decision = 'docs/internals/decisions/043-size.md';

/** Files that handle a request of `GET /lighthouse` or give its parts to each other; their imports count, too. */
const lighthouseWay = [
  'http/routes/analyses.ts',
  'http/access/guard.ts',
  'http/access/admit.ts',
  'http/answers/problem.ts',
  'analysis/analyse-local.ts',
  'analysis/records/recorder.ts',
  'analysis/threads/threads.ts',
  'measure/lighthouse/pool.ts',
  'measure/lighthouse/worker/worker.ts',
  'measure/egress/gate-thread.ts',
  'measure/egress/thread.ts',
  'measure/lhr/to-result.ts',
  'storage/results/open-store.ts',
];
const fleetWay = [...lighthouseWay, 'jobs/open-jobs.ts', 'fleet/open-fleet.ts', 'fleet/queue/fleet-analyser.ts'];

const count = (text: string, unit: RegExp): number => text.match(unit)?.length ?? 0;
const countLines = (texts: Iterable<string>): number => [...texts].reduce((sum, text) => sum + count(text, /\S.*/g), 0);

/** Returns texts by path relative to `folder`. */
const readFiles = (folder: string, pattern: string): Map<string, string> =>
  new Map(
    globSync(pattern, { cwd: folder })
      .toSorted()
      .map(path => [path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')]),
  );

const isTest = (path: string): boolean => path.endsWith('.test.ts');
const without = (files: ReadonlyMap<string, string>, isLeftOut: (path: string) => boolean) =>
  new Map([...files].filter(([path]) => !isLeftOut(path)));

/** Matches imports at run time, and the programs of threads and processes. */
const runtimeImport =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\s)[^'";]*?from\s*'(\.[^']+)'|import\(\s*'(\.[^']+)'|(?:^|\n)import\s*'(\.[^']+)'/g;

/** Returns how many files of `sources` are reached by imports from `entries`; unknown entries count as none. */
const countReached = (sources: ReadonlyMap<string, string>, entries: readonly string[]): number => {
  const reached = new Set(entries.filter(path => sources.has(path)));
  for (const path of reached)
    for (const [, from, dynamic, sideEffect] of (sources.get(path) ?? '').matchAll(runtimeImport)) {
      const to = posix.join(posix.dirname(path), from ?? dynamic ?? sideEffect ?? '');
      if (sources.has(to)) reached.add(to);
    }
  return reached.size;
};

/** Returns how many names of types are declared in more than one file, exported or not. */
const countSharedTypeNames = (sources: ReadonlyMap<string, string>): number => {
  const files = new Map<string, number>();
  for (const text of sources.values()) {
    const names = [...text.matchAll(/^(?:export )?(?:type|interface) (\w+)/gm)].map(([, name = '']) => name);
    for (const name of new Set(names)) files.set(name, (files.get(name) ?? 0) + 1);
  }
  return [...files.values()].filter(times => times > 1).length;
};

const measure = (folder: string): Figures => {
  const all = readFiles(join(folder, 'src'), '**/*.ts');
  const sources = without(all, isTest);
  const tests = readFiles(join(folder, 'test'), '**/*.ts');
  const texts = [...sources.values()];
  const countNaming = (name: RegExp) => texts.filter(text => name.test(text)).length;
  const countFolders = (paths: Iterable<string>) => new Set([...paths].map(path => posix.dirname(path))).size;
  const internals = [...readFiles(join(folder, 'docs/internals'), '*.md').values()];
  const rooms = Map.groupBy(sources, ([path]) => path.split('/')[0] ?? '');
  const figures: [string, number][] = [
    ['lines of src/ without tests', countLines(texts)],
    ['lines of tests', countLines([...without(all, path => !isTest(path)).values(), ...tests.values()])],
    ['lines of bench/', countLines(readFiles(join(folder, 'bench'), '**/*.ts').values())],
    ['files in src/ without tests', sources.size],
    ['folders in src/', countFolders(sources.keys())],
    ['files that name exclusive or isExclusive', countNaming(/\b(exclusive|isExclusive)\b/)],
    ['files that name profile', countNaming(/\bprofile\b/)],
    ['files that name disturbed', countNaming(/\bdisturbed\b/)],
    ['type names with two meanings', countSharedTypeNames(sources)],
    ['files on the way of GET /lighthouse', countReached(sources, lighthouseWay)],
    ['files on the way of a scheduled job in a fleet', countReached(sources, fleetWay)],
    ['words in docs/internals without decisions', count(internals.join('\n'), /\S+/g)],
  ];
  const byRoom = [...rooms].map(([room, files]): [string, number] => [
    `lines of src/${room}/`,
    countLines(files.map(([, text]) => text)),
  ]);
  return new Map([...figures, ...byRoom.toSorted((a, b) => b[1] - a[1])]);
};

const measureRevision = (revision: string): Figures => {
  const folder = mkdtempSync(join(tmpdir(), 'size-'));
  try {
    const archive = execFileSync('git', ['archive', revision, 'src', 'test', 'bench', 'docs/internals'], {
      cwd: root,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    return measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const print = (now: Figures, before: Figures | undefined): void => {
  const write = (value: number | undefined) => (value?.toLocaleString('en') ?? '').padStart(7);
  const titles = before ? ['before', 'now', 'change'] : ['now'];
  console.log(`| ${''.padEnd(48)} | ${titles.map(title => title.padStart(7)).join(' | ')} |`);
  console.log(`|${'-'.repeat(50)}|${titles.map(() => `${'-'.repeat(8)}:`).join('|')}|`);
  for (const [name, value] of now) {
    const was = before?.get(name) ?? 0;
    const cells = before ? [was, value, value - was] : [value];
    console.log(`| ${name.padEnd(48)} | ${cells.map(write).join(' | ')} |`);
  }
};

/** Returns a fault if `src/` is larger than recorded, or if an entry point of this file has moved. */
const check = (): string | undefined => {
  const sources = without(readFiles(join(root, 'src'), '**/*.ts'), isTest);
  const missing = fleetWay.filter(path => !sources.has(path));
  if (missing.length > 0) return `Name these entry points in build/size.ts by their new paths: ${missing.join(', ')}.`;
  const rows = [...readFileSync(join(root, decision), 'utf8').matchAll(/^\| \d{4}-\d\d-\d\d \| ([\d,]+) \|/gm)];
  const max = Number(rows.at(-1)?.[1]?.replaceAll(',', ''));
  const lines = countLines(sources.values());
  return lines <= max
    ? undefined
    : `src/ has ${lines} lines, ${max} are allowed. Remove some, or add a row with a reason to ${decision}.`;
};

const { values } = parseArgs({ options: { since: { type: 'string' }, check: { type: 'boolean' } } });
if (values.check === true) {
  const fault = check();
  if (fault !== undefined) console.error(fault);
  process.exitCode = fault === undefined ? 0 : 1;
} else print(measure(root), values.since === undefined ? undefined : measureRevision(values.since));
