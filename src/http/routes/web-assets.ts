/** Files of the web page, prepared once: bundled, hashed, compressed. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop, transform } from 'esbuild';
import { type Asset, toAsset } from '../answers/send-asset.ts';

export type WebAssets = {
  /** `page.html` with the paths of its files; other values are filled in for each service. */
  readonly template: string;
  /** Files by path, which contains a hash of all of them. */
  readonly files: ReadonlyMap<string, Asset>;
};

const sources = new URL('../../', import.meta.url);
/** Extension of the modules: TypeScript in the checkout, JavaScript in the package. */
const extension = extname(import.meta.url);

const readText = (path: string): string => readFileSync(new URL(path, sources), 'utf8');

type AssetScript = { readonly name: string; readonly text: string; readonly isFirst: boolean };

/**
 * Bundles the page's entry point and its imports into scripts, with the licenses of libraries at their ends. Views that
 * the first one does without are in scripts of their own, which the page requests later.
 */
async function readScripts(): Promise<AssetScript[]> {
  const { outputFiles, metafile } = await build({
    entryPoints: { page: fileURLToPath(new URL(`web/page/start${extension}`, sources)) },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    splitting: true,
    outdir: '/',
    metafile: true,
    target: 'es2024',
    legalComments: 'eof',
    // The project's own settings apply: no configuration of a folder around an installed package is read.
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const imported = (outputs.get('page.js')?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  const first = ['page.js', ...imported.map(({ path }) => basename(path))];
  return outputFiles.map(({ path, text }) => {
    const name = basename(path);
    return { name, text, isFirst: first.includes(name) };
  });
}

/** Parts of the style sheet in order, combined into one file, which the first paint waits for. */
const styleParts = [
  'base',
  'form',
  'progress',
  'result',
  'findings',
  'load-details',
  'what-if',
  'audits',
  'compare',
  'batch',
  'history',
  'change',
  'experiment',
  'home',
  'sites',
];

async function readStyle(): Promise<string> {
  const parts = styleParts.map(name => readText(`web/style/${name}.css`));
  return (await transform(parts.join('\n'), { loader: 'css', minifyWhitespace: true, logLevel: 'silent' })).code;
}

const toHead = (base: string, scripts: readonly AssetScript[]): string =>
  [
    `<link rel="stylesheet" href="${base}style.css">`,
    ...scripts.map(({ name, isFirst }) => {
      if (name === 'page.js') return `<script type="module" src="${base}page.js"></script>`;
      // The HTML contains the first paint, so the style sheet comes before the scripts.
      return isFirst ? `<link rel="modulepreload" fetchpriority="low" href="${base}${name}">` : '';
    }),
  ]
    .filter(line => line !== '')
    .join('\n');

async function makeAssets(): Promise<WebAssets> {
  const [scripts, style] = await Promise.all([readScripts(), readStyle()]);
  // An explicit stop is necessary: the compiler's process would otherwise live as long as the service, with its
  // environment and terminal signals.
  await stop();
  const texts = [style, ...scripts.map(({ text }) => text)];
  const hash = createHash('sha256').update(texts.join('\0')).digest('base64url').slice(0, 12);
  const base = `assets/${hash}/`;
  const files = await Promise.all([
    toAsset('text/css', style).then(file => [`/${base}style.css`, file] as const),
    ...scripts.map(async ({ name, text }) => [`/${base}${name}`, await toAsset('text/javascript', text)] as const),
  ]);
  return {
    template: readText('web/page.html').replace('<!-- assets -->', toHead(base, scripts)),
    files: new Map(files),
  };
}

let made: Promise<WebAssets> | undefined;

/** Prepares the files at the first call, and shares them within the process. */
export const readWebAssets = (): Promise<WebAssets> => {
  made ??= makeAssets();
  return made;
};
