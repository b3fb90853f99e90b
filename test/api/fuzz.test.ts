/** Whatever is sent, the answer is one that the document has, and never a 500. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Health } from '../../src/http/schemas.ts';
import { ask, post } from '../ask.ts';
import { startFakePsi } from '../fake-psi.ts';
import { sendRaw } from '../raw-request.ts';
import { startService } from '../start-service.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public' });
/** The same inputs in every run: what failed once fails again. */
const settings = { seed: 20_261_121, numRuns: 300 };

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    'mobile',
    'desktop',
    'both',
    'seo',
    'performance,seo',
    'true',
    'off',
    'https://example.com/',
    'null',
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('url', 'urls', 'strategy', 'categories', 'detailed') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'x') },
);
const value = fc.oneof(word, fc.jsonValue(), fc.array(word, { maxLength: 4 }));

test('any query is answered as documented', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/psi', '/psi', '/lighthouse?_', '/compare?_'),
      fc.array(fc.tuple(name, word)),
      async (path, pairs) => {
        // A local audit needs a browser: a page that is not public stops before it.
        const isLocal = path !== '/psi';
        const query = new URLSearchParams(pairs.filter(([key]) => !isLocal || key !== 'url'));
        if (isLocal) query.append('url', 'http://127.0.0.1:1/');
        const { status } = await ask(service, `${path.replace('?_', '')}?${query}`);
        assert.ok([200, 403, 422].includes(status), String(status));
      },
    ),
    settings,
  );
});

test('any JSON body is answered as documented', async () => {
  const object = fc
    .array(fc.tuple(name, value), { maxLength: 5 })
    .map(entries => `{${entries.map(([key, given]) => `${JSON.stringify(key)}:${JSON.stringify(given)}`).join()}}`);
  await fc.assert(
    fc.asyncProperty(fc.oneof(object, fc.json()), async text => {
      const { status } = await post(service, '/psi', text);
      assert.ok([200, 403, 422].includes(status), String(status));
    }),
    settings,
  );
});

test('any bytes in a body are answered with a 422', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), async bytes => {
      const { status } = await ask(service, '/psi', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(bytes),
      });
      assert.equal(status, 422);
    }),
    settings,
  );
});

test('any path is answered with a 404 page that shows it escaped', async () => {
  const path = fc.string({ unit: fc.constantFrom(...'abz%/.~<>"\'&;=+?_-'), maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(path, async rest => {
      const { status, body } = await sendRaw(service, { target: `/~${rest}` });
      assert.equal(status, 404);
      assert.doesNotMatch(body, /<[ab]>|<z/);
    }),
    settings,
  );
});

test('headers given twice do no harm', async () => {
  const json = 'Content-Type: application/json';
  const cases = [
    { headers: ['Accept: text/html', 'Accept: application/json'] },
    { headers: ['Cache-Control: no-cache', 'Cache-Control: max-age=0'] },
    { headers: ['Referer: a', 'Referer: b'] },
    { method: 'POST', headers: [json, json], body: '{"url":"http://127.0.0.1/"}' },
    { method: 'POST', headers: [json, 'Content-Type: text/plain'], body: '{"url":"http://127.0.0.1/"}' },
  ];
  for (const request of cases) {
    const { status } = await sendRaw(service, { target: '/psi?url=http://127.0.0.1/', ...request });
    assert.ok([403, 422].includes(status), JSON.stringify(request));
  }
});

test('after all that the service is well', async () => {
  const { status, body } = await ask<Health>(service, '/health');
  assert.deepEqual([status, body.lighthouse.running, body.lighthouse.queued], [200, 0, 0]);
});
