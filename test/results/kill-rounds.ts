/** Kills a process that is storing entries, again and again, and counts the entries after each time. */
import assert from 'node:assert/strict';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { isResultId } from '../../src/storage/results/result-id.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import type { Scope } from '../support/start-service.ts';
import { startScript } from './start-script.ts';

async function listIds(dataDir: string): Promise<Set<string>> {
  const events: string[] = [];
  const store = await openResultStore({ dataDir }, { onEvent: ({ event }) => events.push(event) });
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id } of page.results) ids.add(id);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  // Every entry has its body, because one transaction writes both.
  for (const id of [...ids].slice(0, 5)) assert.equal((await store.full(id))?.bytes.byteLength, 200_000);
  assert.equal(store.status().entries, ids.size);
  await store.close();
  assert.deepEqual(events, []);
  return ids;
}

/** Ends each round after another number of entries, so that kills hit different moments of a write. */
export async function killWriters(scope: Scope, rounds: number): Promise<void> {
  const dataDir = makeScratchFolder(scope);
  const acknowledged = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const { child, lines, ended } = startScript(scope, 'write-entries.ts', dataDir, '100000');
    await lines.waitFor(1 + (round % 7));
    child.kill('SIGKILL');
    await ended;
    for (const line of lines.all) if (isResultId(line)) acknowledged.add(line);
    const found = await listIds(dataDir);
    assert.deepEqual(
      [...acknowledged].filter(id => !found.has(id)),
      [],
      `round ${round}`,
    );
    // The entry that was being written may be there or not.
    const unacknowledged = [...found].filter(id => !acknowledged.has(id));
    assert.ok(unacknowledged.length <= 1, `round ${round}: ${unacknowledged.length}`);
    for (const id of unacknowledged) acknowledged.add(id);
  }
  assert.ok(acknowledged.size >= rounds);
}
