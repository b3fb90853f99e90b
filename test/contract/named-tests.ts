/** Reads test files that a document names. */
import { existsSync, readFileSync } from 'node:fs';
import { projectRoot } from './source-files.ts';

/**
 * The text of a test file, or empty if there is no such file. Several files run the tests of a suite (`*-suite.ts`).
 */
export const readTests = (file: string): string =>
  /(\.(test|long)|-suite)\.ts$/.test(file) && existsSync(projectRoot + file)
    ? readFileSync(projectRoot + file, 'utf8')
    : '';
