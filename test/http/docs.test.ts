/** `/openapi.json` and the page that displays it. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { docsFiles, readDocsAsset } from '../../src/http/routes/docs.get.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

test('GET /openapi.json is the OpenAPI document, version 2.0.0', async () => {
  const response = await fetch(`${service.url}/openapi.json`);
  const document = (await response.json()) as { openapi: string; info: { version: string } };
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
  assert.match(document.openapi, /^3\.1\.\d$/);
  assert.equal(document.info.version, '2.0.0');
});

test('/llms.txt is short plain text, and its links work', async () => {
  const response = await fetch(`${service.url}/llms.txt`);
  const text = await response.text();
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
  assert.ok(text.startsWith('# Rangelight\n') && text.length < 2000);
  const links = [...text.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = '']) => link);
  assert.deepEqual(links, ['/mcp', '/openapi.json', '/docs']);
  for (const link of links) assert.notEqual((await fetch(`${service.url}${link}`)).status, 404, link);
});

test('the API reference at /docs loads nothing from other hosts', async () => {
  const response = await fetch(`${service.url}/docs`);
  const html = await response.text();
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
  assert.ok(links.length > 2);
  for (const link of links.filter(link => !link.startsWith('data:'))) {
    assert.match(link, /^\/\w/, 'of this server');
    assert.equal((await fetch(`${service.url}${link}`)).status, 200, link);
  }
});

const page = await (await fetch(`${service.url}/docs`)).text();
const files = [...page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path = '']) => path);

test('browsers cache the files of the API reference permanently and revalidate its page', async () => {
  assert.equal(files.length, 3);
  assert.equal((await fetch(`${service.url}/docs`)).headers.get('cache-control'), 'no-cache');
  for (const path of files) {
    const { headers } = await fetch(service.url + path);
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal((await fetch(service.url + path.replace(/docs\/[^/]+/, 'docs/another'))).status, 404);
  }
});

test('the files of the API reference are sent in the best encoding that the client accepts, with equal content', async () => {
  for (const path of files) {
    const read = async (accept: string) => {
      const { headers } = await fetch(service.url + path, { headers: { 'accept-encoding': accept } });
      return [headers.get('content-encoding'), headers.get('vary')];
    };
    assert.deepEqual(await read('gzip, deflate, br, zstd'), ['br', 'Accept-Encoding']);
    assert.deepEqual(await read('gzip'), ['gzip', 'Accept-Encoding']);
    assert.deepEqual(await read('identity'), [null, 'Accept-Encoding']);
    const texts = await Promise.all(
      ['br', 'gzip', 'identity'].map(async accept =>
        (await fetch(service.url + path, { headers: { 'accept-encoding': accept } })).text(),
      ),
    );
    assert.ok(texts[0] && texts.every(text => text === texts[0]), path);
  }
});

test('a file of the API reference is read and compressed once, for any number of concurrent clients', async () => {
  for (const name of docsFiles) assert.equal(readDocsAsset(name), readDocsAsset(name));
  const [first, second] = await Promise.all([readDocsAsset('start.js'), readDocsAsset('start.js')]);
  assert.equal(first, second);
});
