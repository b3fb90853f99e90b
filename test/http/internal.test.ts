/** Contract section 4, `internal`: a fault of the service. No request causes one, so the tests break the use cases. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { createApp } from '../../src/http/app.ts';
import type { AppParts } from '../../src/http/app-parts.ts';
import { createPolicy } from '../../src/measure/targets/policy.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { captureLog } from '../support/captured-log.ts';

const secret = 'cannot read /root/.secret of undefined';

async function startBroken(t: TestContext) {
  const { log, lines } = captureLog();
  const fail = () => Promise.reject(new TypeError(secret));
  const parts = {
    settings: readSettings({}),
    log,
    policy: createPolicy({ targets: 'any' }),
    analyser: { kind: 'embedded', host: () => '' },
    metrics: createMetrics(),
    analyseRemote: fail,
    analyseLocal: fail,
    jobs: { hasSecret: false },
    isReady: () => true,
    isAccepting: () => true,
  } as unknown as AppParts;
  const { server } = createApp(parts);
  t.after(() => server.close());
  return { url: await server.listen({ host: '127.0.0.1', port: 0 }), lines };
}

const page = { url: 'http://localhost:3000/' };

test('an unexpected error is a 500 without details, and one log line with them', async t => {
  const { url, lines } = await startBroken(t);
  for (const path of ['/lighthouse', '/psi', '/compare']) {
    lines.length = 0;
    const { status, body, text } = await ask<Problem>({ url }, withQuery(path, { ...page, strategy: 'mobile' }));
    assert.deepEqual([status, body.status, body.code, body.retryable], [500, 500, 'internal', true], path);
    assert.ok(!text.includes('secret') && !text.includes('TypeError'), text);
    const errors = lines.filter(({ level }) => level === 50);
    assert.ok(errors.length === 1 && JSON.stringify(errors).includes(secret), path);
  }
});

test('an event stream ends with the same error', async t => {
  const { url } = await startBroken(t);
  const response = await fetch(url + withQuery('/lighthouse', page), { headers: { accept: 'text/event-stream' } });
  const text = await response.text();
  assert.match(text, /\nevent: failed\ndata: \{.*"code":"internal".*\}\n\n$/);
  assert.ok(!text.includes('secret'));
});
