/** Real loads of pages that shift while their HTML arrives, later, or not at all. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

const words = 'the harbour lights stand one behind the other '.repeat(8);
const head = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Boats</title>
<style>body { display: flex; flex-direction: column; margin: 0 } nav { order: 1 }</style></head><body>`;
/** Comes first in the HTML, and below the content on the screen. */
const menu = `<nav>${`<p>${words}</p>`.repeat(3)}</nav>`;
const content = `<main>${`<p>${words}</p>`.repeat(9)}</main>`;
const afterPaint = (act: string) =>
  `<script>requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { ${act} })));</script>`;
const insertedLater = (then = '') =>
  `${head}<main>${menu}</main>${afterPaint(
    `fetch('/answer').then(() => { document.body.insertAdjacentHTML('afterbegin', '${content}')${then} })`,
  )}`;

/** The HTML before and after the first paint. */
const pages: Readonly<Record<string, readonly string[]>> = {
  '/in-pieces': [`${head}${menu}${afterPaint("fetch('/painted')")}`, content],
  '/whole': [`${head}${menu}${content}`],
  '/by-script': [insertedLater()],
  '/by-script-open': [insertedLater("; requestAnimationFrame(() => fetch('/painted'))"), ''],
};

let painted = Promise.withResolvers<void>();
const site = await startLocalServer({ after }, async ({ url = '/' }, response) => {
  if (url === '/painted') painted.resolve();
  const [first, rest] = pages[url] ?? [];
  response.setHeader('content-type', first ? 'text/html; charset=utf-8' : 'text/plain').write(first ?? 'none');
  if (rest !== undefined) {
    painted = Promise.withResolvers();
    await Promise.race([painted.promise, once(response, 'close')]);
  }
  response.end(rest);
});
const service = await startService({ after }, {}, undefined, { audits: usualAudits });

async function measure(path: string) {
  const query = { url: `${site.url}${path}`, categories: 'performance' };
  const { body } = await ask<Result>(service, withQuery('/lighthouse', query));
  const { value } = body.metrics.cumulative_layout_shift;
  return { value: value ?? Number.NaN, isSaid: body.warnings.some(warning => /painted the whole HTML/.test(warning)) };
}

test('a page that is painted before all of its HTML is there shifts, and the result says that this depends on the network', async () => {
  const { value, isSaid } = await measure('/in-pieces');
  assert.ok(value > 0.25, String(value));
  assert.equal(isSaid, true);
});

test('the same page in one piece does not shift', async () => {
  assert.deepEqual(await measure('/whole'), { value: 0, isSaid: false });
});

for (const [path, end] of Object.entries({ '/by-script': 'ended', '/by-script-open': 'not ended yet' })) {
  test(`a shift that a script causes does not depend on the HTML, whose answer has ${end}`, async () => {
    const { value, isSaid } = await measure(path);
    assert.ok(value > 0.25, String(value));
    assert.equal(isSaid, false);
  });
}
