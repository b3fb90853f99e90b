/**
 * The unit tests of src/ in one process. They have no globals and start no service, so a process for each would only
 * take the time of its start. One file alone: `npx node --test src/change/change-points.test.ts`.
 */
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './contract/source-files.ts';

const imported = Promise.withResolvers<void>();

// The first of them, so the others wait: no deadline of a test passes while files are read and compiled.
test('every unit test is imported', () => imported.promise);

try {
  for (const path of globSync('src/**/*.test.ts', { cwd: projectRoot }).toSorted())
    await import(pathToFileURL(projectRoot + path).href);
  imported.resolve();
} catch (error) {
  imported.reject(error);
}
