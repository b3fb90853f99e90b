import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../contract/errors.ts';
import { analyseBatch, type BatchItem } from './analyse-batch.ts';
import type { AnalyseRemote, RemoteAnalysis, RemoteRequest } from './analyse-remote.ts';
import type { UrlRequest } from './analyse-strategies.ts';

const page = (name: string) => `https://example.com/${name}`;
const analysisOf = ({ url, strategy }: RemoteRequest): RemoteAnalysis => ({
  json: Buffer.from(`${strategy} ${url}`),
  cache: { status: 'miss', age: 0, expires_at: '2026-11-20T13:00:00.000Z' },
  ttlSeconds: 3600,
});
const request = (strategy: UrlRequest['strategy'] = 'mobile'): Omit<UrlRequest, 'url'> => ({
  strategy,
  label: null,
  categories: ['performance'],
});
const options = (signal = new AbortController().signal) => ({ detailed: false, fresh: false, signal });

/** Answers every request, and records the requests. */
function createRemote(answer: AnalyseRemote = async asked => analysisOf(asked)) {
  const asked: RemoteRequest[] = [];
  const given: Parameters<AnalyseRemote>[1][] = [];
  const analyse: AnalyseRemote = (wanted, with_) => {
    asked.push(wanted);
    given.push(with_);
    return answer(wanted, with_);
  };
  return { analyse, asked, given };
}

/** Returns the outcome at every position of a batch in the order of the request. All pages run in parallel. */
async function analyseAll(
  analyse: AnalyseRemote,
  urls: readonly string[],
  wanted: Omit<UrlRequest, 'url'>,
  given: ReturnType<typeof options>,
): Promise<BatchItem[]> {
  const items: BatchItem[] = [];
  const batch = analyseBatch(analyse, urls, wanted, { ...given, order: 'asked', runningAtOnce: 8, pagesAtOnce: 8 });
  let last = -1;
  for await (const { indexes, item } of batch) {
    assert.ok(indexes[0] > last, 'each at its first position');
    last = indexes[0];
    for (const index of indexes) {
      assert.ok(!(index in items), 'each position once');
      items[index] = item;
    }
  }
  assert.equal(Object.keys(items).length, urls.length, 'every position');
  return items;
}

/** Returns the outcome of an entry in a word or two. */
const show = (item: BatchItem): string => {
  if ('fault' in item) return `fault: ${item.fault.kind}`;
  const outcomes = 'outcome' in item ? [item.outcome] : [item.mobile, item.desktop];
  return outcomes.map(outcome => (outcome.ok ? outcome.value.json.toString() : outcome.error.code)).join(', ');
};

test('an empty batch requests nothing', async () => {
  const { analyse, asked } = createRemote();
  assert.deepEqual(await analyseAll(analyse, [], request(), options()), []);
  assert.deepEqual(asked, []);
});

test('every entry is requested with the given settings', async () => {
  const { analyse, asked, given } = createRemote();
  const wanted = { detailed: true, fresh: true, signal: new AbortController().signal };
  await analyseAll(
    analyse,
    [page('a')],
    { strategy: 'desktop', categories: ['seo', 'performance'], label: 'a' },
    wanted,
  );
  assert.deepEqual(asked, [{ url: page('a'), strategy: 'desktop', categories: ['seo', 'performance'], label: 'a' }]);
  assert.deepEqual(given, [wanted]);
});

test('entries keep the requested order, whichever finishes first', async () => {
  const ends = new Map<string, () => void>();
  const allBegun = Promise.withResolvers<void>();
  const { analyse } = createRemote(async asked => {
    const end = Promise.withResolvers<void>();
    ends.set(asked.url, end.resolve);
    if (ends.size === 3) allBegun.resolve();
    await end.promise;
    return analysisOf(asked);
  });
  const urls = [page('a'), page('b'), page('c')];
  const batch = analyseAll(analyse, urls, request(), options());
  await allBegun.promise;
  for (const url of urls.toReversed()) ends.get(url)?.();
  assert.deepEqual(
    (await batch).map(show),
    urls.map(url => `mobile ${url}`),
  );
});

test('both strategies of every entry are analysed', async () => {
  const { analyse, asked } = createRemote();
  const items = await analyseAll(analyse, [page('a'), page('b')], request('both'), options());
  assert.deepEqual(items.map(show), [
    `mobile ${page('a')}, desktop ${page('a')}`,
    `mobile ${page('b')}, desktop ${page('b')}`,
  ]);
  assert.equal(asked.length, 4);
});

test('a URL given twice, in whatever spelling, is analysed once and answered twice', async () => {
  const { analyse, asked } = createRemote();
  const urls = [page('a'), 'HTTPS://EXAMPLE.com:443/a', page('b'), ` ${page('a')} `, page('a#part')];
  const items = await analyseAll(analyse, urls, request(), options());
  assert.deepEqual(
    asked.map(({ url }) => url),
    [page('a'), page('b'), page('a#part')],
  );
  assert.equal(items[0], items[1]);
  assert.equal(items[0], items[3]);
  assert.deepEqual(
    items.map(item => item.url),
    [page('a'), page('a'), page('b'), page('a'), page('a#part')],
  );
});

test('a repeated URL that fails is one failure, answered twice', async () => {
  const { analyse, asked } = createRemote(() => Promise.reject(new AnalysisError('page_blank', 'Nothing.')));
  const items = await analyseAll(analyse, [page('a'), page('a')], request(), options());
  assert.deepEqual([items.map(show), asked.length], [['page_blank', 'page_blank'], 1]);
});

test('an invalid URL is an entry with the original text, and is not requested', async () => {
  const { analyse, asked } = createRemote();
  const inputs = ['nonsense', page('a'), 'ftp://example.com/', '', 'nonsense'];
  const items = await analyseAll(analyse, inputs, request('both'), options());
  assert.deepEqual(items.map(show), [
    'fault: parsing',
    `mobile ${page('a')}, desktop ${page('a')}`,
    'fault: scheme',
    'fault: parsing',
    'fault: parsing',
  ]);
  assert.deepEqual(
    items.map(item => item.url),
    inputs,
  );
  assert.equal(asked.length, 2);
});

test('a failing entry does not affect the others', async () => {
  const { analyse } = createRemote(async asked => {
    if (asked.url === page('b')) throw new AnalysisError('page_unreachable', 'No.');
    if (asked.url === page('c')) throw new TypeError('an unforeseen error');
    return analysisOf(asked);
  });
  const items = await analyseAll(analyse, ['a', 'b', 'c', 'd'].map(page), request(), options());
  assert.deepEqual(items.map(show), [`mobile ${page('a')}`, 'page_unreachable', 'internal', `mobile ${page('d')}`]);
});

test('one half of an entry can fail on its own', async () => {
  const { analyse } = createRemote(async asked => {
    if (asked.strategy === 'desktop') throw new AnalysisError('page_hung', 'Hung.');
    return analysisOf(asked);
  });
  const items = await analyseAll(analyse, [page('a')], request('both'), options());
  assert.deepEqual(items.map(show), [`mobile ${page('a')}, page_hung`]);
});

test('all entries can fail', async () => {
  const { analyse } = createRemote(() => Promise.reject(new AnalysisError('psi_quota_exceeded', 'No more.')));
  const items = await analyseAll(analyse, [page('a'), page('b')], request('both'), options());
  assert.deepEqual(items.map(show), Array(2).fill('psi_quota_exceeded, psi_quota_exceeded'));
});

test('a client that disconnects gets the abort reason, even if some entries are done or failed', async () => {
  const disconnect = new AbortController();
  const reason = new Error('gone');
  const { analyse } = createRemote(async (asked, { signal }) => {
    if (asked.url === page('done')) return analysisOf(asked);
    if (asked.url === page('failed')) throw new AnalysisError('page_blank', 'Nothing.');
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  });
  const urls = ['done', 'failed', 'running', 'too'].map(page);
  const batch = analyseAll(analyse, urls, request('both'), options(disconnect.signal));
  await new Promise(setImmediate);
  disconnect.abort(reason);
  await assert.rejects(batch, reason);
});

test('batches do not share analyses', async () => {
  const { analyse, asked } = createRemote();
  await analyseAll(analyse, [page('a')], request(), options());
  await analyseAll(analyse, [page('a')], request(), options());
  assert.equal(asked.length, 2);
});

/** Analyses that the test ends one by one. */
function createHeldRemote() {
  const ends = new Map<string, () => void>();
  const remote = createRemote(async asked => {
    await new Promise<void>(resolve => ends.set(asked.url, resolve));
    return analysisOf(asked);
  });
  return {
    ...remote,
    end: (name: string) => ends.get(page(name))?.(),
    begun: () => remote.asked.map(({ url }) => url.slice(page('').length)).join(''),
  };
}

const namesOf = (names: string) => [...names].map(page);
const take = async (batch: ReturnType<typeof analyseBatch>) => {
  const { value, done } = await batch.next();
  return done ? 'the end' : `${value.indexes} ${value.item.url.slice(page('').length)}`;
};

test('entries can be delivered as they finish, each with its position', async () => {
  const { analyse, end } = createHeldRemote();
  const batch = analyseBatch(analyse, namesOf('abc'), request(), {
    ...options(),
    order: 'ended',
    runningAtOnce: 3,
    pagesAtOnce: 3,
  });
  const first = take(batch);
  end('c');
  assert.equal(await first, '2 c');
  const second = take(batch);
  end('a');
  assert.equal(await second, '0 a');
  end('b');
  assert.deepEqual([await take(batch), await take(batch)], ['1 b', 'the end']);
});

for (const order of ['asked', 'ended'] as const)
  test(`a repeated URL is delivered once with both positions, in the order ${order}`, async () => {
    const { analyse, end, begun } = createHeldRemote();
    const batch = analyseBatch(analyse, namesOf('aba'), request(), {
      ...options(),
      order,
      runningAtOnce: 3,
      pagesAtOnce: 3,
    });
    const first = take(batch);
    end('a');
    end('b');
    assert.deepEqual([await first, await take(batch), await take(batch), begun()], ['0,2 a', '1 b', 'the end', 'ab']);
  });

for (const order of ['asked', 'ended'] as const)
  test(`the number of pages in flight or unconsumed is limited, in the order ${order}`, async () => {
    const { analyse, end, begun } = createHeldRemote();
    const batch = analyseBatch(analyse, namesOf('abcdefgh'), request(), {
      ...options(),
      order,
      runningAtOnce: 3,
      pagesAtOnce: 3,
    });
    assert.equal(begun(), '', 'no reader yet');
    const first = take(batch);
    assert.equal(begun(), 'abc');
    for (const name of 'abc') end(name);
    assert.equal(await first, '0 a');
    await new Promise(setImmediate);
    assert.equal(begun(), 'abc', 'the first is taken when the next is asked for');
    assert.equal(await take(batch), '1 b');
    assert.equal(begun(), 'abcd');
  });

for (const order of ['asked', 'ended'] as const)
  test(`running pages and unconsumed results share one limit, in the order ${order}: a finished page lets the next one run`, async () => {
    const { analyse, end, begun } = createHeldRemote();
    const given = { ...options(), order, runningAtOnce: 2, pagesAtOnce: 4 };
    const batch = analyseBatch(analyse, namesOf('abcdef'), request(), given);
    const first = take(batch);
    assert.equal(begun(), 'ab');
    end('b');
    await new Promise(setImmediate);
    assert.equal(begun(), 'abc');
    end('a');
    end('c');
    assert.equal(await first, order === 'asked' ? '0 a' : '1 b');
    await new Promise(setImmediate);
    assert.equal(begun(), 'abcd', 'four are done or run, and none is taken before the next is asked for');
  });

test('a client that disconnects halfway ends the batch, whatever is running', async () => {
  for (const order of ['asked', 'ended'] as const) {
    const disconnect = new AbortController();
    const reason = new Error('gone');
    const { analyse, asked } = createRemote(
      (_asked, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    );
    const given = { ...options(disconnect.signal), order, runningAtOnce: 2, pagesAtOnce: 2 };
    const next = take(analyseBatch(analyse, namesOf('abcd'), request(), given));
    disconnect.abort(reason);
    await assert.rejects(next, reason);
    assert.equal(asked.length, 2);
  }
});
