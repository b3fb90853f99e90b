/** The files of the page a person opens, made ready once: bundled, hashed, compressed. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, stop } from 'esbuild';
import type { Asset } from '../answers/send-asset.ts';

export type WebAssets = {
  /** `page.html` with its files named; the rest is filled in for each service. */
  readonly template: string;
  /** By path, which holds the hash of them all: it never means anything else. */
  readonly files: ReadonlyMap<string, Asset>;
};

const sources = new URL('../../', import.meta.url);
/** Of the modules below it: TypeScript in the checkout, JavaScript in the package. */
const extension = extname(import.meta.url);

const readText = (path: string): string => readFileSync(new URL(path, sources), 'utf8');

/** The page's beginning and all that it imports, as one script. Licenses of libraries stay at its end. */
async function readScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`web/page/start${extension}`, sources))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    legalComments: 'eof',
    // What the compiler is told stands in our own settings; nothing of a folder around an installed package counts.
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  // Else its process would stay for as long as ours, with our environment and our terminal's signals.
  await stop();
  return outputFiles[0]?.text ?? '';
}

/** The parts of the style sheet in this order, as one file: the first paint waits for it. */
const styleParts = [
  'ground',
  'form',
  'progress',
  'result',
  'findings',
  'closer',
  'what-if',
  'audits',
  'compare',
  'batch',
  'history',
  'change',
  'experiment',
  'home',
];
const readStyle = (): string => styleParts.map(name => readText(`web/style/${name}.css`)).join('\n');

export function toAsset(type: string, text: string): Asset {
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

const toHead = (base: string): string =>
  [`<link rel="stylesheet" href="${base}style.css">`, `<script type="module" src="${base}page.js"></script>`].join(
    '\n',
  );

async function makeAssets(): Promise<WebAssets> {
  const [script, style] = [await readScript(), readStyle()];
  const hash = createHash('sha256').update(`${script}\0${style}`).digest('base64url').slice(0, 12);
  const base = `assets/${hash}/`;
  const files = new Map([
    [`/${base}style.css`, toAsset('text/css', style)],
    [`/${base}page.js`, toAsset('text/javascript', script)],
  ]);
  return { template: readText('web/page.html').replace('<!-- assets -->', toHead(base)), files };
}

let made: Promise<WebAssets> | undefined;

/** Made at the first call (less than a tenth of a second); the same for every service of a process. */
export const readWebAssets = (): Promise<WebAssets> => {
  made ??= makeAssets();
  return made;
};
