import assert from 'node:assert/strict';
import type { StoreFaultError } from '../../../src/storage/database/fault.ts';
import { createResultId } from '../../../src/storage/results/result-id.ts';
import type { NewEntry } from '../../../src/storage/results/store.ts';
import { buildEntry, noonMs } from '../../support/builders/entry.ts';
import { idsOf, listAll, type TestWith, toEntry, toFacts } from './steps.ts';

/** Storing entries and reading them back. */
export function testKeeping(testWith: TestWith): void {
  testWith('an entry is read as it was stored', async store => {
    const entry = buildEntry({ label: 'build 12', groupId: createResultId(noonMs) });
    assert.deepEqual(await store.keep(entry), { kept: true });
    assert.deepEqual(await store.get(entry.id), toEntry(entry));
    assert.deepEqual((await store.list({})).results, [toFacts(entry)]);
  });

  testWith('zero and missing scores and metrics are distinguished', async store => {
    const entry = buildEntry();
    await store.keep(entry);
    const found = await store.get(entry.id);
    assert.deepEqual([found?.scores['best-practices'], found?.scores.seo], [0, null]);
    assert.deepEqual([found?.metrics.total_blocking_time, found?.metrics.interactive], [0, null]);
  });

  testWith('the full result is read byte for byte, and the given bytes are not changed', async store => {
    const pool = Buffer.alloc(64, 7);
    const bytes = pool.subarray(8, 24);
    const large = Buffer.alloc(1_500_000, 3);
    const [small, big, none] = [
      buildEntry({ full: { coding: 'zstd', bytes } }),
      buildEntry({ full: { coding: 'gzip', bytes: large } }),
      buildEntry({ full: null }),
    ];
    for (const entry of [small, big, none]) assert.deepEqual(await store.keep(entry), { kept: true });
    assert.equal(bytes.byteLength, 16);
    assert.deepEqual(Buffer.from((await store.full(small.id))?.bytes ?? []), Buffer.alloc(16, 7));
    assert.equal((await store.full(big.id))?.coding, 'gzip');
    assert.ok(large.equals((await store.full(big.id))?.bytes ?? Buffer.alloc(0)));
    assert.equal(await store.full(none.id), undefined);
  });

  testWith('an unknown id has no entry', async store => {
    for (const id of [createResultId(), '', "' OR 1=1 --", '\u0000'.slice(1)]) {
      assert.equal(await store.get(id), undefined);
      assert.equal(await store.full(id), undefined);
      assert.equal(await store.artifacts(id), undefined);
      assert.equal(await store.forget(id), false);
    }
  });

  testWith('an entry is stored once, however often it is given', async store => {
    const entry = buildEntry();
    await store.keep(entry);
    assert.deepEqual(await store.keep({ ...entry, label: 'another' }), { kept: true });
    assert.deepEqual(await store.get(entry.id), toEntry(entry));
    assert.equal(store.status().entries, 1);
  });

  testWith('an invalid entry is rejected with a reason, and the store stays writable', async store => {
    const wrong: Partial<NewEntry>[] = [
      { id: 'mine' },
      { id: '../../../../etc/passwd' },
      { label: 'x'.repeat(101) },
      { label: '' },
      { label: 'a\u0000b' },
      { label: '\ud800' },
      { summary: JSON.stringify('x'.repeat(132_000)) },
      { url: `https://example.com/${'a'.repeat(2048)}` },
      { measuredAtMs: Number.NaN },
      { scores: { ...buildEntry().scores, seo: Number.POSITIVE_INFINITY } },
    ];
    for (const given of wrong) {
      const kept = await store.keep({ ...buildEntry(), ...given });
      assert.ok(!kept.kept && kept.fault.code === 'not_acceptable' && !kept.isWaiting, JSON.stringify(given));
    }
    assert.deepEqual([store.status().entries, store.status().isWritable], [0, true]);
    assert.deepEqual(await store.keep(buildEntry({ label: '🚀'.repeat(100) })), { kept: true });
  });

  testWith('many entries can be stored at once', async store => {
    const entries = Array.from({ length: 200 }, () => buildEntry());
    const kept = await Promise.all(entries.map(store.keep));
    assert.ok(kept.every(one => one.kept));
    assert.deepEqual((await listAll(store, {})).toSorted(), idsOf(entries).toSorted());
  });

  testWith('says that it is closed, and keeps nothing after that', async store => {
    await store.close();
    const kept = await store.keep(buildEntry());
    assert.ok(!kept.kept && kept.fault.code === 'closed' && !kept.isWaiting);
    await assert.rejects(store.get(createResultId()), ({ code }: StoreFaultError) => code === 'closed');
    assert.equal(await store.cache.get('key'), undefined);
    await store.close();
  });
}
