import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Query } from '../database.ts';
import { createRemovals } from './removals.ts';

const outcome = JSON.stringify({ conditions: {}, attempt: 1, artifacts: 'there/1' });

/** Creates removals over a database with these rows, whose first `failures` statements fail. */
function create(rows: readonly { id: string; worker: string | null; outcome: string | null }[], failures = 0) {
  const [released, told]: [string[], unknown[]] = [[], []];
  let left = failures;
  const query: Query = async (_sql, values) => ({
    rows: rows.filter(({ id }) => ((values ?? [])[0] as string[]).includes(id)),
    rowCount: null,
  });
  const database = {
    async query(sql: string, values?: readonly unknown[]) {
      left -= 1;
      if (left >= 0) throw new Error('gone');
      return query(sql, values);
    },
  };
  const removals = createRemovals({
    database,
    suspect: () => {},
    notices: { publish: async (topic, notice) => void told.push([topic, notice]) },
    releaseArtifacts: artifacts => released.push(artifacts),
  });
  return { removals, released, told };
}

test('artifacts of a result that was not collected are removed with it', async () => {
  const { removals, released } = create([{ id: 'a', worker: 'w', outcome }]);
  await removals.remove(['a']);
  assert.deepEqual([released, removals.owed], [['there/1'], []]);
});

test('artifacts of a collected result stay, however late its row is removed', async () => {
  const { removals, released } = create([{ id: 'a', worker: 'w', outcome }], 1);
  removals.removeRowLater('a');
  await removals.remove(['a']);
  assert.deepEqual(removals.owed, ['a']);
  await removals.remove(removals.owed);
  assert.deepEqual([released, removals.owed], [[], []]);
});

test('a worker learns that its job is no longer wanted, and no worker learns of a queued one', async () => {
  const { removals, told } = create([
    { id: 'a', worker: 'w', outcome: null },
    { id: 'b', worker: null, outcome: null },
  ]);
  removals.owe('b');
  await removals.remove(['a', ...removals.owed]);
  assert.deepEqual(told, [['instance.w', { job: 'a', event: 'cancelled' }]]);
});
