/** Stores entries and prints the id of each once it is acknowledged: `write-entries.ts FOLDER COUNT`. */
import { writeSync } from 'node:fs';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { buildEntry } from '../support/builders/entry.ts';

const [, , dataDir = '', count = '0'] = process.argv;
// On a busy machine another process may hold the lock for longer than an answer would wait.
const store = await openResultStore({ dataDir }, { busyTimeoutMs: 60_000 });
writeSync(1, 'ready\n');
for (let at = 0; at < Number(count); at += 1) {
  const full = { coding: 'zstd', bytes: new Uint8Array(200_000).fill(at) };
  const entry = buildEntry({ full });
  const kept = await store.keep(entry);
  // Written without a stream, which could lose lines when the process is killed.
  writeSync(1, kept.kept ? `${entry.id}\n` : `not kept: ${kept.fault.code}\n`);
}
await store.close();
