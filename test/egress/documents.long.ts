/** The rest of the ways in which a document may lead inside or away; the main ones are in documents.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result.ts';
import { ask, withQuery } from '../support/ask.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { publicAddress, startLeadingSite } from './leading-site.ts';

const { canary, network } = await startLeadingSite({ after });
const anywhere = await startService({ after }, { TARGETS: 'any' }, network);
const hasty = await startService({ after }, { TARGETS: 'any', LIGHTHOUSE_TIMEOUT: '15' }, network);

const audit = <Body>(service: StartedService, url: string) =>
  ask<Body>(service, withQuery('/lighthouse', { url, categories: 'seo' }));

test('a public page whose document goes inside is target_forbidden, by every header and script that can', async () => {
  const paths = ['302', '307', 'late', 'refresh-header', 'frame-to-top'];
  await Promise.all(
    paths.map(async path => {
      const { body } = await audit<Problem>(anywhere, `http://www.example.com/${path}`);
      assert.deepEqual([body.status, body.code, body.source], [403, 'target_forbidden', 'lighthouse'], path);
      assert.match(body.detail, /127\.0\.0\.1 is a loopback address/);
    }),
  );
  assert.equal(canary.connections.all.length, 0);
});

test('a page that leaves for chrome:, view-source: or javascript: leaks nothing and is measured', async () => {
  const paths = ['chrome', 'view-source', 'javascript'];
  await Promise.all(
    paths.map(async path => {
      const { status, body, text } = await audit<Result>(anywhere, `http://www.example.com/${path}`);
      assert.deepEqual([status, body.final_url], [200, `http://www.example.com/${path}`], path);
      assert.doesNotMatch(text, /root:x:0/);
    }),
  );
  assert.equal(canary.connections.all.length, 0);
});

test('a page that leaves for a blob of its own leaks nothing, whether Lighthouse sees the end of it or not', async () => {
  const { status, body } = await audit<Problem>(hasty, 'http://www.example.com/blob');
  assert.ok(status === 200 || body.code === 'lighthouse_timeout', `${status} ${body.code}`);
  assert.equal(canary.connections.all.length, 0);
});

test('of all this, only the public address was ever dialled', () => {
  assert.deepEqual([...new Set(network.dialled)], [`${publicAddress} 80`]);
  assert.equal(canary.connections.all.length, 0);
});
