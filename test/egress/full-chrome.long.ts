/**
 * An installed Chrome, unlike the bundled headless shell, has services that call its maker. Runs where one is installed;
 * `.ci/run` installs one.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { endBrowser, launchBrowser } from '../../src/measure/lighthouse/worker/browser.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { openOwnEgress } from '../support/surroundings/own-egress.ts';

const program = [process.env.FULL_CHROME, '/usr/lib/chromium/chromium', '/opt/google/chrome/chrome'].find(
  path => path && existsSync(path),
);

/** Time in which a fresh Chrome called its maker up to five times, before its services were turned off. */
const watchedMs = 20_000;

/** What makes Chrome ask its services: a login, an address, a payment, a foreign language, and a search. */
const page = `<!doctype html><html lang="de"><title>Konto</title><link rel="icon" href="data:,">
<link rel="search" type="application/opensearchdescription+xml" href="/search.xml">
<form action="/login" method="post"><input name="user" autocomplete="username"><input type="password" name="word"></form>
<form><input name="name" autocomplete="name"><input name="street" autocomplete="street-address">
<input name="card" autocomplete="cc-number"><input type="search" name="q"></form>
<p>Willkommen zurück. Bitte melden Sie sich an, um Ihre Bestellungen zu sehen.</p>
<script>
  document.querySelector('input').value = 'a person';
  document.querySelector('[type=password]').value = 'a word that is a secret';
</script>`;

test('a full Chrome requests nothing but what the page does', async t => {
  if (!program) return t.skip('no Chrome is installed');
  const requested: (string | undefined)[] = [];
  const { url } = await startLocalServer(t, (request, response) => {
    requested.push(request.url);
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  });
  const { egress, network } = await openOwnEgress(t, Number(new URL(url).port));
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-full-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const launch = { executablePath: program, env: {}, sandbox: false, proxyUrl: egress.proxyUrl };
  const started = await launchBrowser({ browser: launch, folder, scratch: folder });
  t.after(() => endBrowser(started.browser));
  await started.page.goto('http://www.example.com/');
  await started.page.type('[name=q]', 'shoes');
  // There is no event that shows that a request will never be made.
  await delay(watchedMs);
  assert.deepEqual(network.lookups, ['www.example.com']);
  assert.deepEqual(
    network.dialled.filter(dialled => !dialled.endsWith(' 80')),
    [],
    'the page is not requested over https either',
  );
  const { blocked, unasked } = await egress.about('http://www.example.com/');
  assert.deepEqual({ blocked, unasked }, { blocked: 0, unasked: 0 });
  assert.ok(requested.includes('/'));
});
