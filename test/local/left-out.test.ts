/** An audit of one category gathers only what that category needs, and has the same result. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';

type Audit = { score: number | null; scoreDisplayMode: string; details?: { items?: unknown[] } };
type Full = Result & {
  lighthouse_result: {
    audits: Record<string, Audit>;
    categories: { seo: { auditRefs: { id: string }[] } };
    fullPageScreenshot?: unknown;
  };
};

/** Without a title and a description; two pictures without a text, one with; a link that says nothing. */
const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<body><p>Text enough for a page.</p><img src="/a.svg" width="9" height="9"><img src="/b.svg" alt="A square" width="9"
height="9"><img src="/c.svg" width="9" height="9"><a href="/more">click here</a>
<div role="slider" aria-valuenow="nothing">what only other rules look at</div></body></html>`;

test('SEO alone has the same score and audits as with accessibility, and lists the skipped ones', async t => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', request.url === '/' ? 'text/html' : 'image/svg+xml');
    response.end(request.url === '/' ? page : '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  });
  t.after(() => server.close());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const service = await startService(t, {}, undefined, { audits: usualAudits });
  const measure = async (categories: string) => {
    const { status, body } = await ask<Full>(service, withQuery('/lighthouse', { url, categories }));
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const [alone, beside] = [await measure('seo'), await measure('seo,accessibility')];
  assert.deepEqual(alone.environment.skipped, ['full_page_screenshot', 'other_axe_rules']);
  assert.deepEqual(beside.environment.skipped, []);
  assert.equal(alone.lighthouse_result.fullPageScreenshot ?? null, null);
  assert.ok(beside.lighthouse_result.fullPageScreenshot);
  assert.equal(alone.scores.seo, beside.scores.seo);
  const toSeo = ({ lighthouse_result: { audits, categories } }: Full) =>
    categories.seo.auditRefs.map(({ id }) => {
      const { score, scoreDisplayMode, details } = audits[id] ?? assert.fail(id);
      return { id, score, scoreDisplayMode, items: details?.items?.length };
    });
  const seo = toSeo(alone);
  assert.deepEqual(seo, toSeo(beside));
  assert.deepEqual(
    seo.filter(({ id }) => id === 'image-alt' || id === 'document-title').map(({ score, items }) => [score, items]),
    [
      [0, 1],
      [0, 2],
    ],
  );
});
