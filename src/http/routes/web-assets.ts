/** Files of the web page, prepared once: bundled, hashed, compressed. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
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

/** Bundles the page's entry point and its imports into one script, with the licenses of libraries at its end. */
async function readScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`web/page/start${extension}`, sources))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    legalComments: 'eof',
    // The project's own settings apply: no configuration of a folder around an installed package is read.
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
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

const toHead = (base: string): string =>
  [`<link rel="stylesheet" href="${base}style.css">`, `<script type="module" src="${base}page.js"></script>`].join(
    '\n',
  );

async function makeAssets(): Promise<WebAssets> {
  const [script, style] = await Promise.all([readScript(), readStyle()]);
  // An explicit stop is necessary: the compiler's process would otherwise live as long as the service, with its
  // environment and terminal signals.
  await stop();
  const hash = createHash('sha256').update(`${script}\0${style}`).digest('base64url').slice(0, 12);
  const base = `assets/${hash}/`;
  const [styleFile, scriptFile] = await Promise.all([toAsset('text/css', style), toAsset('text/javascript', script)]);
  const files = new Map([
    [`/${base}style.css`, styleFile],
    [`/${base}page.js`, scriptFile],
  ]);
  return { template: readText('web/page.html').replace('<!-- assets -->', toHead(base)), files };
}

let made: Promise<WebAssets> | undefined;

/** Prepares the files at the first call, and shares them within the process. */
export const readWebAssets = (): Promise<WebAssets> => {
  made ??= makeAssets();
  return made;
};
