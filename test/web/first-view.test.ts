/** The number of requests and the compressed size of the page's first view. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';

const browser = await startBrowser({ after });

/** Names and transfer sizes, by name: two files that are requested together arrive in any order. Chromium adds 300 bytes of headers to each body. */
const readLoaded = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map(({ name, transferSize }) => [new URL(name).pathname.replace(/.*\\//, '').replace(/-\\w{8}/, ''), transferSize]).sort()`;
const loadedBy = (page: OpenedPage) => page.evaluate(readLoaded) as Promise<[name: string, bytes: number][]>;

const maxBytes = 82_000;

function assertLight(t: { diagnostic(words: string): void }, loaded: readonly [string, number][]): void {
  const bytes = loaded.reduce((sum, [, size]) => sum + size, 0);
  t.diagnostic(`${loaded.length} requests, ${bytes} bytes: ${loaded.map(entry => entry.join(' ')).join(', ')}`);
  assert.ok(loaded.every(([, size]) => size > 0));
  assert.ok(bytes <= maxBytes, `${bytes} bytes`);
}

test('the first view takes four requests and less than 82 KB', async t => {
  const { url } = await startService(t);
  const page = await openPage(t, browser);
  await page.goto(url);
  await page.locator('.intro').waitFor();
  const loaded = await loadedBy(page);
  assert.deepEqual(
    loaded.map(([name]) => name),
    ['', 'chunk.js', 'page.js', 'style.css'],
  );
  assertLight(t, loaded);
});

test('with as many stored pages as the page requests, it takes two more, and still less than 82 KB', async t => {
  const fake = await startFakePsi(t);
  let audits = 0;
  fake.answerWith(call => {
    const body = toPsiBody(call) as { lighthouseResult: { audits: Record<string, { numericValue?: number }> } };
    // Values of real loads do not repeat: multiples of the golden ratio have fractions without a pattern.
    for (const audit of Object.values(body.lighthouseResult.audits)) {
      if (audit.numericValue === undefined) continue;
      audits += 1;
      audit.numericValue *= 1 + ((audits * 1.618_033_988_749_895) % 1);
    }
    return { body };
  });
  const { url } = await startService(t, { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint });
  for (const half of [0, 1]) {
    const urls = Array.from({ length: 100 }, (_, at) => `https://harbour.example/berths/${half * 100 + at}`);
    const headers = { 'content-type': 'application/json' };
    await (
      await fetch(`${url}/psi`, { method: 'POST', headers, body: JSON.stringify({ urls, strategy: 'mobile' }) })
    ).text();
  }
  const page = await openPage(t, browser);
  await page.goto(url);
  await page.locator('.sites').waitFor();
  const loaded = await loadedBy(page);
  assert.deepEqual(
    loaded.map(([name]) => name),
    ['', 'chunk.js', 'page.js', 'schedules', 'sites', 'style.css'],
  );
  assertLight(t, loaded);
});
