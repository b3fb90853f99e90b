/**
 * `npm run bench:findings -- --pages 1-10 --seconds 300` measures planted pages, then real ones, one load at a time, and
 * prints whether the costliest finding is first: the planted fault, and on a real page the largest gain of its what-if.
 * Every page is a line of `findings.ndjson`; the next call continues. `--pages 41-52` are the real pages.
 */
import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import type { Result } from '../../src/contract/result/result.ts';
import type { WhatIf } from '../../src/contract/stored/what-if.ts';
import { serve } from '../../test/compare/laboratory/site.ts';
import { startLocalServer } from '../../test/support/sites/local-server.ts';
import { startServiceProcess } from '../processes.ts';
import { plantedPages } from './findings/planted-pages.ts';
import { openLines } from './lines.ts';
import { contentTypes } from './real-pages.ts';

const { values } = parseArgs({
  options: {
    /** Numbers of the first and the last page: 40 planted ones, then real ones. */
    pages: { type: 'string', default: '1-52' },
    seconds: { type: 'string', default: '600' },
    folder: { type: 'string', default: '/tmp/findings' },
    /** Folder with the documentation of Rust, which `rustup` installs. */
    rust: {
      type: 'string',
      default: join(homedir(), '.rustup/toolchains/stable-x86_64-unknown-linux-gnu/share/doc/rust/html'),
    },
  },
});

type Line = {
  readonly page: string;
  readonly isReal: boolean;
  readonly score: number | null;
  /** Place of the costliest finding from 1; 0 if the list lacks it. Null for a page with nothing to gain. */
  readonly place: number | null;
  /** The first findings, with their points. */
  readonly first: readonly string[];
  /** The first fix of the what-if. */
  readonly whatIf: string | null;
};

const realPages = [
  ...['std/vec/struct.Vec.html', 'std/index.html', 'std/iter/trait.Iterator.html', 'std/string/struct.String.html'],
  ...['book/print.html', 'book/ch04-01-what-is-ownership.html', 'reference/print.html', 'cargo/print.html'],
  ...['rustc/lints/listing/allowed-by-default.html', 'rustdoc/print.html', 'rustc/index.html', 'nomicon/print.html'],
];

/** Least points in the simulation for which a page has a costliest finding. */
const leastPoints = 1;

const hooks: (() => Promise<void> | void)[] = [];
const scope = { after: (hook: () => Promise<void> | void) => void hooks.push(hook) };

async function startRealPages(root: string): Promise<string> {
  const { url } = await startLocalServer(scope, (request, response) => {
    const path = join(root, normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname)));
    if (!existsSync(path) || !statSync(path).isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': contentTypes[extname(path)] ?? 'application/octet-stream' });
    createReadStream(path).pipe(response);
  });
  return url;
}

type Page = { readonly name: string; readonly url: string; readonly expected?: RegExp };

const endMs = Date.now() + 1000 * Number(values.seconds);
mkdirSync(values.folder, { recursive: true });
const lines = openLines<Line>(join(values.folder, 'findings.ndjson'));

async function startPages(): Promise<Page[]> {
  const files = new Map<string, ReturnType<typeof plantedPages>[number]['files']>();
  const { url } = await startLocalServer(
    scope,
    serve(path => files.get(path)),
  );
  const third = url.replace('127.0.0.1', 'localhost');
  const toPath = (at: number) => `page-${at + 1}`;
  const planted = plantedPages({ third: '{third}' }).map((page, at): Page => {
    const html = page.files['/'];
    const body = `${html?.body}`.replaceAll('{third}', `${third}/${toPath(at)}`);
    files.set(toPath(at), { ...page.files, ...(html ? { '/': { ...html, body } } : {}) });
    return { name: page.name, url: `${url}/${toPath(at)}/`, expected: page.expected };
  });
  const real = await startRealPages(values.rust);
  return [...planted, ...realPages.map(path => ({ name: path, url: `${real}/${path}` }))];
}

const ask = async <Body>(target: string): Promise<Body> => {
  const response = await fetch(target);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
};

async function measure(service: { url: string }, { name, url, expected }: Page): Promise<Line> {
  const result = await ask<Result>(`${service.url}/lighthouse?${new URLSearchParams({ url })}`);
  const whatIf = await ask<WhatIf>(`${service.url}/results/${result.id}/what-if`);
  const [step] = whatIf.fixes.steps;
  const findings = result.findings ?? [];
  const performance = findings.filter(({ category }) => category === 'performance');
  const isIt = ({ id, files }: (typeof findings)[number]) =>
    expected ? [id, ...files].some(text => expected.test(text)) : id === step?.id;
  const hasGain = expected !== undefined || (step?.points ?? 0) >= leastPoints;
  // A real page may be weaker in another category, whose findings are then first.
  const ranked = expected ? findings : performance;
  return {
    page: name,
    isReal: expected === undefined,
    score: result.scores.performance ?? null,
    place: hasGain ? ranked.findIndex(isIt) + 1 : null,
    first: ranked.slice(0, 3).map(({ id, points }) => `${id.replace(/https?:\/\/[^/]+/, '')} ${points}`),
    whatIf: step ? `${step.id.replace(/https?:\/\/[^/]+/, '')} ${step.points}` : null,
  };
}

const pages = await startPages();
const [first = 1, last = first] = values.pages.split('-').map(Number);
const service = await startServiceProcess({ DATA_DIR: join(values.folder, 'data'), TARGETS: 'any' });
try {
  for (const page of pages.slice(first - 1, last)) {
    if (Date.now() > endMs) break;
    if (lines.all.some(line => line.page === page.name)) continue;
    const line = await measure(service, page).catch(error => void console.error(`${page.name}: ${error.message}`));
    if (!line) continue;
    lines.add(line);
    console.error(JSON.stringify(line));
  }
} finally {
  await service.stop();
  for (const hook of hooks) await hook();
}

const toRow = (title: string, isReal: boolean): string => {
  const counted = lines.all.filter(line => line.isReal === isReal && line.place !== null);
  const within = (most: number) => counted.filter(({ place }) => place !== null && place >= 1 && place <= most).length;
  return `| ${title} | ${counted.length} | ${within(1)} | ${within(3)} |`;
};
console.log(['| pages | with a costliest finding | first | in the first three |', '|---|---|---|---|'].join('\n'));
console.log([toRow('planted', false), toRow('real', true)].join('\n'));
