import { globSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../contract/source-files.ts';

/**
 * Runs the tests of several files in this process, one after the other. A process for each would take the time of its
 * start: of the service and the schemas it compiles, of a browser, of a database.
 * @param patterns globs below the project's root
 */
export async function importTests(...patterns: readonly string[]): Promise<void> {
  const imported = Promise.withResolvers<void>();
  // The first of them, so the others wait: no deadline of a test passes while files are read and compiled.
  test('every file is imported', () => imported.promise);
  try {
    for (const path of globSync(patterns, { cwd: projectRoot }).toSorted())
      await import(pathToFileURL(projectRoot + path).href);
    // Not only at the end of this process, which may be minutes away: others start meanwhile.
    flushCompileCache();
    imported.resolve();
  } catch (error) {
    imported.reject(error);
  }
}
