/**
 * Pages to plant changes into: six of the project and six of real documentation, and 18 more of the project for
 * predictions. The ports are fixed, so that URLs stay the same.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { toPage, toPng, toPngOf } from '../../../test/compare/laboratory/site.ts';
import { contentTypes } from '../real-pages.ts';
import type { Kind, PageParts } from './kinds.ts';

export const pagePort = 48211;
export const thirdPartyPort = 48212;
const root = '/usr/share/doc';

/** Real pages, by the Debian package that installs them. */
const realPages: Readonly<Record<string, string>> = {
  'python3.11-doc': '/python3.11/html/library/os.html',
  'postgresql-doc-15': '/postgresql-doc-15/html/monitoring-stats.html',
  'rust-doc (book)': '/rust-doc/html/book/ch04-01-what-is-ownership.html',
  'debian-handbook': '/debian-handbook/html/en-US/network-services.html',
  'libgtk-4-doc': '/libgtk-4-doc/gtk4/class.Widget.html',
  'apache2-doc': '/apache2-doc/manual/en/mod/core.html',
};

/** The same amount of work on any machine: 1e8 turns take 250 ms on a CPU of 2025. */
const work = (turns: number): string =>
  `{let sum = 0; for (let at = 0; at < ${turns}; at += 1) sum += Math.sqrt(at); window.sum = sum;}`;
/** Text that compresses to about a third, like minified script. */
const filler = (bytes: number): string => {
  const lines: string[] = [];
  for (let at = 0, length = 0; length < bytes; at += 1) {
    const line = `function f${(at * 7919) % 99_991}(a,b){return a.n${(at * 31) % 977}+b.m${(at * 17) % 613}*${(at * 104_729) % 65_537}}\n`;
    lines.push(line);
    length += line.length;
  }
  return lines.join('');
};

const article = Array.from(
  { length: 60 },
  (_, at) => `<h2>Boat ${at}</h2><p>${'All that belongs to it. '.repeat(20)}</p>`,
);
const rows = Array.from({ length: 900 }, (_, at) => `<tr><td>Boat ${at}</td><td>${at} m</td></tr>`).join('');
const fontFace = (name: string) =>
  `<style>@font-face{font-family:"Own";src:url("/rust-doc/html/${name}");font-display:swap}body{font-family:"Own"}</style>`;

type OwnPage = { html: string; vendor: PageParts['vendor']; heroBytes?: number };
const ownPages: Readonly<Record<string, OwnPage>> = {
  light: { html: toPage(), vendor: 'defer' },
  scripts: {
    html: toPage({ body: '<script src="/own/app-1.js"></script><script src="/own/app-2.js" defer></script>' }),
    vendor: 'blocking',
  },
  article: { html: toPage({ body: article.join('') }), vendor: 'defer' },
  fonts: {
    html: toPage({ head: fontFace('FiraSans-Regular.woff2'), body: article.slice(0, 9).join('') }),
    vendor: 'defer',
  },
  table: { html: toPage({ body: `<table>${rows}</table>` }), vendor: 'blocking' },
  application: {
    html: toPage({ body: '<div id="app"></div><script src="/own/render.js" defer></script>' }),
    vendor: 'defer',
  },
};

const rowsOf = (count: number): string => `<table>${'<tr><td>Boat</td><td>Length</td></tr>'.repeat(count)}</table>`;
const ownScripts = ['', '<script src="/own/app-1.js" defer></script>', '<script src="/own/app-2.js"></script>'];

/** Pages that differ in text, tables, scripts, fonts, the size of their largest picture, and how a script loads. */
const variedPages: Readonly<Record<string, OwnPage>> = Object.fromEntries(
  Array.from({ length: 18 }, (_, at): [string, OwnPage] => [
    `varied ${at + 1}`,
    {
      html: toPage({
        head: at % 5 === 4 ? fontFace('FiraSans-Regular.woff2') : '',
        body: article.slice(0, 4 + 3 * at).join('') + rowsOf(40 * (at % 4)) + ownScripts[at % 3],
      }),
      vendor: at % 2 === 0 ? 'defer' : 'blocking',
      heroBytes: 40_000 * (1 + (at % 7)),
    },
  ]),
);

const scripts: Readonly<Record<string, string>> = {
  '/own/app-1.js': work(2e7),
  '/own/app-2.js': work(3e7),
  '/own/render.js': `fetch('/own/boats.json').then(reply => reply.json()).then(boats => { ${work(1e7)}
document.querySelector('#app').innerHTML = boats.map(boat => '<article><h2>' + boat + '</h2><p>By hand.</p></article>').join(''); });`,
  '/own/vendor.js': filler(500_000),
  '/planted/work-300.js': work(1.2e8),
  '/planted/work-800.js': work(3.2e8),
  '/planted/work-1000.js': work(4e8),
  '/planted/large.js': filler(900_000),
  '/planted/tag.js': `${work(1.2e8)}/*${toPng(225_000).toString('base64')}*/`,
  '/planted/more.js': `${filler(200_000)}${work(4e6)}`,
};

type Served = { type: string; body: Buffer; delayMs?: number };
const text = (type: string, body: string, delayMs = 0): Served => ({
  type: `${type}; charset=utf-8`,
  body: Buffer.from(body),
  delayMs,
});
const made: ReadonlyMap<string, () => Served> = new Map([
  ...Object.entries(scripts).map(([path, body]) => [path, () => text('text/javascript', body)] as const),
  ['/own/boats.json', () => text('application/json', JSON.stringify(article.map((_, at) => `Boat ${at}`)), 40)],
  [
    '/planted/headline.json',
    () => text('application/json', JSON.stringify({ text: 'A boat for every water. '.repeat(5) }), 250),
  ],
  [
    '/planted/font.css',
    () =>
      text(
        'text/css',
        '@font-face{font-family:"Planted";src:url("/planted/font.woff2");font-display:block}body,p,h1,h2{font-family:"Planted" !important}',
      ),
  ],
  [
    '/planted/font.woff2',
    () => ({
      type: 'font/woff2',
      body: readFileSync(join(root, 'rust-doc/html/SourceSerif4-Regular.ttf.woff2')),
      delayMs: 150,
    }),
  ],
  [
    '/planted/large.css',
    () =>
      text(
        'text/css',
        Array.from(
          { length: 1600 },
          (_, at) =>
            `.b${(at * 7919) % 99_991}{color:#${((at * 104_729) % 0xffffff).toString(16).padStart(6, '0')};margin:${at % 37}px}`,
        ).join('\n'),
      ),
  ],
]);

const toParts = ({ vendor, heroBytes = 150_000 }: Pick<OwnPage, 'vendor' | 'heroBytes'>): PageParts => ({
  head: [],
  top: [],
  bottom: [],
  documentDelayMs: 0,
  redirects: 0,
  heroBytes,
  heroAttributes: '',
  isGalleryLazy: true,
  isCompressed: true,
  vendor,
});

/**
 * The first two pages enlarge the largest picture, so that it loads before or after the LCP, a text, by chance. On
 * other pages it is 800 pixels wide and is the LCP element.
 */
const withEnlargedHero = ['/own/light/', realPages['python3.11-doc']];

/** A picture of 800 × 800 pixels with about this many bytes: rows of noise are repeated. */
function toWidePng(bytes: number): Buffer {
  const side = 800;
  const lines = Math.max(1, Math.round(bytes / (3 * side)));
  const rows = Buffer.alloc(side * (1 + 3 * side));
  for (let row = 0; row < side; row += 1) {
    let state = Math.imul(1 + Math.floor((row * lines) / side), 2_654_435_761) >>> 0;
    for (let at = 1; at <= 3 * side; at += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      rows[row * (1 + 3 * side) + at] = state >>> 24;
    }
  }
  return toPngOf(side, rows);
}

const galleryPictures = 50;

/** Inserts the parts of a page into its document. */
function compose(path: string, document: string, parts: PageParts): string {
  const { head, top, bottom, heroBytes, heroAttributes, isGalleryLazy, vendor } = parts;
  const heroName = withEnlargedHero.includes(path) ? 'hero' : 'wide';
  const vendorTag = { defer: ' defer', blocking: '', none: undefined }[vendor];
  const heads = [...head, ...(vendorTag === undefined ? [] : [`<script src="/own/vendor.js"${vendorTag}></script>`])];
  const hero =
    heroBytes === undefined
      ? []
      : [`<img src="/own/${heroName}.png" alt="A boat" width="390" height="390" ${heroAttributes}>`];
  const gallery = Array.from(
    { length: galleryPictures },
    (_, at) =>
      `<img src="/own/small-${at}.png" alt="" width="50" height="50"${isGalleryLazy ? ' loading="lazy"' : ''}>`,
  ).join('');
  return document
    .replace(/<head[^>]*>/i, found => found + heads.join(''))
    .replace(/<body[^>]*>/i, found => found + [...top, ...hero].join(''))
    .replace(/<\/body>/i, `<div style="height:9000px"></div>${gallery}${bottom.join('')}</body>`);
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

export type ChangePage = { readonly name: string; readonly url: string; readonly isReal: boolean };

const own = (name: string): string => `/own/${name.replace(' ', '-')}/`;
const toChangePage = (name: string, path: string, isReal: boolean): ChangePage => ({
  name,
  url: `http://127.0.0.1:${pagePort}${path}`,
  isReal,
});
export const changePages: readonly ChangePage[] = [
  ...Object.keys(ownPages).map(name => toChangePage(name, own(name), false)),
  ...Object.entries(realPages).map(([name, path]) => toChangePage(name, path, true)),
];
/** 24 pages of the project and six real ones. */
export const predictedPages: readonly ChangePage[] = [
  ...changePages,
  ...Object.keys(variedPages).map(name => toChangePage(name, own(name), false)),
];

type Document = Pick<OwnPage, 'vendor' | 'heroBytes'> & { html(): string };
const documents = new Map<string, Document>([
  ...Object.entries({ ...ownPages, ...variedPages }).map(([name, page]): [string, Document] => [
    own(name),
    { ...page, html: () => page.html },
  ]),
  ...Object.values(realPages).map((path): [string, Document] => [
    path,
    { html: () => readFileSync(join(root, path), 'utf8'), vendor: 'defer' },
  ]),
]);

function find(path: string): Served | undefined {
  const make = made.get(path);
  if (make) return make();
  const [, number] = /^\/own\/small-(\d+)\.png$/.exec(path) ?? [];
  if (number) return { type: 'image/png', body: toPng(8000, Number(number) + 2) };
  const file = join(root, normalize(path));
  return isFile(file)
    ? { type: contentTypes[extname(file)] ?? 'application/octet-stream', body: readFileSync(file) }
    : undefined;
}

const heroPaths: ReadonlySet<string> = new Set(['/own/hero.png', '/own/wide.png']);

const toHero = (path: string, bytes: number): Served => ({
  type: 'image/png',
  body: path === '/own/wide.png' ? toWidePng(bytes) : toPng(bytes),
});

/** Serves all pages with the planted kind of change, or that named by `?plant=`. */
export async function startChangePages(
  kinds: readonly Kind[] = [],
): Promise<{ plant(kind: Kind): void; close(): Promise<void> }> {
  let planted: Kind | undefined;
  const packed = new Map<string, Served & { packed: Buffer }>();
  const read = (key: string, make: () => Served | undefined) => {
    const known = packed.get(key);
    if (known) return known;
    const made = make();
    if (!made) return undefined;
    const served = { ...made, packed: gzipSync(made.body) };
    packed.set(key, served);
    return served;
  };
  const toServed = (
    path: string,
    parts: PageParts,
    kind: Kind | undefined,
  ): (Served & { packed: Buffer }) | undefined => {
    const document = documents.get(path);
    if (document)
      return read(`${kind?.name} ${path}`, () => {
        const html = compose(path, document.html(), parts);
        return text('text/html', parts.rewrite?.(html) ?? html, parts.documentDelayMs);
      });
    const { heroBytes = 1000 } = parts;
    if (heroPaths.has(path)) return read(`${path} ${heroBytes}`, () => toHero(path, heroBytes));
    return read(path, () => find(path));
  };
  const kindOf = (url: URL): Kind | undefined =>
    kinds.find(({ name }) => name === url.searchParams.get('plant')) ?? planted;
  const listener: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://host');
    const path = decodeURIComponent(url.pathname);
    const given = toParts(documents.get(path) ?? { vendor: 'defer' });
    const kind = kindOf(url);
    const parts = kind?.change(given) ?? given;
    if (documents.has(path) && parts.redirects > 0 && !url.searchParams.has('there'))
      return void response.writeHead(302, { location: `${path}?there` }).end();
    const served = toServed(path, parts, kind);
    if (!served) return void response.writeHead(404).end();
    await delay(served.delayMs ?? 0);
    const isPacked = parts.isCompressed && /text|json|svg/.test(served.type);
    const body = isPacked ? served.packed : served.body;
    response.writeHead(200, {
      'content-type': served.type,
      'content-length': body.length,
      'cache-control': 'max-age=60',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(body);
  };
  const servers: Server[] = [];
  for (const [host, port] of [
    ['127.0.0.1', pagePort],
    ['127.0.0.2', thirdPartyPort],
  ] as const) {
    const server = createServer(listener);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    servers.push(server);
  }
  return {
    plant(next) {
      planted = next;
    },
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise(resolve => server.close(resolve));
      }
    },
  };
}
