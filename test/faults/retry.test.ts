/** Contract section 4: a page that crashes its tab is retried once, in a new browser, and then fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';
import { startFaultSite } from './fault-site.ts';

test('a page that crashes is requested twice, one with another failure once', async t => {
  const site = await startFaultSite(t);
  const service = await startService(t);
  for (const [name, code, times] of [
    ['crash', 'page_crashed', 2],
    ['reset-in-body', 'page_unreachable', 1],
  ] as const) {
    const target = withQuery('/lighthouse', { url: `${site.urlOf(name)}?once`, categories: 'seo' });
    const { body } = await ask<Problem>(service, target);
    assert.equal(body.code, code);
    assert.equal(site.requests.all.filter(request => request === `/${name}?once`).length, times, name);
  }
});
