/** The files of the page a person opens, made ready once: types stripped, hashed, compressed. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export type Asset = {
  readonly type: string;
  readonly plain: Buffer;
  /** By content coding, best first. */
  readonly coded: readonly (readonly [coding: string, bytes: Buffer])[];
};

export type WebAssets = {
  readonly page: Asset;
  /** By path, which holds the hash of them all: it never means anything else. */
  readonly files: ReadonlyMap<string, Asset>;
};

const folder = new URL('../web/', import.meta.url);
/** Of the modules there: TypeScript in the checkout, JavaScript in the package. */
const extension = extname(import.meta.url);
const entry = 'page/start.js';
/** The one library of the page: a single module without imports, minified as it comes. */
const library = { name: 'lit-html', path: 'lit-html.js' } as const;

const readText = (path: string): string => readFileSync(new URL(path, folder), 'utf8');

/**
 * Node strips the types of what it runs without a word, but warns each process once that asks for it. That warning says
 * nothing to who runs the service.
 */
function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

const specifier = /(?<=\bfrom ')[^']+(?=')/g;

/** A module as browsers take it: no types, and every import a path. */
function readModule(path: string): string {
  if (path === library.path)
    return readFileSync(
      fileURLToPath(import.meta.resolve(library.name)).replace(/node\/(?=[^/]+$)/, ''),
      'utf8',
    ).replace(/\n\/\/# sourceMappingURL=.*/, '');
  return stripTypes(readText(path.replace(/\.js$/, extension))).replaceAll(specifier, name =>
    name === library.name ? posix.relative(posix.dirname(path), library.path) : name.replace(/\.ts$/, '.js'),
  );
}

const toPath = (from: string, name: string): string => posix.join(posix.dirname(from), name);

/** The entry and all it imports, in the order they are reached. What only tests or types need is not among them. */
function readModules(): Map<string, string> {
  const modules = new Map([[entry, readModule(entry)]]);
  for (const [path, source] of modules)
    for (const [name] of source.matchAll(specifier)) {
      const target = toPath(path, name);
      if (!modules.has(target)) modules.set(target, readModule(target));
    }
  return modules;
}

/** The parts of the style sheet in the order of the list, as one file: a page waits for it before it is painted. */
const styleParts = ['ground', 'form', 'waiting', 'report', 'findings', 'compare', 'batch'];
const readStyle = (): string => styleParts.map(name => readText(`style/${name}.css`)).join('\n');

function toAsset(type: string, text: string): Asset {
  const plain = Buffer.from(text);
  // For files of this size the highest level wins an eighth and takes forty times as long.
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } });
  return {
    type: `${type}; charset=utf-8`,
    plain,
    coded: [
      ['br', brotli],
      ['gzip', gzipSync(plain, { level: 9 })],
    ],
  };
}

/** Modules are named in the page, so that the browser asks for all of them at once, not link after link of a chain. */
const toHead = (base: string, scripts: Iterable<string>): string =>
  [
    `<link rel="stylesheet" href="${base}style.css">`,
    `<script type="module" src="${base}${entry}"></script>`,
    ...[...scripts].filter(path => path !== entry).map(path => `<link rel="modulepreload" href="${base}${path}">`),
  ].join('\n');

function build(): WebAssets {
  const modules = readModules();
  const style = readStyle();
  const hash = createHash('sha256');
  for (const [path, text] of [...modules, ['style.css', style]]) hash.update(`${path}\0${text}\0`);
  const base = `assets/${hash.digest('base64url').slice(0, 12)}/`;
  const files = new Map([[`/${base}style.css`, toAsset('text/css', style)]]);
  for (const [path, text] of modules) files.set(`/${base}${path}`, toAsset('text/javascript', text));
  const page = readText('page.html').replace('<!-- assets -->', toHead(base, modules.keys()));
  return { page: toAsset('text/html', page), files };
}

let built: WebAssets | undefined;

/** Made at the first call (a tenth of a second); the same for every service of a process. */
export const readWebAssets = (): WebAssets => {
  built ??= build();
  return built;
};
