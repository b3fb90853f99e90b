import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRequests } from './requests.ts';

const base = 'https://harbour.example/';
const lcpOf = (snippet: string, phases: readonly object[] = []) => {
  const rows = ['', 'small.webp', 'large.webp', 'sea.jpg'].map((path, at) => ({
    url: `${base}${path}`,
    resourceType: path === '' ? 'Document' : 'Image',
    networkRequestTime: at * 100,
    networkEndTime: at * 100 + 50,
  }));
  const whole = {
    audits: {
      'network-requests': { details: { type: 'table', items: rows } },
      'lcp-breakdown-insight': {
        details: {
          type: 'list',
          items: [
            { type: 'table', items: phases },
            { type: 'node', snippet },
          ],
        },
      },
    },
  };
  return toRequests(whole)
    .filter(({ isLcp }) => isLcp)
    .map(({ name }) => name);
};

test('the request of the largest paint is found by src, srcset and an inline background', () => {
  assert.deepEqual(lcpOf('<img src="/small.webp">'), ['small.webp']);
  assert.deepEqual(lcpOf('<img src="none.webp" srcset="tiny.webp 300w, large.webp 900w">'), ['large.webp']);
  assert.deepEqual(lcpOf('<div style="background-image: url(&quot;sea.jpg&quot;)">'), ['sea.jpg']);
  assert.deepEqual(lcpOf('<h1>Tides</h1>'), []);
});

test("a stylesheet's background is the picture that loaded according to the phases", () => {
  const phases = [
    { subpart: 'timeToFirstByte', duration: 20 },
    { subpart: 'resourceLoadDelay', duration: 281 },
    { subpart: 'resourceLoadDuration', duration: 49 },
    { subpart: 'elementRenderDelay', duration: 10 },
  ];
  assert.deepEqual(lcpOf('<div class="hero">', phases), ['sea.jpg']);
  assert.deepEqual(lcpOf('<h1>Tides</h1>', [phases[0] ?? {}, phases[3] ?? {}]), []);
});
