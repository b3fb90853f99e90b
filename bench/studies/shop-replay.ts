/**
 * `npm run bench:shop` replays what a performance engineer sees on a small shop: eight results, a release with a picture
 * of 646 kB and a script of 200 ms, five results. It prints the sentences of the product about the history after each
 * result, about one result against one, and about what to fix first; then what to fix first on a page that waits for a
 * style sheet and whose picture has no text, and on the same page while other processes use the processors.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Result } from '../../src/contract/result/result.ts';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import type { History } from '../../src/contract/stored/history.ts';
import { sayChange } from '../../src/presentation/charts/history-chart.ts';
import { pageValue, sayDisturbance } from '../../src/presentation/undisturbed.ts';
import { toPng } from '../../test/compare/laboratory/site.ts';
import { startServiceProcess } from '../processes.ts';
import { measureAt } from './load-values.ts';

const [resultsBefore, resultsAfter] = [8, 5];
let isReleased = false;
const [small, large] = [toPng(20_000), toPng(646_000)];
const boats = Array.from({ length: 24 }, (_, at) => `<li>Boat ${at}: ready to sail, with all that belongs to it.</li>`);
const toPage = () => `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width">
<title>Boats</title>${isReleased ? '<script src="/extra.js"></script>' : ''}</head><body><h1>Boats</h1>
<img src="/hero.png${isReleased ? '?2' : ''}" alt="A boat" width="360" height="240"><ul>${boats.join('')}</ul></body></html>`;
const work = 'const end = performance.now() + 200; while (performance.now() < end);';
const slowPage = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width">
<title>Sails</title><link rel="stylesheet" href="/slow.css"></head><body><h1>Sails</h1>
<img src="/hero.png?2" width="360" height="240"><ul>${boats.join('')}</ul></body></html>`;
const site = createServer(({ url = '/' }, response) => {
  if (url === '/slow.css') {
    const timer = setTimeout(() => response.setHeader('content-type', 'text/css').end('h1 { color: navy }'), 1500);
    response.on('close', () => clearTimeout(timer));
  } else if (url === '/slow') response.setHeader('content-type', 'text/html; charset=utf-8').end(slowPage);
  else if (url.startsWith('/hero.png')) response.setHeader('content-type', 'image/png').end(isReleased ? large : small);
  else if (url === '/extra.js') response.setHeader('content-type', 'text/javascript').end(work);
  else response.setHeader('content-type', 'text/html; charset=utf-8').end(toPage());
}).listen(0, '127.0.0.1');
await once(site, 'listening');
const pageUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
const service = await startServiceProcess({ TARGETS: 'any', KEEP_ARTIFACTS: '4000' });

const read = async <Answer>(path: string): Promise<Answer> =>
  (await (await fetch(service.url + path)).json()) as Answer;
const historyPath = (metric: string) => `/history?url=${encodeURIComponent(pageUrl)}&metric=${metric}`;

function sayHistory(history: History): string {
  const { change_points: changes, possible_change: possible } = history;
  const said = changes.map(change => {
    const at = history.points.findIndex(({ id }) => id === change.id) + 1;
    return `since result ${at}: ${sayChange(change, history)}`;
  });
  return [...said, ...(possible ? [`possible change: ${possible.value}`] : [])].join('; ') || 'no change';
}

function sayFindings(heading: string, result: Result | undefined): void {
  console.log(`\n${heading}:`);
  for (const { title, points, category, savings } of result?.findings ?? [])
    console.log(`  ${title}: ${points} points of ${category}, ${JSON.stringify(savings)}`);
  if (!result) return;
  const paint = `LCP ${Math.round(pageValue(result, 'largest_contentful_paint') ?? 0)} ms`;
  console.log(`  score ${pageValue(result, 'performance')}, ${paint}. ${sayDisturbance(result) ?? ''}`);
}

const measureSlow = () => measureAt(service, `${pageUrl}slow`, { categories: 'performance,accessibility,seo' });

try {
  const ids: string[] = [];
  let last: Result | undefined;
  for (let at = 0; at < resultsBefore + resultsAfter; at += 1) {
    isReleased = at >= resultsBefore;
    last = await measureAt(service, pageUrl, { label: isReleased ? 'build-48' : 'build-47' });
    ids.push(last.id ?? '');
    const [score, paint] = [
      await read<History>(historyPath('performance')),
      await read<History>(historyPath('largest_contentful_paint')),
    ];
    console.log(
      `${at + 1}. score ${last.scores.performance}\n   score: ${sayHistory(score)}\n   LCP: ${sayHistory(paint)}`,
    );
    if (at !== resultsBefore) continue;
    const path = `/compare-results?before=${ids.at(-2)}&after=${ids.at(-1)}`;
    const { verdict } = await read<ResultsComparison>(path);
    console.log(`   one result against one: ${verdict.status}. ${verdict.explanation}`);
  }
  sayFindings('Fix first', last);
  sayFindings('Fix first on a slow page', await measureSlow());
  const busy = Array.from({ length: 3 }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  try {
    sayFindings('The same while other processes use the processors', await measureSlow());
  } finally {
    for (const child of busy) child.kill('SIGKILL');
  }
} finally {
  await service.stop();
  site.close();
}
