import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idsIn, idsOf, toReportLinks, withIds } from './kept-result.ts';

const [one, two] = ['01a201e3-ac0c-7234-9a1b-bd2e414329fe', '01a201e3-ac0c-74dd-8c62-5c884f635c73'];

test('the ids of an answer are those of all its parts, or none', () => {
  assert.deepEqual(idsOf([{ id: one }]), [one]);
  assert.deepEqual(idsOf([{ id: one, psi: {}, lighthouse: {} }, { id: two }]), [one, two]);
  assert.deepEqual(idsOf([{ url: 'x', strategy: 'both', mobile: { id: one }, desktop: { id: two } }]), [one, two]);
  assert.deepEqual(idsOf([{ mobile: { id: one }, desktop: { error: {} } }]), []);
  for (const body of [{}, null, 'x', { id: 1 }]) assert.deepEqual(idsOf([{ id: one }, body]), []);
});

test('an address holds the ids, and gives them back', () => {
  assert.equal(withIds('?url=https://a.example/', []), '?url=https://a.example/');
  const address = withIds('?url=https://a.example/', [one, two]);
  assert.deepEqual(idsIn({ search: address, hash: '' }), [one, two]);
  assert.deepEqual(idsIn({ search: '', hash: `#url=x&result=${two}` }), [two]);
  for (const search of ['', '?url=x', '?result=', '?result=..%2f..%2fhealth', '?result=a/b'])
    assert.deepEqual(idsIn({ search, hash: '' }), [], search);
  assert.equal(idsIn({ search: `?result=${Array(9).fill(one).join(',')}`, hash: '' }).length, 4);
});

test('each report is named after its device where there are several', () => {
  const part = { ok: false, url: 'x', failure: { kind: 'cut' } } as const;
  const column = (strategy: 'mobile' | 'desktop') => ({ source: 'psi', strategy, part }) as const;
  const single = { kind: 'results', columns: [column('desktop')] } as const;
  assert.deepEqual(toReportLinks([one], single), [{ address: `results/${one}/report`, words: 'HTML report' }]);
  const both = { kind: 'results', columns: [column('mobile'), column('desktop')] } as const;
  assert.deepEqual(
    toReportLinks([one, two], both).map(({ words }) => words),
    ['HTML report, mobile', 'HTML report, desktop'],
  );
  assert.deepEqual(toReportLinks([], both), []);
});
