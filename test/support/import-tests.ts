import { globSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../contract/source-files.ts';

/**
 * Runs the tests of several files in this process, one after the other. A process per file would spend time on its
 * start: the service and its compiled schemas, a browser, a database.
 * @param patterns globs below the project's root
 */
export async function importTests(...patterns: readonly string[]): Promise<void> {
  const imported = Promise.withResolvers<void>();
  // This test is registered first, so the others wait and none times out while files are read and compiled.
  test('every file is imported', () => imported.promise);
  try {
    for (const path of globSync(patterns, { cwd: projectRoot }).toSorted())
      await import(pathToFileURL(projectRoot + path).href);
    // Flushed now instead of only at exit, because other processes start during the minutes until then.
    flushCompileCache();
    imported.resolve();
  } catch (error) {
    imported.reject(error);
  }
}
