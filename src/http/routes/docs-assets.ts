/** Swagger UI from its npm package, served from here: the reader works without the internet. Made ready once, when it is first asked for. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Asset } from '../answers/send-asset.ts';

const initialiser = `SwaggerUIBundle({
  url: new URL('../../openapi.json', document.currentScript.src).pathname,
  dom_id: '#reader',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const fileOf = (name: string): string => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));

const types = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'start.js': 'text/javascript; charset=utf-8',
} as const;
export type DocsFile = keyof typeof types;
export const docsFiles = Object.keys(types) as readonly DocsFile[];

/** A package of one version always has the same files. */
const { version } = JSON.parse(readFileSync(fileOf('package.json'), 'utf8')) as { version: string };
const hash = createHash('sha256').update(`${version}\0${initialiser}`).digest('base64url').slice(0, 12);
export const docsBase = `/docs/${hash}/`;

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

async function toAsset(name: DocsFile): Promise<Asset> {
  const plain = name === 'start.js' ? Buffer.from(initialiser) : await readFile(fileOf(name));
  const [brotli, gzipped] = await Promise.all([
    // The highest level takes seconds for a megabyte and wins a twentieth.
    toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    toGzip(plain),
  ]);
  return {
    type: types[name],
    plain,
    coded: [
      ['br', brotli],
      ['gzip', gzipped],
    ],
  };
}

const made = new Map<DocsFile, Promise<Asset>>();

/** The same for every service of a process. What failed is tried again. */
export function readDocsAsset(name: DocsFile): Promise<Asset> {
  const before = made.get(name);
  if (before) return before;
  const asset = toAsset(name);
  made.set(name, asset);
  asset.catch(() => made.delete(name));
  return asset;
}
