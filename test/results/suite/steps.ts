/** The common steps of the suite's parts. */
import assert from 'node:assert/strict';
import { toState } from '../../../src/storage/results/sql/store-state.ts';
import type { Entry, EntryFacts, ListQuery, NewEntry, ResultStore } from '../../../src/storage/results/store.ts';
import { buildEntry, noonMs } from '../../support/builders/entry.ts';
import type { Scope } from '../../support/start-service.ts';

/** One test with an empty store, which is closed at the end, and the clock that the store reads. */
export type TestWith = (
  what: string,
  body: (
    store: ResultStore,
    clock: { nowMs: number },
    scope: Scope,
    /** Opens the same database as another process does. */
    reopen: () => Promise<ResultStore>,
  ) => Promise<void>,
) => void;

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
export const everything = { keepDays: 100_000, keepBytes: 1e12, keepArtifactBytes: 1e12 };

export const toEntry = ({ full, ...entry }: NewEntry): Entry => entry;
export const toFacts = ({ full, summary, ...facts }: NewEntry): EntryFacts => facts;

/**
 * Stores one entry a minute, in another order.
 * @returns the entries, oldest first
 */
export async function keepSeries(
  store: ResultStore,
  count: number,
  given: (at: number) => Partial<NewEntry> = () => ({}),
) {
  const entries = Array.from({ length: count }, (_, at) =>
    buildEntry({ measuredAtMs: noonMs + at * minuteMs, ...given(at) }),
  );
  for (const entry of entries.toSorted((a, b) => a.id.slice(-5).localeCompare(b.id.slice(-5))))
    assert.deepEqual(await store.keep(entry), { kept: true });
  return entries;
}

export const idsOf = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id);

export async function listAll(store: ResultStore, query: ListQuery): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    ids.push(...idsOf(page.results));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

/** Sets the time at which an entry was stored to this many days ago. */
export async function storeAgo({ database, clock }: ResultStore, id: string, days: number): Promise<void> {
  const storedAtMs = Math.floor(clock.now() - days * dayMs);
  await database.write([{ sql: 'UPDATE results SET stored_at = ? WHERE id = ?', values: [storedAtMs, id] }]);
}

export async function readStoredAt({ database }: ResultStore, id: string): Promise<number> {
  const [row] = await database.rows({ sql: 'SELECT stored_at FROM results WHERE id = ?', values: [id] });
  return Number(row?.[0]);
}

export async function writeState({ database }: ResultStore, name: string, value: number): Promise<void> {
  await database.write([toState(name, Math.floor(value))]);
}
