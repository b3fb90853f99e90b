/** A page over TLS, audited with the browser that comes with the project: TLS needs more libraries than plain HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import type { Lhr } from '../../src/measure/lhr/lhr.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { wrapBrowser } from '../support/audits/wrapped-browser.ts';
import { startSecureServer } from '../support/sites/secure-server.ts';
import { startService } from '../support/start-service.ts';

const page = `<!doctype html><html lang="en"><title>Over TLS</title>
<meta name="viewport" content="width=device-width"><h1>Over TLS</h1>`;

test('a page with an accepted certificate is measured over HTTP/2', async t => {
  const server = await startSecureServer(t, page);
  const trusting = await wrapBrowser(t, [`--ignore-certificate-errors-spki-list=${server.publicKeyHash}`]);
  const service = await startService(t, { CHROME_PATH: trusting });
  const { status, body } = await ask<Result>(service, withQuery('/lighthouse', { url: server.url }));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.final_url, server.url);
  const { audits } = body.lighthouse_result as Lhr;
  assert.equal(audits['is-on-https']?.score, 1);
  const requests = audits['network-requests'] as unknown as { details: { items: { protocol: string }[] } };
  assert.equal(requests.details.items[0]?.protocol, 'h2');
});
