import assert from 'node:assert/strict';
import type { CustomMetricName } from '../../../src/contract/names.ts';
import { InvalidCursorError } from '../../../src/storage/results/fault.ts';
import { unpackSeries } from '../../../src/storage/results/packed-series.ts';
import { createResultId } from '../../../src/storage/results/result-id.ts';
import type { ListQuery, NewEntry } from '../../../src/storage/results/store.ts';
import { buildEntry, buildFailure, noonMs } from '../../support/builders/entry.ts';
import { dayMs, idsOf, keepSeries, listAll, minuteMs, type TestWith } from './steps.ts';

/** Lists, labels and series. */
export function testFinding(testWith: TestWith): void {
  testWith('a list has the newest entries first', async store => {
    const entries = await keepSeries(store, 7);
    assert.deepEqual(await listAll(store, {}), idsOf(entries).reverse());
  });

  testWith('pages of a list have no gaps or repetitions, even among entries of one millisecond', async store => {
    const entries = await keepSeries(store, 23, at => ({ measuredAtMs: noonMs + Math.floor(at / 9) }));
    const expected = entries.toSorted((a, b) => b.measuredAtMs - a.measuredAtMs || (a.id < b.id ? 1 : -1));
    for (const limit of [1, 2, 5, 22, 23, 24]) assert.deepEqual(await listAll(store, { limit }), idsOf(expected));
  });

  testWith('a list continues where a page ended, whatever was added or removed in between', async store => {
    const entries = await keepSeries(store, 6);
    const ids = idsOf(entries).reverse();
    const { results, next } = await store.list({ limit: 2 });
    assert.deepEqual(idsOf(results), ids.slice(0, 2));
    await store.forget(ids[1] ?? '');
    await store.keep(buildEntry({ measuredAtMs: noonMs + dayMs }));
    assert.deepEqual(await listAll(store, { cursor: next ?? '' }), ids.slice(2));
  });

  testWith('an invalid cursor is rejected, and the store stays usable', async store => {
    const { id } = buildEntry();
    const forged = Buffer.from(`1 ${id} ' OR 1=1`).toString('base64url');
    for (const cursor of ['', 'x', '🚀', forged, Buffer.from(`-1 ${id}`).toString('base64url')])
      await assert.rejects(store.list({ cursor }), InvalidCursorError, cursor);
    assert.equal(store.status().isReadable, true);
    assert.deepEqual((await store.list({})).results, []);
  });

  testWith('entries are found by every query field, and by several at once', async store => {
    const groupId = createResultId(noonMs);
    const [usual, psi, desktop, labelled, other, run, failure] = [
      buildEntry({}),
      buildEntry({ source: 'psi' }),
      buildEntry({ strategy: 'desktop' }),
      buildEntry({ label: 'it\'s 100%_\\ "new"' }),
      buildEntry({ url: 'https://other.test:8443/?q=%20a#x' }),
      buildEntry({ kind: 'run', groupId }),
      buildFailure({}),
    ] as const;
    for (const entry of [usual, psi, desktop, labelled, other, run, failure]) await store.keep(entry);
    const cases: [ListQuery, readonly NewEntry[]][] = [
      [{ source: 'psi' }, [psi]],
      [{ source: 'compare' }, []],
      [{ strategy: 'desktop' }, [desktop]],
      [{ label: 'it\'s 100%_\\ "new"' }, [labelled]],
      [{ label: '%' }, []],
      [{ host: 'other.test:8443' }, [other]],
      [{ url: 'https://other.test:8443/?q=%20a#x' }, [other]],
      [{ url: 'https://other.test:8443/' }, []],
      [{ groupId }, [run]],
      [{ kinds: ['run', 'failure'] }, [run, failure]],
      [{ kinds: [] }, [usual, psi, desktop, labelled, other, run, failure]],
      [{ host: 'example.com', source: 'lighthouse', strategy: 'mobile', kinds: ['result'] }, [usual, labelled]],
    ];
    for (const [query, expected] of cases)
      assert.deepEqual((await listAll(store, query)).toSorted(), idsOf(expected).toSorted(), JSON.stringify(query));
  });

  testWith('a range includes `since` and excludes `until`', async store => {
    const ids = idsOf(await keepSeries(store, 5));
    const query = { sinceMs: noonMs + minuteMs, untilMs: noonMs + 3 * minuteMs };
    assert.deepEqual(await listAll(store, query), [ids[2], ids[1]]);
  });

  testWith('a series is oldest first, with the failures that explain its gaps', async store => {
    const values = [10, null, 30];
    const entries = await keepSeries(store, 3, at => ({
      label: at === 0 ? 'v1' : null,
      metrics: { ...buildEntry().metrics, largest_contentful_paint: values[at] ?? null },
    }));
    const failure = buildFailure({ measuredAtMs: noonMs + 90_000 });
    for (const other of [
      failure,
      buildEntry({ source: 'psi' }),
      buildEntry({ strategy: 'desktop' }),
      buildEntry({ url: 'https://example.com/other' }),
    ])
      await store.keep(other);
    const query = { url: 'https://example.com/', strategy: 'mobile', source: 'lighthouse' } as const;
    const series = unpackSeries(await store.series({ ...query, metric: 'largest_contentful_paint' }));
    assert.deepEqual(
      series.points.map(({ id, measuredAtMs, value, label }) => [id, measuredAtMs, value, label]),
      entries.map(({ id, measuredAtMs }, at) => [id, measuredAtMs, values[at], at === 0 ? 'v1' : null]),
    );
    const { profile, analyser } = buildEntry();
    for (const point of series.points) assert.deepEqual([point.profile, point.analyser], [profile, analyser]);
    assert.deepEqual(series.failures, [
      { id: failure.id, measuredAtMs: failure.measuredAtMs, errorCode: 'page_error', pageStatus: 503 },
    ]);
    const scores = unpackSeries(await store.series({ ...query, metric: 'best-practices', limit: 2 }));
    assert.deepEqual(idsOf(scores.points), idsOf(entries.slice(1)));
    assert.deepEqual(scores.points[0]?.value, 0);
    const late = unpackSeries(await store.series({ ...query, metric: 'seo', sinceMs: noonMs + 1 }));
    assert.equal(late.points.length, 2);
  });

  testWith('a series of a custom metric has its values, with the names that a page may choose', async store => {
    const name = "mark:héro's [shown] $.x %";
    const entries = await keepSeries(store, 3, at => ({ customMetrics: at === 1 ? null : { [name]: 0.5 + at } }));
    const query = { url: 'https://example.com/', strategy: 'mobile', source: 'lighthouse' } as const;
    const values = async (metric: CustomMetricName) =>
      unpackSeries(await store.series({ ...query, metric })).points.map(({ value }) => value);
    assert.deepEqual(await values(name as CustomMetricName), [0.5, null, 2.5]);
    assert.deepEqual(await values("mark:' OR 1=1 --"), [null, null, null]);
    assert.deepEqual((await store.get(entries[0]?.id ?? ''))?.customMetrics, { [name]: 0.5 });
  });

  testWith('the runs of a label on one page are found', async store => {
    const entries = await keepSeries(store, 4, at => ({ label: at % 2 === 0 ? 'before' : 'after' }));
    await store.keep(buildEntry({ label: 'before', url: 'https://example.com/other' }));
    const found = await store.byLabel('before', { url: 'https://example.com/' });
    assert.deepEqual(idsOf(found), [entries[2]?.id, entries[0]?.id]);
    assert.equal((await store.byLabel('before')).length, 3);
    assert.deepEqual(await store.byLabel('never'), []);
  });
}
