import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCrossSite } from './guard.ts';

const host = 'lab.example.com:8000';
const judge = (method: string, headers: Record<string, string>, costs = true) =>
  isCrossSite({ method, headers, host, costs, measures: costs, isKeyless: true });

test('a program, which sends no Sec-Fetch headers, may do everything', () => {
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) assert.equal(judge(method, {}), false, method);
});

test('for a change, Sec-Fetch-Site takes precedence over Origin', () => {
  const own = { origin: 'http://lab.example.com:8000' };
  const other = { origin: 'https://evil.example' };
  for (const site of ['same-origin', 'none'])
    assert.equal(judge('POST', { 'sec-fetch-site': site, ...other }), false, site);
  for (const site of ['cross-site', 'same-site', 'something new', ''])
    for (const mode of ['navigate', 'no-cors', 'cors'])
      assert.equal(judge('POST', { 'sec-fetch-site': site, 'sec-fetch-mode': mode, ...own }), true, `${site} ${mode}`);
});

test("without Sec-Fetch-Site, a browser's Origin is compared with the host", () => {
  for (const origin of ['http://lab.example.com:8000', 'https://lab.example.com:8000', 'http://LAB.example.com:8000'])
    assert.equal(judge('POST', { origin }), false, origin);
  for (const origin of ['null', '', 'http://lab.example.com', 'http://lab.example.com:8001', 'http://example.com:8000'])
    assert.equal(judge('POST', { origin }), true, origin);
  const behindProxy = { method: 'POST', costs: true, measures: true, isKeyless: true, host: 'lab.example.com' };
  for (const origin of ['https://lab.example.com', 'https://lab.example.com:443', 'http://lab.example.com:80'])
    assert.equal(isCrossSite({ ...behindProxy, headers: { origin } }), false, origin);
});

test('an expensive GET is allowed from another site only as a navigation', () => {
  for (const site of ['cross-site', 'same-site']) {
    const from = (mode: string, dest?: string, user: Record<string, string> = { 'sec-fetch-user': '?1' }) =>
      judge('GET', {
        ...user,
        'sec-fetch-site': site,
        'sec-fetch-mode': mode,
        ...(dest === undefined ? {} : { 'sec-fetch-dest': dest }),
      });
    assert.deepEqual([from('navigate', 'document'), from('navigate')], [false, false]);
    assert.equal(from('navigate', 'document', {}), true, 'a script that leads somebody there');
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

test('a cheap GET is allowed from any site', () => {
  assert.equal(judge('GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, false), false);
});

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/146.0.0.0', 'accept-language': 'en' };
const own = { referer: 'http://lab.example.com:8000/?url=x' };
const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const picture = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

test('without Sec-Fetch-Site, a foreign Referer or Origin, or an embedded request, is cross-site', () => {
  for (const headers of [
    { referer: 'http://evil.example/' },
    { referer: 'http://evil.example/', ...browser, accept: page },
    { origin: 'null' },
    { origin: 'http://evil.example', referer: own.referer },
    { referer: '' },
    { accept: picture },
    { accept: 'text/css,*/*;q=0.1' },
    { ...browser, accept: '*/*' },
    { ...browser, accept: 'text/event-stream' },
    { ...browser },
    { ...browser, accept: page, purpose: 'prefetch' },
    { ...browser, accept: page },
  ])
    assert.equal(judge('GET', headers), true, JSON.stringify(headers));
});

test('without Sec-Fetch-Site, own pages, typed URLs and programs are allowed', () => {
  for (const headers of [
    { ...browser, ...own, accept: '*/*' },
    { ...browser, ...own, accept: picture },
    { ...browser, accept: page, 'upgrade-insecure-requests': '1' },
    { 'user-agent': 'curl/8.5.0', accept: '*/*' },
    { 'user-agent': 'node', 'accept-language': '*', 'sec-fetch-mode': 'cors', accept: '*/*' },
    { 'user-agent': 'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1' },
  ])
    assert.equal(judge('GET', headers), false, JSON.stringify(headers));
  assert.equal(judge('GET', { ...browser, accept: picture }, false), false, 'what starts nothing');
});

test('with keys, nothing else is checked, because no page can send a key that it does not have', () => {
  for (const headers of [{ ...browser, accept: '*/*' }, { referer: 'http://evil.example/' }])
    assert.equal(
      isCrossSite({ method: 'GET', headers, host, costs: true, measures: true, isKeyless: false }),
      false,
      JSON.stringify(headers),
    );
});
