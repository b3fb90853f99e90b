/** Forty pages, each with one or two planted faults of different size, and small faults of other categories. */
import { css, type File, type Files, html, png, script, toPage, toPng } from '../../../test/compare/laboratory/site.ts';

/** The same amount of work on any machine: 1e8 turns take 250 ms on a CPU of 2025. */
const work = (turns: number): string =>
  `{let sum = 0; for (let at = 0; at < ${turns}; at += 1) sum += Math.sqrt(at); window.sum = sum;}`;

/** Faults of other categories that must not come first: no alternative text, no description, an error in the console. */
const small = '<img src="icon.png" width="40" height="40"><script>console.error("A small fault")</script>';

export type PlantedPage = {
  readonly name: string;
  readonly files: Files;
  /** Matches the id or a file of the costliest finding. */
  readonly expected: RegExp;
};

type Parts = { head?: string; body?: string; files?: Files; document?: Partial<File> };
type Fault = { readonly name: string; readonly sizes: readonly number[]; plant(size: number): Parts; expected: RegExp };

/** Third parties have another name of this machine. */
export type Hosts = { readonly third: string };

const toFaults = ({ third }: Hosts): readonly Fault[] => [
  {
    name: 'deferred script that works',
    sizes: [0.8e8, 1.2e8, 2e8, 4e8],
    plant: turns => ({ head: '<script src="slow.js" defer></script>', files: { '/slow.js': script(work(turns)) } }),
    expected: /slow\.js/,
  },
  {
    name: 'script that works in a timer',
    sizes: [0.8e8, 1.2e8, 2e8, 4e8],
    plant: turns => ({
      body: '<script src="slow.js" defer></script>',
      files: { '/slow.js': script(`setTimeout(() => ${work(turns)}, 300);`) },
    }),
    expected: /slow\.js/,
  },
  {
    name: 'script in the head that works',
    sizes: [3e8, 4e8, 5e8, 6e8],
    plant: turns => ({ head: '<script src="slow.js"></script>', files: { '/slow.js': script(work(turns)) } }),
    expected: /slow\.js/,
  },
  {
    name: 'inline script that works',
    sizes: [0.8e8, 1.2e8, 2e8, 4e8],
    plant: turns => ({
      body: `<script>addEventListener('load', () => setTimeout(() => ${work(turns)}, 100))</script>`,
    }),
    expected: /script:.*\/$/,
  },
  {
    name: 'large picture',
    sizes: [646_000, 900_000, 1_500_000, 3_000_000],
    plant: bytes => ({
      body: '<img src="hero.png" width="380" height="380" alt="A boat">',
      files: { '/hero.png': png(bytes) },
    }),
    expected: /hero\.png/,
  },
  {
    name: 'large style sheet',
    sizes: [600_000, 800_000, 1_200_000, 2_000_000],
    plant: bytes => ({
      head: '<link rel="stylesheet" href="slow.css">',
      files: { '/slow.css': css(`h1 { color: navy } /*${toPng(bytes).toString('base64').slice(0, bytes)}*/`) },
    }),
    expected: /slow\.css/,
  },
  {
    name: 'slow server',
    sizes: [4000, 5000, 6000, 8000],
    plant: delayMs => ({ document: { delayMs } }),
    expected: /document-latency/,
  },
  {
    name: 'third party that works',
    sizes: [0.8e8, 1.2e8, 2e8, 4e8],
    plant: turns => ({
      body: `<script src="${third}/tag.js" async></script>`,
      files: { '/tag.js': script(work(turns)) },
    }),
    expected: /tag\.js/,
  },
  {
    name: 'content that shifts',
    sizes: [300, 400, 500, 600],
    plant: height => ({
      body: `<script>setTimeout(() => { const box = document.createElement('div'); box.style.height = '${height}px';
document.querySelector('main').prepend(box); }, 900)</script>`,
    }),
    expected: /cls-culprits|unsized|layout-shifts/,
  },
];

const page = (name: string, parts: readonly Parts[], expected: RegExp): PlantedPage => {
  const joined = (part: 'head' | 'body') => parts.map(one => one[part] ?? '').join('');
  const files = Object.assign({}, ...parts.map(one => one.files ?? {}));
  const document = Object.assign({}, ...parts.map(one => one.document ?? {}));
  const text = toPage({ head: joined('head'), body: small + joined('body') }).replace(
    /<meta name="description"[^>]*>/,
    '',
  );
  return { name, files: { '/': html(text, document), '/icon.png': png(900), ...files }, expected };
};

/** Returns 36 pages with one fault, and four with a large and a small one. */
export function plantedPages(hosts: Hosts): PlantedPage[] {
  const faults = toFaults(hosts);
  const single = faults.flatMap(fault =>
    fault.sizes.map(size => page(`${fault.name}, ${size}`, [fault.plant(size)], fault.expected)),
  );
  const [timer, picture] = [faults[1], faults[4]] as [Fault, Fault];
  const pairs = (
    [
      [4e8, 400_000, timer],
      [0.5e8, 3_000_000, picture],
      [3e8, 400_000, timer],
      [0.3e8, 1_500_000, picture],
    ] as const
  ).map(([turns, bytes, { expected, name }]) =>
    page(`picture of ${bytes} and script of ${turns}: ${name}`, [timer.plant(turns), picture.plant(bytes)], expected),
  );
  return [...single, ...pairs];
}
