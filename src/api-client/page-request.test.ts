import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { categoryNames } from '../contract/names.ts';
import { backends, fromAddress, readRequest, strategyChoices, toAddress } from './page-request.ts';
import { readUrls } from './read-urls.ts';

const at = (address: string) => {
  const { search, hash } = new URL(address, 'http://localhost/');
  return { search, hash };
};

test('a URL describes the request', () => {
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

test('all categories are the default and omitted', () => {
  const request = { urls: ['https://a.b/'], backend: 'remote', strategy: 'mobile', categories: categoryNames } as const;
  assert.equal(toAddress(request), '?url=https%3A%2F%2Fa.b%2F&backend=remote&strategy=mobile');
});

test('rare options are in the URL only if they are set', () => {
  const usual = { urls: ['https://a.b/'], backend: 'local', strategy: 'mobile', categories: categoryNames } as const;
  const changed = { ...usual, label: 'build 42 & more', runs: 'auto', profile: 'psi', exclusive: 'true' } as const;
  assert.equal(
    toAddress(changed),
    '?url=https%3A%2F%2Fa.b%2F&backend=local&strategy=mobile&label=build+42+%26+more&runs=auto&profile=psi&exclusive=true',
  );
  assert.deepEqual(fromAddress(at(toAddress(changed)), 'local'), changed);
  const odd = new URLSearchParams({ url: 'a.b', label: '  ', runs: '7', profile: 'mine', exclusive: 'yes' });
  assert.deepEqual(readRequest(odd, 'local'), { ...usual, urls: ['https://a.b'] });
  assert.deepEqual(readRequest(new URLSearchParams({ url: 'a.b', runs: '1', profile: 'lighthouse' }), 'local'), {
    ...usual,
    urls: ['https://a.b'],
  });
});

test('parsing the URL of a request returns the request', () => {
  const request = fc.record(
    {
      urls: fc.uniqueArray(
        // What the page asks for has been read before: a comma at an end is gone by then.
        fc.webUrl({ withQueryParameters: true, withFragments: true }).filter(url => readUrls(url)[0] === url),
        { minLength: 1, maxLength: 100 },
      ),
      backend: fc.constantFrom(...backends),
      strategy: fc.constantFrom(...strategyChoices),
      categories: fc.subarray([...categoryNames], { minLength: 1 }),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(request, asked => assert.deepEqual(fromAddress(at(toAddress(asked)), 'local'), asked)));
});

test('a list too long for a request line is in the fragment, which no server sees', () => {
  const urls = Array.from({ length: 100 }, (_, index) => `https://example.com/${'long'.repeat(50)}/${index}`);
  const request = { urls, backend: 'remote', strategy: 'mobile', categories: categoryNames } as const;
  assert.equal(toAddress(request)[0], '#');
  assert.deepEqual(fromAddress(at(toAddress(request)), 'local'), request);
});

test('missing or invalid parts of a URL get their defaults', () => {
  assert.deepEqual(fromAddress(at('/?url=example.com&backend=else&strategy=tablet&categories=pwa'), 'local'), {
    urls: ['https://example.com'],
    backend: 'local',
    strategy: 'mobile',
    categories: categoryNames,
  });
});

test('the form as a browser without scripts submits it is understood', () => {
  const sent = new URLSearchParams(
    'url=a.example%0D%0Ab.example&backend=local&strategy=desktop&categories=seo&categories=performance',
  );
  assert.deepEqual(readRequest(sent, 'remote'), {
    urls: ['https://a.example', 'https://b.example'],
    backend: 'local',
    strategy: 'desktop',
    categories: ['performance', 'seo'],
  });
});

test('a shared link keeps its backend, whatever the local default', () => {
  for (const usual of ['remote', 'local'] as const)
    assert.equal(fromAddress(at('/?url=example.com&backend=remote'), usual)?.backend, 'remote');
  assert.equal(fromAddress(at('/?url=example.com'), 'remote')?.backend, 'remote');
});

test('a URL without a page requests nothing', () => {
  for (const address of ['/', '/?url=', '/?strategy=mobile', '/#outcome'])
    assert.equal(fromAddress(at(address), 'local'), undefined, address);
});
