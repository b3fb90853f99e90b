import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { testProfiles } from './profiles-suite.ts';

const files = ['results.sqlite', 'results.sqlite-wal'];

testProfiles('SQLite', {
  create: async t => ({ DATA_DIR: makeScratchFolder(t) }),
  read: async ({ DATA_DIR: folder = '' }) =>
    Buffer.concat(
      await Promise.all(files.map(file => readFile(join(folder, file)).catch(() => Buffer.alloc(0)))),
    ),
});
