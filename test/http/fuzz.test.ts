/** Any input gets an answer that the OpenAPI document declares, and never a 500. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Health } from '../../src/contract/health.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post } from '../support/asking/ask.ts';
import { sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public' });
/** A fixed seed: an input that failed once fails again. */
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
        // A local audit would need a browser, so its URL is one that is refused before.
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

/** Characters that a client can write into the request line or a header: no space, no control character. */
const visible = fc.string({
  unit: fc.constantFrom(...Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at))),
  maxLength: 80,
});
const fragment = fc.constantFrom(
  'url=',
  '&',
  '=',
  '%',
  'url=http://',
  'strategy=',
  '%00',
  '%ff',
  'categories=,',
  '+',
  ';',
);
const rawQuery = fc
  .array(fc.oneof(visible, fragment), { maxLength: 8 })
  .map(parts => parts.join('').replaceAll('#', ''));

/** Errors have our shapes (validation items or a Problem), or Google's for its clients. */
const assertShape = ({ status, body }: { status: number; body: string }, isPsi: boolean) => {
  const answer = JSON.parse(body);
  if (isPsi) assert.ok(answer.error.code === status && typeof answer.error.message === 'string', body);
  else if (status === 422)
    for (const item of answer.detail) assert.deepEqual(Object.keys(item), ['loc', 'msg', 'type']);
  else assert.ok(answer.status === status && typeof answer.code === 'string', body);
};

test('any query text is answered in a documented format', async () => {
  const paths = ['/psi', '/lighthouse', '/compare', '/pagespeedonline/v5/runPagespeed'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), rawQuery, async (path, query) => {
      const isPsi = path.includes('v5');
      // A URL that is not public comes first if the operation would start a browser.
      const isLocal = path !== '/psi';
      const answer = await sendRaw(service, { target: `${path}?${isLocal ? 'url=http://10.0.0.1/&' : ''}${query}` });
      const expected = isPsi ? [400, 403] : isLocal ? [403, 422] : [200, 403, 422];
      assert.ok(expected.includes(answer.status), `${answer.status} ${query}`);
      if (answer.status !== 200) assertShape(answer, isPsi);
    }),
    settings,
  );
});

test('any content type with any body is answered in a documented format', async () => {
  const bodies = fc.oneof(
    visible,
    fc.json(),
    fc.constantFrom('{"url":"http://10.0.0.1/"}', '{}', '[]', 'null', '\ufeff{}'),
  );
  const types = fc.oneof(
    visible,
    fc.constantFrom(
      'application/json',
      'application/problem+json; charset=x',
      'text/plain',
      ';',
      '/',
      'multipart/form-data',
    ),
  );
  await fc.assert(
    fc.asyncProperty(types, bodies, async (type, body) => {
      const headers = [`Content-Type: ${type}`];
      const answer = await sendRaw(service, { method: 'POST', target: '/psi', headers, body });
      assert.ok([403, 422].includes(answer.status), `${answer.status} ${type} ${body}`);
      assertShape(answer, false);
    }),
    settings,
  );
});

test('no text in the checked headers grants access', async t => {
  const closed = await startService(t, { API_KEYS: 'a-key-of-some-client', TRUST_PROXY: '127.0.0.1', RATE_LIMIT: '1' });
  const names = ['Authorization', 'X-API-Key', 'Origin', 'Sec-Fetch-Site', 'Sec-Fetch-Mode', 'X-Forwarded-For'];
  const hosts = ['X-Forwarded-Host', 'X-Forwarded-Proto'];
  const header = fc.tuple(
    fc.constantFrom(...names, ...hosts),
    fc.oneof(visible, fc.constantFrom('Bearer', 'null', ',,', '::')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(header, { maxLength: 5 }), async headers => {
      const lines = headers.map(([name, text]) => `${name}: ${text}`);
      const answer = await sendRaw(closed, { method: 'POST', target: '/cache/clear', headers: lines });
      assert.ok([401, 403].includes(answer.status), `${answer.status} ${lines}`);
      assertShape(answer, false);
      assert.equal((await sendRaw(closed, { target: '/nothing', headers: lines })).status, 404);
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

test('repeated headers do no harm', async () => {
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

test('after all these requests the service is healthy', async () => {
  const { status, body } = await ask<Health>(service, '/health');
  assert.deepEqual([status, body.lighthouse.running, body.lighthouse.queued], [200, 0, 0]);
});
