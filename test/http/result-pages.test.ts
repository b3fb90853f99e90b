/** The URL of a result returns a page to a browser and JSON to a program. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const settings = { PSI_ENDPOINT: fake.endpoint };
const service = await startService({ after }, { ...settings, DATA_DIR: makeScratchFolder({ after }) });
const measured = await fetch(`${service.url}/psi?url=https://harbour.example/&strategy=mobile`);
const { id } = (await measured.json()) as { id: string };

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const open = (path: string, accept?: string, at = service.url) =>
  fetch(`${at}${path}`, { redirect: 'manual', headers: accept === undefined ? {} : { accept } });

for (const path of [`/results/${id}`, `/r/${id}`]) {
  test(`${path.replace(id, 'ID')} leads a browser to the page that shows the result`, async () => {
    const answer = await open(path, browserAccept);
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, `../?result=${id}`]);
    assert.match(answer.headers.get('vary') ?? '', /Accept/);
    const page = await fetch(`${service.url}${path}`, { headers: { accept: browserAccept } });
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  });

  test(`${path.replace(id, 'ID')} is JSON for a program`, async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9']) {
      const answer = await open(path, accept);
      assert.equal(answer.status, 200, accept);
      assert.equal(((await answer.json()) as { id: string }).id, id, accept);
    }
  });
}

test('an unknown or malformed id is a 404 for a program, and an HTML page for a browser', async () => {
  for (const wrong of ['01a201e3-ac0c-7234-9a1b-bd2e414329fe', 'half-a-link']) {
    const answer = await open(`/r/${wrong}`);
    assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [404, 'result_not_found']);
    assert.equal((await open(`/r/${wrong}`, browserAccept)).headers.get('location'), `../?result=${wrong}`);
  }
});

test('with keys, a browser gets the page, which asks for one, and a program without a key is rejected', async t => {
  const locked = await startService(t, { ...settings, DATA_DIR: makeScratchFolder(t), API_KEYS: 'a-key-of-this-test' });
  assert.equal((await open(`/r/${id}`, browserAccept, locked.url)).status, 302);
  assert.equal((await open(`/r/${id}`, undefined, locked.url)).status, 401);
});
