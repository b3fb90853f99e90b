import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxRequests, numberRequests, toRequests } from '../../../presentation/full-result/requests.ts';
import { toHtml } from '../../report/template-html.ts';
import { requestsView } from './requests-view.ts';

test('a table of requests is capped, its totals are not, and links lead to its rows only', () => {
  const items = Array.from({ length: 2500 }, (_, at) => ({
    url: `https://example.com/${at}`,
    networkRequestTime: at,
    transferSize: 100,
  }));
  const whole = { audits: { 'network-requests': { details: { items } } } };
  const html = toHtml(requestsView(whole, '', undefined));
  assert.equal(html.match(/class="request-row"/g)?.length, maxRequests);
  assert.match(html, /2,?500 requests, 250.kB/);
  assert.match(html, /The first 1000 are shown/);
  assert.equal(toRequests(whole).length, 2500);
  assert.equal(numberRequests(whole).size, maxRequests);
});
