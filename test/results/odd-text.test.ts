/** Text that a database cannot store is a fault of the request in both engines, never one of the store. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Health } from '../../src/contract/health.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import type { Invalid } from '../support/asking/invalid.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';

const postgres = await startOwnPostgres({ after });
const fake = await startFakePsi({ after });
const usual = { PSI_ENDPOINT: fake.endpoint, CALLBACK_SECRET: `whsec_${'a'.repeat(44)}`, TARGETS: 'any' };
const open = (settings: Record<string, string>) => startService({ after }, { ...usual, ...settings });
const services = {
  SQLite: await open({ DATA_DIR: makeScratchFolder({ after }) }),
  PostgreSQL: await open({ DATABASE_URL: await postgres.createDatabase(), DATA_DIR: makeScratchFolder({ after }) }),
};

const page = 'https://example.com/';
const json = { 'content-type': 'application/json' };
const asyncJson = { ...json, prefer: 'respond-async' };
const schedule = { urls: [page], interval: 'PT1H' };

type Request = { path: string; method?: string; headers?: Record<string, string>; body?: unknown };
/** Requests whose text may reach a database, a path or a header. */
const inQueries = (text: string): Request[] => [
  ...['host', 'group', 'label', 'cursor', 'url', 'since', 'until', 'kind', 'source'].map(name => ({
    path: withQuery('/results', { [name]: text }),
  })),
  { path: withQuery('/results', { url: text }), method: 'DELETE' },
  ...['label', 'metric', 'since', 'url', 'group', 'host'].map(name => ({
    path: withQuery('/history', { url: page, [name]: text }),
  })),
  ...['before', 'after', 'url'].map(name => ({
    path: withQuery('/compare-results', { before: 'a', after: 'b', [name]: text }),
  })),
  { path: withQuery('/jobs', { limit: text }) },
  { path: withQuery('/psi', { url: page, label: text }) },
  { path: withQuery('/psi', { url: `${page}${text}`, strategy: 'mobile' }) },
  { path: withQuery('/psi', { url: page, callback: text }), headers: { prefer: 'respond-async' } },
  { path: withQuery('/pagespeedonline/v5/runPagespeed', { url: text }) },
];
const inPaths = (text: string): Request[] => {
  const id = encodeURIComponent(text);
  return [
    ...['', '/report', '/screenshot', '/trace', '/network-log', '/har'].map(part => ({
      path: `/results/${id}${part}`,
    })),
    { path: `/results/${id}`, method: 'DELETE' },
    ...['', '/events', '/pages/0'].map(part => ({ path: `/jobs/${id}${part}` })),
    { path: `/jobs/${id}`, method: 'DELETE' },
    { path: `/schedules/${id}` },
    { path: `/schedules/${id}`, method: 'DELETE' },
    { path: `/schedules/${id}`, method: 'PATCH', headers: json, body: { paused: true } },
  ];
};
const inBodies = (text: string): Request[] => [
  ...[{ urls: [text] }, { urls: [page, text] }, { url: text }, { url: page, label: text }].map(body => ({
    path: '/psi',
    method: 'POST',
    headers: asyncJson,
    body,
  })),
  { path: '/psi', method: 'POST', headers: json, body: { urls: [text] } },
  ...['cron', 'timezone', 'interval', 'callback', 'label', 'urls'].map(name => ({
    path: '/schedules',
    method: 'POST',
    headers: json,
    body: { ...schedule, [name]: name === 'urls' ? [text] : text },
  })),
];

const send = async (service: { url: string }, { path, body, ...init }: Request) => {
  const response = await fetch(new URL(path, service.url), {
    ...init,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};

const forbidden = fc.constantFrom('\0', '\ud800', '\udfff', '\udc00\ud800');
const oddText = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 8 }), forbidden, fc.string({ unit: 'binary', maxLength: 8 }))
  .map(parts => parts.join(''));
/** A URL cannot contain a lone surrogate. */
const zeroText = oddText.map(text => `\0${text}`.toWellFormed());

for (const [engine, service] of Object.entries(services)) {
  const assertHealthy = async () => {
    const { body } = await ask<Health>(service, '/health');
    assert.deepEqual([body.results.state, body.results.fault], ['ok', undefined]);
  };

  test(`text that cannot be stored is rejected, and ${engine} stays healthy`, async () => {
    await assertHealthy();
    const assertRefused = async (request: Request, statuses: readonly number[]) => {
      const { status, text } = await send(service, request);
      assert.ok(statuses.includes(status), `${status} for ${JSON.stringify(request)}: ${text.slice(0, 300)}`);
    };
    await fc.assert(
      fc.asyncProperty(zeroText, oddText, async (inUrl, inBody) => {
        // Operations ignore parameters that they do not know.
        for (const request of inQueries(inUrl)) await assertRefused(request, [422, 400, 404, 200]);
        for (const request of inPaths(inUrl)) await assertRefused(request, [404]);
        for (const request of inBodies(inBody)) await assertRefused(request, [422, 200]);
      }),
      {
        numRuns: 8,
        examples: [
          ['\0', '\0'],
          ['a\0b', '\ud800'],
        ],
      },
    );
    await assertHealthy();
  });

  test(`${engine}: each entry of a job that cannot be stored is named, and no page is charged`, async () => {
    const { status, body } = await ask<Invalid>(service, '/psi', {
      method: 'POST',
      headers: asyncJson,
      body: JSON.stringify({ urls: [page, 'a\0b', 'c\ud800'] }),
    });
    assert.equal(status, 422);
    assert.deepEqual(
      body.detail?.map(({ loc, type }) => [loc, type]),
      [
        [['body', 'urls', 1], 'value_error'],
        [['body', 'urls', 2], 'value_error'],
      ],
    );
    const waited = await post<{ results: { error: { code: string } }[] }>(service, '/psi', { urls: ['a\0b'] });
    assert.deepEqual([waited.status, waited.body.results[0]?.error.code], [200, 'invalid_url']);
  });

  test(`${engine}: a result whose Lighthouse version has U+0000 is answered with a warning and not stored`, async () => {
    fake.answerWith(call => ({ body: toPsiBody(call, { lighthouseVersion: '13.4.1\0' }) }));
    const { status, body } = await ask<Result>(service, withQuery('/psi', { url: page, strategy: 'mobile' }));
    assert.deepEqual([status, body.id, body.warnings.length], [200, undefined, 1]);
    assert.match(body.warnings[0] ?? '', /could not be stored.*U\+0000/);
    await assertHealthy();
  });

  test(`${engine}: a parameter with U+0000 is rejected by name`, async () => {
    for (const name of ['host', 'group', 'label', 'cursor']) {
      const { status, body } = await ask<Invalid>(service, withQuery('/results', { [name]: 'a\0b' }));
      assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['query', name]]);
    }
    await assertHealthy();
  });
}
