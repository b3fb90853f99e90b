/**
 * Copies the npm packages that the compiled code imports to `dist/node_modules`, without files that never run. Half of
 * an npm installation is source maps and types, and a fifth is an error reporter that Lighthouse loads on demand.
 */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

type Locked = {
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
};
type Lock = { readonly packages: Readonly<Record<string, Locked>> };
type Manifest = {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
};

/**
 * Lighthouse imports `@sentry/node` only with `enableErrorReporting`, which is never set; `bare-fs` is for the Bare
 * runtime.
 */
const neverLoaded: ReadonlySet<string> = new Set(['@sentry/node', 'bare-fs']);

/** Source maps, TypeScript, documents, tests, and ignore files, which npm would obey. Licenses are copied. */
const isLeftOut = (name: string): boolean =>
  /\.(?:map|[cm]?ts|md|markdown)$|\.test\.|^\.(?:npm|git)ignore$/i.test(name) &&
  !/^(?:licen[cs]e|notice|copying)/i.test(name);

/**
 * Files of packages that nothing reads: tables for people, texts in other languages for libraries that show none, and
 * the same code in another form.
 */
const unread = [
  'axe-core/axe.js',
  'axe-core/locales',
  'third-party-web/.yarn',
  'third-party-web/dist/domain-map.csv',
  'puppeteer-core/lib/es5-iife',
  '@paulirish/trace_engine/locales',
  'devtools-protocol/json',
  'devtools-protocol/pdl',
  'swagger-ui-dist/swagger-ui.js',
  'swagger-ui-dist/swagger-ui-es-bundle',
  'swagger-ui-dist/swagger-ui-standalone-preset',
].map(path => join('node_modules', path));

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as unknown;

/**
 * @returns the key of a package in the lock file, resolved from another package as Node does; undefined if not
 * installed
 */
function locate(lock: Lock, from: string, name: string): string | undefined {
  const key = join(from, 'node_modules', name);
  if (key in lock.packages) return key;
  return from === '' ? undefined : locate(lock, from.slice(0, Math.max(0, from.lastIndexOf('node_modules') - 1)), name);
}

/**
 * Keys of these packages and of all that they require. Optional dependencies, for one platform or another runtime, are
 * skipped.
 */
function closureOf(lock: Lock, names: readonly string[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const add = (from: string, name: string): void => {
    const key = neverLoaded.has(name) ? undefined : locate(lock, from, name);
    if (key === undefined || keys.has(key)) return;
    keys.add(key);
    const { dependencies, peerDependencies } = lock.packages[key] ?? {};
    for (const next of Object.keys({ ...dependencies, ...peerDependencies })) add(key, next);
  };
  for (const name of names) add('', name);
  return keys;
}

function importedFrom(folder: string, { devDependencies }: Manifest): readonly string[] {
  const paths = readdirSync(folder, { recursive: true }).map(String);
  const code = paths.filter(path => path.endsWith('.js')).map(path => readFileSync(join(folder, path), 'utf8'));
  return Object.keys(devDependencies).filter(name =>
    code.some(text => new RegExp(`(?:from |import |import\\(|resolve\\()['"\`]${name}['"\`/]`).test(text)),
  );
}

/** @param root folder of the checkout, with the compiled code in `dist/` and the dependencies installed */
export function copyPackages(root: string): void {
  const lock = readJson(join(root, 'package-lock.json')) as Lock;
  const names = importedFrom(join(root, 'dist'), readJson(join(root, 'package.json')) as Manifest);
  for (const key of closureOf(lock, names)) {
    const source = join(root, key);
    // Nested packages that are needed have their own keys in the closure.
    const skipped = [join(source, 'node_modules'), join(source, 'test')];
    const filter = (path: string) =>
      !(skipped.includes(path) || isLeftOut(basename(path)) || unread.some(part => path.includes(part)));
    cpSync(source, join(root, 'dist', key), { recursive: true, filter });
  }
}
