/** The overview of all pages with their last measurements, the most recently measured page first. */
import assert from 'node:assert/strict';
import { buildEntry, noonMs } from '../../support/builders/entry.ts';
import type { TestWith } from './steps.ts';

const scores = (performance: number) => ({ performance, accessibility: 90, 'best-practices': 90, seo: 90 });

export function testSites(testWith: TestWith): void {
  testWith('an overview has the last 30 measurements of each page, and counts all of them', async store => {
    for (let at = 0; at < 35; at += 1)
      await store.keep(buildEntry({ url: 'https://a.example/', measuredAtMs: noonMs + at, scores: scores(50 + at) }));
    await store.keep(
      buildEntry({ url: 'https://b.example/Long_Path', measuredAtMs: noonMs + 100, strategy: 'desktop' }),
    );
    const rows = await store.sites({ limit: 10 });
    assert.deepEqual([...new Set(rows.map(({ url }) => url))], ['https://b.example/Long_Path', 'https://a.example/']);
    const [first, ...rest] = rows.filter(({ url }) => url === 'https://a.example/');
    assert.deepEqual([first?.performance, first?.results, rest.length], [84, 35, 29]);
    assert.equal(first?.benchmarkIndex, 1500);
    assert.deepEqual(rows[0]?.strategy, 'desktop');
  });

  testWith('an overview has the last result of each of 30 days, also before the last 30 measurements', async store => {
    const url = 'https://a.example/';
    const dayMs = 86_400_000;
    for (let day = 0; day < 40; day += 1)
      for (const hour of [0, 1])
        await store.keep(buildEntry({ url, measuredAtMs: noonMs + day * dayMs + hour, scores: scores(day + hour) }));
    await store.keep(buildEntry({ kind: 'failure', url, measuredAtMs: noonMs + 12 * dayMs + 2 }));
    const rows = await store.sites({ limit: 10 });
    // Days 25 to 39 are among the last 30 measurements, both of each day; days 10 to 24 have their last result.
    assert.deepEqual(
      rows.slice(28).map(({ performance }) => performance),
      [26, 25, ...Array.from({ length: 15 }, (_, at) => 25 - at)],
    );
  });

  testWith(
    'an overview has failures of a page with a result, no page without one, and neither runs nor comparisons',
    async store => {
      const failure = { kind: 'failure', errorCode: 'page_error', pageStatus: 503 } as const;
      await store.keep(buildEntry({ ...failure, url: 'https://never.example/' }));
      await store.keep(buildEntry({ url: 'https://down.example/' }));
      await store.keep(buildEntry({ ...failure, url: 'https://down.example/', measuredAtMs: noonMs + 1 }));
      await store.keep(buildEntry({ kind: 'run', url: 'https://run.example/' }));
      await store.keep(buildEntry({ kind: 'comparison', source: 'compare', url: 'https://both.example/' }));
      const rows = await store.sites({ limit: 10 });
      assert.deepEqual(
        rows.map(({ url, kind, errorCode, pageStatus }) => [url, kind, errorCode, pageStatus]),
        [
          ['https://down.example/', 'failure', 'page_error', 503],
          ['https://down.example/', 'result', null, null],
        ],
      );
    },
  );

  testWith('an overview is searched by any part of a URL, taken literally', async store => {
    for (const path of ['50%25_off', '50xyoff', 'Berth'])
      await store.keep(buildEntry({ url: `https://shop.example/${path}` }));
    const found = async (search: string) =>
      (await store.sites({ search, limit: 10 })).map(({ url }) => url.replace('https://shop.example/', ''));
    assert.deepEqual(await found('%25_O'), ['50%25_off']);
    assert.deepEqual(await found('bERTH'), ['Berth']);
    await store.keep(buildEntry({ url: 'https://shop.example/labelled', label: 'Build-42' }));
    await store.keep(buildEntry({ url: 'https://shop.example/labelled', label: null }));
    assert.deepEqual([...new Set(await found('build-4'))], ['labelled']);
    await store.keep(buildEntry({ url: 'https://shop.example/overview', label: 'Übersicht-ÄB' }));
    assert.deepEqual([await found('Übersicht'), await found('üBERSICHT-äB')], [['overview'], []]);
    assert.deepEqual(await found('ÜBERSICHT-Äb'), ['overview']);
    assert.deepEqual(await found('nowhere'), []);
    assert.equal(new Set(await found('shop.example')).size, 5);
    assert.equal(new Set((await store.sites({ limit: 2 })).map(({ url }) => url)).size, 2);
  });
}
