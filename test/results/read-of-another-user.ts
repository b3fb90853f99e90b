/** Opens a store as a user who may only read it. Arguments: its folder, and the id of its one entry. */
import assert from 'node:assert/strict';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { buildEntry } from '../support/builders/entry.ts';

const [, , dataDir = '', id = ''] = process.argv;
// Root may write everywhere, so this becomes another user.
if (process.geteuid?.() === 0) process.seteuid?.(65_534);
const store = await openResultStore({ dataDir });
const kept = await store.keep(buildEntry());
assert.ok(!kept.kept && kept.fault.code === 'read_only', JSON.stringify(kept));
assert.equal(kept.fault.message, 'The database or its folder cannot be written.');
assert.match(kept.fault.detail ?? '', /results\.sqlite: /);
assert.equal((await store.get(id))?.id, id);
assert.deepEqual([store.status().isReadable, store.status().entries], [true, 1]);
await store.close();
