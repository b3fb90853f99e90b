import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCrossSite } from './cross-site.ts';

const host = 'lab.example.com:8000';
const judge = (method: string, headers: Record<string, string>, costs = true) =>
  isCrossSite({ method, headers, host, costs });

test('a program, which says nothing of a site, may do everything', () => {
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) assert.equal(judge(method, {}), false, method);
});

test('what changes something is judged by Sec-Fetch-Site before Origin', () => {
  const own = { origin: 'http://lab.example.com:8000' };
  const other = { origin: 'https://evil.example' };
  for (const site of ['same-origin', 'none'])
    assert.equal(judge('POST', { 'sec-fetch-site': site, ...other }), false, site);
  for (const site of ['cross-site', 'same-site', 'something new', ''])
    for (const mode of ['navigate', 'no-cors', 'cors'])
      assert.equal(judge('POST', { 'sec-fetch-site': site, 'sec-fetch-mode': mode, ...own }), true, `${site} ${mode}`);
});

test('a browser without Sec-Fetch-Site is judged by its Origin against the host', () => {
  for (const origin of ['http://lab.example.com:8000', 'https://lab.example.com:8000', 'http://LAB.example.com:8000'])
    assert.equal(judge('POST', { origin }), false, origin);
  for (const origin of ['null', '', 'http://lab.example.com', 'http://lab.example.com:8001', 'http://example.com:8000'])
    assert.equal(judge('POST', { origin }), true, origin);
  const behindProxy = { method: 'POST', costs: true, host: 'lab.example.com' };
  for (const origin of ['https://lab.example.com', 'https://lab.example.com:443', 'http://lab.example.com:80'])
    assert.equal(isCrossSite({ ...behindProxy, headers: { origin } }), false, origin);
});

test('a GET that costs may come from another site only as a visit', () => {
  for (const site of ['cross-site', 'same-site']) {
    const from = (mode: string, dest?: string) =>
      judge('GET', {
        'sec-fetch-site': site,
        'sec-fetch-mode': mode,
        ...(dest === undefined ? {} : { 'sec-fetch-dest': dest }),
      });
    assert.deepEqual([from('navigate', 'document'), from('navigate')], [false, false]);
    for (const [mode, dest] of [
      ['no-cors', 'image'],
      ['no-cors', 'script'],
      ['cors', 'empty'],
      ['navigate', 'iframe'],
      ['navigate', 'object'],
      ['', ''],
    ] as const)
      assert.equal(from(mode, dest), true, `${mode} ${dest}`);
  }
  assert.equal(judge('GET', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }), false);
  assert.equal(judge('GET', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'no-cors' }), false);
});

test('a GET that costs nothing may come from anywhere', () => {
  assert.equal(judge('GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, false), false);
});
