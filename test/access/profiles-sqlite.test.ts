import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { testProfiles } from './profiles-suite.ts';

const files = ['results.sqlite', 'results.sqlite-wal'];

testProfiles('SQLite', {
  create: async t => ({ DATA_DIR: makeScratchFolder(t) }),
  read: async ({ DATA_DIR: folder = '' }) =>
    Buffer.concat(await Promise.all(files.map(file => readFile(join(folder, file)).catch(() => Buffer.alloc(0))))),
  async jobSecrets({ DATA_DIR: folder = '' }) {
    const database = new DatabaseSync(join(folder, 'results.sqlite'));
    const rows = database.prepare('SELECT content FROM job_secrets').all();
    database.close();
    return rows.map(({ content }) => String(content));
  },
});
