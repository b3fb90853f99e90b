/**
 * `npm run bench:odd-pages` tries odd pages on `/lighthouse` and on plain Lighthouse with the same browser and no proxy,
 * alternately, and says for each page whether the service was right: whatever a browser shows is measured, whatever it
 * does not show has no score, and plain Lighthouse does not better, nor faster. It exits with 1 if any page was wrong.
 * Some 230 pages take an hour and a half, all 600 take three hours.
 * `npm run bench:odd-pages -- --all --kind types --json types.json`, then `-- --only-ours --plain types.json`
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Result as Lhr } from 'lighthouse';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { findOwnBrowser } from '../own-browser.ts';
import { startServiceProcess } from '../processes.ts';
import { judge, type Verdict } from './judge.ts';
import { pages } from './pages.ts';
import { categories, notMeasured, readLhr, type Said, startPlain } from './plain.ts';
import { type Page, startSite } from './site.ts';

const { values: options } = parseArgs({
  options: {
    /** Part of the kind or name of the pages to try. */
    kind: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    /** Whether further pages are tried, too. */
    all: { type: 'boolean', default: false },
    'only-ours': { type: 'boolean', default: false },
    'only-plain': { type: 'boolean', default: false },
    /** File to which the figures are added. */
    json: { type: 'string' },
    /** Earlier file of `--json`, whose figures of plain Lighthouse replace a run of it. */
    plain: { type: 'string' },
  },
});

/** What both said about one page; its key is its kind and name. */
type Figures = { kind: string; name: string; ours?: Said; plain?: Said };
type Stored = Record<string, Figures>;

const readStored = (path: string | undefined): Stored =>
  path && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};

/** The service itself gives up earlier. */
const mostMs = 300_000;

type Answered = Partial<Problem> & Partial<Omit<Result, 'detail'>>;

function toSaid(status: number, answer: Answered): Omit<Said, 'seconds'> {
  const { scores, warnings = [], lighthouse_result, code, detail, page_status, retryable } = answer;
  if (status === 200)
    return { ...readLhr(lighthouse_result as Lhr), scores: { ...scores }, warnings, outcome: 'measured' };
  return {
    ...notMeasured,
    // A 422 for the whole request has no code.
    outcome: code ?? (status === 422 ? 'invalid_url' : `status ${status}`),
    detail: typeof detail === 'string' ? detail : JSON.stringify(detail),
    ...(page_status === undefined ? {} : { pageStatus: page_status }),
    ...(retryable === undefined ? {} : { isRetryable: retryable }),
  };
}

async function askService(serviceUrl: string, url: string): Promise<Omit<Said, 'seconds'>> {
  try {
    const query = new URLSearchParams({ url, categories: categories.join(',') });
    const response = await fetch(`${serviceUrl}/lighthouse?${query}`, { signal: AbortSignal.timeout(mostMs) });
    return toSaid(response.status, (await response.json()) as Answered);
  } catch (error) {
    return { ...notMeasured, outcome: 'no answer', detail: String(error) };
  }
}

/** The performance score, or the error, or both: Lighthouse may report an error and still give scores. */
const say = (said: Said | undefined): string => {
  if (!said) return '';
  const { outcome, scores, pageStatus = '' } = said;
  const hasScores = Object.values(scores).some(score => score !== null);
  const score = hasScores ? `${scores.performance ?? 'no score'}` : '';
  return [score, outcome === 'measured' ? '' : outcome, pageStatus].filter(String).join(' ');
};
const sayVerdict = ({ wrong, isSlower }: Verdict): string =>
  (wrong.length > 0 ? `**no**: ${wrong.join('; ')}` : 'yes') + (isSlower ? ' (slower)' : '');
const saySeconds = (said: Said | undefined): string => said?.seconds.toFixed(1) ?? '';
const toCell = (text: string): string => text.replaceAll('|', '\\|');

const selected = pages.filter(
  ({ kind, name, isFurther = false }) =>
    kind.includes(options.kind) && name.includes(options.name) && (options.all || options.name !== '' || !isFurther),
);
const keyOf = ({ kind, name }: Page): string => `${kind}: ${name}`;
const stored = readStored(options.json);
const earlier = readStored(options.plain);
const site = await startSite(pages);
const service = options['only-plain'] ? undefined : await startServiceProcess({ TARGETS: 'any' });
const plain = options['only-ours'] ? undefined : startPlain(await findOwnBrowser());

async function timed(ask: () => Promise<Omit<Said, 'seconds'>>): Promise<Said> {
  const begun = performance.now();
  const said = await ask();
  return { ...said, seconds: (performance.now() - begun) / 1000 };
}

/** Tries a page on both sides. Every other page is tried on plain Lighthouse first. */
async function tryPage(page: Page, isOursFirst: boolean): Promise<Figures> {
  const url = site.urlOf(page);
  const sides = {
    ours: async () => service && (await timed(() => askService(service.url, url))),
    plain: async () => (await plain?.audit(url)) ?? earlier[keyOf(page)]?.plain,
  };
  const found: { ours?: Said | undefined; plain?: Said | undefined } = {};
  for (const side of isOursFirst ? (['ours', 'plain'] as const) : (['plain', 'ours'] as const))
    found[side] = await sides[side]();
  const { ours, plain: theirs } = found;
  return { kind: page.kind, name: page.name, ...(ours && { ours }), ...(theirs && { plain: theirs }) };
}

const totals = { pages: 0, wrong: 0, worse: 0, slower: 0 };

function print(page: Page, { ours, plain: theirs }: Figures): void {
  const verdict = ours && judge(page, ours, theirs);
  totals.pages += 1;
  if (verdict && verdict.wrong.length > 0) totals.wrong += 1;
  if (verdict?.isWorse) totals.worse += 1;
  if (verdict?.isSlower) totals.slower += 1;
  const cells = [
    page.name,
    say(ours),
    say(theirs),
    saySeconds(ours),
    saySeconds(theirs),
    verdict ? sayVerdict(verdict) : '',
  ];
  console.log(`| ${cells.map(toCell).join(' | ')} |`);
}

try {
  // The first audit of each side reads cold files.
  const [first] = pages;
  if (first) await tryPage(first, true);
  let kind = '';
  for (const [at, page] of selected.entries()) {
    if (page.kind !== kind) {
      kind = page.kind;
      console.log(
        `\n## ${kind}\n\n| Page | Service | Plain Lighthouse | s | s, plain | Right |\n|---|---|---|---|---|---|`,
      );
    }
    const figures = await tryPage(page, at % 2 === 0);
    print(page, figures);
    stored[keyOf(page)] = { ...stored[keyOf(page)], ...figures };
    if (options.json) writeFileSync(options.json, `${JSON.stringify(stored, null, 1)}\n`);
  }
  const { wrong, worse, slower } = totals;
  console.log(
    `\n${totals.pages} pages: ${totals.pages - wrong} right, ${wrong} wrong, ${worse} worse than plain Lighthouse, ${slower} slower`,
  );
  process.exitCode = wrong > 0 ? 1 : 0;
} finally {
  await service?.stop();
  plain?.stop();
  await site.close();
}
