/** Lighthouse CI's own command, in a process and a folder of its own, collecting from this service. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { startPages } from '../support/pages.ts';
import { startService } from '../support/start-service.ts';

const command = createRequire(import.meta.url).resolve('@lhci/cli/src/cli.js');
const guard = new URL('loopback-only.ts', import.meta.url).href;

const pages = await startPages({ after });
const service = await startService({ after });
const endpoint = `${service.url}/pagespeedonline/v5/runPagespeed`;

const folder = await mkdtemp(join(tmpdir(), 'rangelight-lhci-'));
after(() => rm(folder, { recursive: true, force: true }));

/** Runs `lhci` with nothing of this process's surroundings but the path. */
async function lhci(...parameters: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ['--import', guard, command, ...parameters], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { status, output: stripVTControlCharacters(output + errors) };
}

const configure = (collect: object, assertions: object = {}) =>
  writeFile(
    join(folder, 'lighthouserc.json'),
    JSON.stringify({
      ci: {
        collect: { method: 'psi', psiApiKey: 'any', psiApiEndpoint: endpoint, numberOfRuns: 1, ...collect },
        assert: { assertions },
      },
    }),
  );

const readSaved = async (extension: string): Promise<string> => {
  const saved = join(folder, '.lighthouseci');
  const names = (await readdir(saved)).filter(name => name.startsWith('lhr-') && name.endsWith(extension));
  assert.equal(names.length, 1, names.join());
  return readFile(join(saved, names[0] ?? ''), 'utf8');
};

test('lhci collects from the endpoint that its configuration names, and writes result and report', async () => {
  await configure({ url: [`${pages.url}/faulty`], psiStrategy: 'desktop' });
  const { status, output } = await lhci('collect');
  assert.equal(status, 0, output);
  const result = JSON.parse(await readSaved('.json'));
  assert.equal(result.requestedUrl, `${pages.url}/faulty`);
  assert.deepEqual(Object.keys(result.categories), ['performance', 'accessibility', 'best-practices', 'seo']);
  assert.deepEqual([result.configSettings.formFactor, result.configSettings.locale], ['desktop', 'en-US']);
  assert.match(await readSaved('.html'), /^<!--[\s\S]*<!doctype html>/i);
});

test('lhci asserts on what it collected', async () => {
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

test('lhci finds the faults of the page', async () => {
  await configure({}, { 'image-alt': 'error', 'categories:accessibility': ['error', { minScore: 0.99 }] });
  const { status, output } = await lhci('assert');
  assert.equal(status, 1, output);
  for (const name of ['image-alt', 'categories.accessibility']) assert.ok(output.includes(`${name} failure`), output);
});

test('lhci opens no connection beyond this machine: the guard it runs under would refuse it', async () => {
  await configure({ url: [`${pages.url}/good`], psiApiEndpoint: 'http://192.0.2.1/' });
  const { status, output } = await lhci('collect');
  assert.equal(status, 1);
  assert.match(output, /refused to connect to 192\.0\.2\.1/);
});
