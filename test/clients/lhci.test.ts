/** The Lighthouse CI command, in a separate process and folder, collects from this service. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { createLhci } from './own-lhci.ts';

const pages = await startPages({ after });
const service = await startService({ after });
const { folder, lhci, configure } = await createLhci({ after }, service);

const readSaved = async (extension: string): Promise<string> => {
  const saved = join(folder, '.lighthouseci');
  const names = (await readdir(saved)).filter(name => name.startsWith('lhr-') && name.endsWith(extension));
  assert.equal(names.length, 1, names.join());
  return readFile(join(saved, names[0] ?? ''), 'utf8');
};

test('lhci collects from the configured endpoint, and writes the result and the report', async () => {
  await configure({ url: [`${pages.url}/faulty`], psiStrategy: 'desktop' });
  const { status, output } = await lhci('collect');
  assert.equal(status, 0, output);
  const result = JSON.parse(await readSaved('.json'));
  assert.equal(result.requestedUrl, `${pages.url}/faulty`);
  assert.deepEqual(Object.keys(result.categories), ['performance', 'accessibility', 'best-practices', 'seo']);
  assert.deepEqual([result.configSettings.formFactor, result.configSettings.locale], ['desktop', 'en-US']);
  assert.match(await readSaved('.html'), /^<!--[\s\S]*<!doctype html>/i);
});

test('lhci checks assertions on its collected results', async () => {
  await configure(
    {},
    {
      'categories:performance': ['error', { minScore: 0.01 }],
      'first-contentful-paint': ['error', { maxNumericValue: 60_000 }],
      interactive: ['error', { maxNumericValue: 60_000 }],
      'document-title': 'off',
    },
  );
  const { status, output } = await lhci('assert');
  assert.equal(status, 0, output);
  assert.match(output, /All results processed!/);
});

test("lhci finds the page's failed audits", async () => {
  await configure({}, { 'image-alt': 'error', 'categories:accessibility': ['error', { minScore: 0.99 }] });
  const { status, output } = await lhci('assert');
  assert.equal(status, 1, output);
  for (const name of ['image-alt', 'categories.accessibility']) assert.ok(output.includes(`${name} failure`), output);
});

test('lhci opens no connection beyond this machine, because its guard would refuse it', async () => {
  await configure({ url: [`${pages.url}/good`], psiApiEndpoint: 'http://192.0.2.1/' });
  const { status, output } = await lhci('collect');
  assert.equal(status, 1);
  assert.match(output, /refused to connect to 192\.0\.2\.1/);
});
