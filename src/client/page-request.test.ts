import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as report from '../report/report.ts';
import { backends, categoryNames, fromAddress, readRequest, strategyChoices, toAddress } from './page-request.ts';

const at = (address: string) => {
  const { search, hash } = new URL(address, 'http://localhost/');
  return { search, hash };
};

test('the categories are those of the service, in its order', () => {
  assert.deepEqual(categoryNames, report.categoryNames);
});

test('an address says what was asked', () => {
  const request = {
    urls: ['https://example.com/'],
    backend: 'compare',
    strategy: 'both',
    categories: ['performance', 'seo'],
  } as const;
  assert.equal(
    toAddress(request),
    '?url=https%3A%2F%2Fexample.com%2F&backend=compare&strategy=both&categories=performance,seo',
  );
});

test('all categories need no mention', () => {
  const request = { urls: ['https://a.b/'], backend: 'remote', strategy: 'mobile', categories: categoryNames } as const;
  assert.equal(toAddress(request), '?url=https%3A%2F%2Fa.b%2F&backend=remote&strategy=mobile');
});

test('what goes into the address comes out of it', () => {
  const request = fc.record(
    {
      urls: fc.uniqueArray(fc.webUrl({ withQueryParameters: true, withFragments: true }), {
        minLength: 1,
        maxLength: 100,
      }),
      backend: fc.constantFrom(...backends),
      strategy: fc.constantFrom(...strategyChoices),
      categories: fc.subarray([...categoryNames], { minLength: 1 }),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(request, asked => assert.deepEqual(fromAddress(at(toAddress(asked))), asked)));
});

test('a list too long for a request line goes into the fragment, which no server sees', () => {
  const urls = Array.from({ length: 100 }, (_, index) => `https://example.com/${'long'.repeat(50)}/${index}`);
  const request = { urls, backend: 'remote', strategy: 'mobile', categories: categoryNames } as const;
  assert.equal(toAddress(request)[0], '#');
  assert.deepEqual(fromAddress(at(toAddress(request))), request);
});

test('what an address does not say, or says wrongly, has its default', () => {
  assert.deepEqual(fromAddress(at('/?url=example.com&backend=else&strategy=tablet&categories=pwa')), {
    urls: ['https://example.com'],
    backend: 'remote',
    strategy: 'mobile',
    categories: categoryNames,
  });
});

test('the form as a browser without our script sends it is understood', () => {
  const sent = new URLSearchParams(
    'url=a.example%0D%0Ab.example&backend=local&strategy=desktop&categories=seo&categories=performance',
  );
  assert.deepEqual(readRequest(sent), {
    urls: ['https://a.example', 'https://b.example'],
    backend: 'local',
    strategy: 'desktop',
    categories: ['performance', 'seo'],
  });
});

test('an address without a page asks for nothing', () => {
  for (const address of ['/', '/?url=', '/?strategy=mobile', '/#outcome'])
    assert.equal(fromAddress(at(address)), undefined, address);
});
