/** With a service that requires a key, pictures and files are fetched with the key that the user entered. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import jpeg from 'jpeg-js';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { buildAudit } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';

const key = 'a-key-of-the-service-0123456789';
const browser = await startBrowser({ after });
const fake = await startFakePsi({ after });
const picture = jpeg.encode({ data: Buffer.alloc(4 * 30 * 60, 0x7f), width: 30, height: 60 }, 80).data;
fake.answerWith(call => {
  const body = toPsiBody(call);
  const { audits } = body.lighthouseResult as { audits: Record<string, unknown> };
  const data = `data:image/jpeg;base64,${picture.toString('base64')}`;
  audits['final-screenshot'] = buildAudit('final-screenshot', { score: null, details: { type: 'screenshot', data } });
  return { body };
});
const service = await startService(
  { after },
  { DATA_DIR: makeScratchFolder({ after }), PSI_ENDPOINT: fake.endpoint, API_KEYS: key },
);

const addressOf = (...urls: string[]) =>
  `${service.url}/?${new URLSearchParams([...urls.map((url): [string, string] => ['url', url]), ['backend', 'remote'], ['strategy', 'mobile']])}`;

async function openWithKey(t: Parameters<typeof openPage>[0], address: string): Promise<OpenedPage> {
  const page = await openPage(t, browser);
  await page.goto(address);
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  return page;
}

type Picture = readonly [scheme: string, width: number];
const picturesIn = async (page: OpenedPage, selector: string) =>
  (await page.evaluate(
    `[...document.querySelectorAll('${selector}')].map(({ src, naturalWidth }) => [src.slice(0, 5), naturalWidth])`,
  )) as Picture[];
const isLoaded = ([scheme, width]: Picture) => scheme === 'blob:' && width === 30;

test('files are loaded with the key and saved with the names that the service gives them', async t => {
  const page = await openWithKey(t, addressOf('https://harbour.example/saved'));
  const button = page.getByRole('button', { name: 'Save: HTML report' });
  await page.locator('.menu > summary', { hasText: 'Download' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  assert.match(file.suggestedFilename(), /^harbour\.example.*psi.*mobile\.html$/);
  assert.match(await readFile(await file.path(), 'utf8'), /<!doctype html>/);
  await button.waitFor();
  assert.equal(page.context().pages().length, 1);
  assert.deepEqual(page.faults, []);
});

test('a failed download shows its reason next to the result', async t => {
  const page = await openWithKey(t, addressOf('https://harbour.example/forgotten'));
  const button = page.getByRole('button', { name: 'Save: HTML report' });
  await page.locator('.menu > summary', { hasText: 'Download' }).click();
  await button.waitFor();
  await page.waitForURL(/result=/);
  const id = new URL(page.url()).searchParams.get('result');
  await fetch(`${service.url}/results/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
  await button.click();
  await page.getByText('Result not found').waitFor();
  await page.locator('.column .fixes').waitFor();
});

test('a list loads its small pictures when they are near the view', async t => {
  const urls = Array.from({ length: 40 }, (_, at) => `https://harbour.example/berths/${at}`);
  const page = await openWithKey(t, addressOf(...urls));
  await page.getByText('Measured 40 of 40 pages').waitFor();
  const sources = await readUntil(
    () => picturesIn(page, '.thumb img'),
    found => found.some(isLoaded),
  );
  assert.equal(sources.length, 40);
  assert.ok(
    sources.some(([scheme]) => scheme === 'data:'),
    'those far below wait',
  );
  assert.deepEqual(page.faults, []);
});
