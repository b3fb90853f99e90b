/** Answers to a client without a key name a fault, but no host, path, user or database. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { captureLog } from '../support/captured-log.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type StartedService, startService } from '../support/start-service.ts';

const id = '019ab7d2-6a3c-7c55-9f0e-2f6d5f1f8a11';
const page = 'https://example.com/';
const fake = await startFakePsi({ after });

const requests: readonly (readonly [path: string, init?: RequestInit])[] = [
  ['/health'],
  ['/health/ready'],
  ['/metrics'],
  ['/openapi.json'],
  ['/nowhere'],
  ['/nowhere', { headers: { accept: 'text/html' } }],
  ['/results'],
  [withQuery('/results', { url: page }), { method: 'DELETE' }],
  ...['', '/report', '/screenshot', '/trace', '/network-log', '/har'].map(part => [`/results/${id}${part}`] as const),
  [`/results/${id}`, { method: 'DELETE' }],
  [withQuery('/history', { url: page })],
  [withQuery('/compare-results', { before: id, after: 'b' })],
  ['/jobs'],
  [`/jobs/${id}`],
  [`/jobs/${id}/events`],
  [`/jobs/${id}/pages/0`],
  [withQuery('/psi', { url: page }), { headers: { prefer: 'respond-async' } }],
  ['/schedules'],
  [`/schedules/${id}`, { method: 'DELETE' }],
  ['/cache/clear', { method: 'POST' }],
  [withQuery('/psi', { url: page, strategy: 'mobile' })],
  [withQuery('/psi', { url: page, strategy: 'mobile' }), { headers: { accept: 'text/event-stream' } }],
  [withQuery('/lighthouse', { url: page })],
  [withQuery('/sitemap', { url: page })],
];

/** Everything that any client can read of a service. */
const readAll = async (service: StartedService): Promise<string> =>
  (
    await Promise.all(
      requests.map(async ([path, init]) => {
        const response = await fetch(new URL(path, service.url), init);
        return `${path} ${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
      }),
    )
  ).join('\n');

function assertNamesNothing(text: string, places: readonly string[]): void {
  for (const line of text.split('\n'))
    for (const place of places) assert.ok(!line.includes(place), `${place} in ${line.slice(0, 1000)}`);
}

test('an unavailable database is named in the log, but not to clients', async t => {
  const { log, lines } = captureLog();
  const folder = makeScratchFolder(t);
  const DATABASE_URL = 'postgres://secret_user:secret_word@localhost:1/secret_database';
  const settings = { DATABASE_URL, DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint, TARGETS: 'any' };
  const service = await startService(t, { ...settings, CHROME_PATH: '/opt/secret_folder/chrome' }, undefined, { log });
  const text = await readAll(service);
  assert.match(text, /The database cannot be reached/);
  assertNamesNothing(text, ['secret_', 'localhost:1/', 'ECONNREFUSED', folder]);
  assert.ok(lines.some(line => JSON.stringify(line).includes('localhost:1/secret_database')));
  const { body } = await ask<Health>(service, '/health');
  assert.equal(body.lighthouse.browser, 'Chrome of CHROME_PATH');
  assert.equal(body.results.fault?.code, 'unavailable');
});

const faults: readonly (readonly [name: string, code: string, breakFolder: (folder: string) => void])[] = [
  [
    'is a file',
    'unavailable',
    folder => {
      writeFileSync(folder, '');
    },
  ],
  [
    'has a folder in place of the database',
    'unavailable',
    folder => {
      mkdirSync(join(folder, 'results.sqlite'), { recursive: true });
      chmodSync(folder, 0o500);
    },
  ],
];

for (const [name, code, breakFolder] of faults)
  test(`a data folder that ${name} is not named to clients`, async t => {
    // Without this, only root could remove the folder. It is registered first because hooks run in order.
    t.after(() => chmodSync(folder, 0o700));
    const folder = join(makeScratchFolder(t), 'secret_folder');
    breakFolder(folder);
    const settings = { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint, TARGETS: 'any' };
    const service = await startService(t, { ...settings, CHROME_PATH: '/opt/secret_folder/chrome' });
    const text = await readAll(service);
    assertNamesNothing(text, ['secret_folder', folder, 'results.sqlite', 'ENOTDIR', 'EISDIR']);
    assert.equal((await ask<Health>(service, '/health')).body.results.fault?.code, code);
  });
