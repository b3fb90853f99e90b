/** Contract section 9: what is done and said where Chromium's sandbox cannot be. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { makeConfinedFolder, obstacle, startConfined } from './confined.ts';

const folder = makeConfinedFolder({ after });

const assertUnavailable = async (t: TestContext, settings: Readonly<Record<string, string>>) => {
  if (obstacle) return t.skip(obstacle);
  const service = await startConfined(t, folder, 'user', settings);
  const { sandbox, available } = await service.localOf();
  assert.deepEqual([sandbox, available], ['unavailable', false]);
  assert.match(service.output(), /Local audits are unavailable: .*CHROME_SANDBOX=off/);
  const target = withQuery('/lighthouse', { url: 'http://93.184.216.34/', categories: 'seo' });
  const { status, body } = await ask<Problem>(service, target);
  assert.deepEqual([status, body.code], [503, 'lighthouse_unavailable']);
  assert.match(body.detail, /sandbox cannot be used here/);
  assert.doesNotMatch(service.output(), /WITHOUT|without sandbox/);
};

test('with CHROME_SANDBOX=on there is no audit without it, on loopback too', t =>
  assertUnavailable(t, { CHROME_SANDBOX: 'on' }));

// Loopback in truth, but no address that the settings know as loopback: nothing is opened to anyone.
test('beyond loopback there is no audit without it', t => assertUnavailable(t, { HOST: '::ffff:127.0.0.1' }));
