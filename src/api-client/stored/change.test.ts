import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeptFacts } from '../../../test/support/builders/history.ts';
import { buildResultsComparison } from '../../../test/support/builders/results-comparison.ts';
import { buildLocalResult, buildProblem } from '../../../test/web/reports.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import { type ChangeRequest, changeIn, findChange, toChangeAddress, toMeasured } from './change.ts';

const { signal } = new AbortController();

/** Answers by path; what was asked is in `asked`. */
function serve(answers: Readonly<Record<string, unknown>>) {
  const asked: URL[] = [];
  const answer = async (path: string) => {
    const url = new URL(path, 'http://service');
    asked.push(url);
    const body = answers[url.pathname] ?? buildProblem({ code: 'result_not_found', status: 404 });
    return Response.json(body, { status: url.pathname in answers ? 200 : 404 });
  };
  return { asked, options: { signal, fetch: answer as typeof fetch } };
}

const id = buildKeptFacts(5).id;
const known = { ...buildLocalResult({ url: 'https://harbour.example/' }), id };
const list = (...results: KeptFacts[]) => ({ results, next: null });
const wanted = { before: '', after: id };

test('a URL describes the comparison, and parsing returns it', () => {
  const all: ChangeRequest[] = [
    { before: 'build-41', after: 'build 42 & more' },
    { before: '', after: id },
    { before: 'a', after: 'b', url: 'https://harbour.example/?x=1', strategy: 'desktop', source: 'psi' },
  ];
  for (const asked of all) assert.deepEqual(changeIn({ search: toChangeAddress(asked) }), asked);
  assert.deepEqual(changeIn({ search: '?after=x&strategy=phone&source=me&page=' }), { before: '', after: 'x' });
  for (const search of ['', '?url=https://a.test', '?history=https://a.test'])
    assert.equal(changeIn({ search }), undefined);
});

test('measuring again uses the page with its backend and device, if known', () => {
  const { urls, backend, strategy } = toMeasured({ url: 'https://a.test/', source: 'psi', strategy: 'desktop' });
  assert.deepEqual([urls, backend, strategy], [['https://a.test/'], 'remote', 'desktop']);
  assert.deepEqual(toMeasured({}).urls, []);
});

test('two sides are requested unchanged', async () => {
  const { asked, options } = serve({ '/compare-results': buildResultsComparison() });
  const both = { before: 'a', after: 'b', url: 'https://harbour.example/', strategy: 'mobile' } as const;
  const outcome = await findChange(both, options);
  assert.equal(outcome.kind, 'found');
  assert.equal(asked[0]?.search, '?before=a&after=b&url=https%3A%2F%2Fharbour.example%2F&strategy=mobile');
});

test('a single result is compared with the previous one of the same settings', async () => {
  const own = buildKeptFacts(5);
  const [other, alike] = [buildKeptFacts(4, { profile: 'psi' }), buildKeptFacts(3)];
  for (const [results, before] of [
    [[own, other, alike], alike.id],
    [[own, other], other.id],
    [[{ ...own, group: alike.id }, alike, other], other.id],
  ] as const) {
    const { asked, options } = serve({
      [`/results/${id}`]: known,
      '/results': list(...results),
      '/compare-results': buildResultsComparison(),
    });
    const outcome = await findChange(wanted, options);
    assert.equal(outcome.kind === 'found' && outcome.asked.before, before);
    const query = Object.fromEntries(asked[1]?.searchParams ?? []);
    assert.deepEqual(
      [query.url, query.source, query.strategy, query.kind],
      [...['https://harbour.example/', 'lighthouse', 'mobile', 'result']],
    );
    assert.equal(Date.parse(query.until ?? ''), Date.parse(known.fetched_at) + 1, 'the list has the result itself');
  }
});

for (const [what, asked, answers, missing] of [
  ['nothing', { before: '', after: '' }, {}, 'both'],
  ['only the side before', { before: 'a', after: '' }, {}, 'after'],
  ['only a label after', { before: '', after: 'build-42' }, {}, 'before'],
  ['a first result', wanted, { [`/results/${id}`]: known, '/results': list(buildKeptFacts(5)) }, 'previous'],
] as const)
  test(`${what}: the missing part is named`, async () => {
    assert.deepEqual(await findChange(asked, serve(answers).options), { kind: 'missing', missing });
  });

test('each failure has its message: no such result, no such comparison, an invalid answer', async () => {
  const failed = async (asked: ChangeRequest, answers: Readonly<Record<string, unknown>>) => {
    const outcome = await findChange(asked, serve(answers).options);
    return outcome.kind === 'failed' && outcome.failure.kind;
  };
  assert.equal(await failed(wanted, {}), 'problem');
  assert.equal(await failed(wanted, { [`/results/${id}`]: { psi: 1 } }), 'unreadable');
  assert.equal(await failed(wanted, { [`/results/${id}`]: known }), 'problem');
  assert.equal(await failed({ before: 'a', after: 'b' }, {}), 'problem');
  assert.equal(await failed({ before: 'a', after: 'b' }, { '/compare-results': [] }), 'unreadable');
});
