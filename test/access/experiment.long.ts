/** An experiment and a what-if on a page behind a login, with a real browser in each load: some 27 loads. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExperimentAnswer } from '../../src/contract/experiments/answer.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { WhatIf } from '../../src/contract/stored/what-if.ts';
import { toPage } from '../compare/laboratory/site.ts';
import { followToEnd } from '../jobs/jobs.ts';
import { ask, post } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

const scriptMs = 1000;
const session = 'session-Sentinel10';

test('the private page is better without its slow script, and no load shows the login', async t => {
  const pages = { account: 0, login: 0 };
  const site = await startLocalServer(t, async ({ url = '', headers }, response) => {
    if (url === '/slow.js') {
      await delay(scriptMs);
      return response.setHeader('content-type', 'text/javascript').end('window.slow = true;');
    }
    const isIn = headers.cookie === `sid=${session}`;
    pages[isIn ? 'account' : 'login'] += 1;
    const account = toPage({ head: '<script src="/slow.js"></script>', body: '<h1 id="account">Account</h1>' });
    return response.setHeader('content-type', 'text/html').end(isIn ? account : toPage({ body: '<h1>Log in</h1>' }));
  });
  const settings = {
    DATA_DIR: makeScratchFolder(t),
    ACCESS_KEY: randomBytes(32).toString('base64'),
    KEEP_ARTIFACTS: '5',
  };
  const service = await startService(t, settings);
  const url = `${site.url}/`;
  const access = { cookies: [{ name: 'sid', value: session }], expect: { selector: '#account' } };

  const measured = await post<Result>(service, '/lighthouse', { url, access, categories: ['performance'] });
  assert.equal(measured.status, 200, measured.text.slice(0, 500));
  const predicted = await ask<WhatIf>(service, `/results/${measured.body.id}/what-if`);
  assert.equal(predicted.status, 200, predicted.text.slice(0, 500));
  assert.match(predicted.text, /slow\.js/);

  const seen = { ...pages };
  const asked = await post<ExperimentAnswer>(service, '/experiments', {
    url,
    access,
    variants: [{ block: ['/slow.js'] }],
  });
  assert.equal(asked.status, 202, asked.text);
  await followToEnd(service, asked.body.id);
  const { body: answer, text } = await ask<ExperimentAnswer>(service, `/experiments/${asked.body.id}`);
  assert.deepEqual(
    [answer.state, answer.progress.failed, answer.variants[0]?.status],
    ['succeeded', 0, 'better'],
    text,
  );
  assert.equal(answer.control.differs, false, text);
  assert.deepEqual(answer.conditions?.access?.kinds, ['cookies']);
  assert.ok(!text.includes(session));
  assert.equal(pages.account - seen.account, answer.progress.loads, 'every load was logged in');
});
