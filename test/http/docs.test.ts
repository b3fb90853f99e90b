/** `/openapi.json` and its reader. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../start-service.ts';

const service = await startService({ after });

test('GET /openapi.json is the description, version 2.0.0', async () => {
  const response = await fetch(`${service.url}/openapi.json`);
  const document = (await response.json()) as { openapi: string; info: { version: string } };
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
  assert.match(document.openapi, /^3\.1\.\d$/);
  assert.equal(document.info.version, '2.0.0');
});

test('the reader at /docs needs nothing from elsewhere', async () => {
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
