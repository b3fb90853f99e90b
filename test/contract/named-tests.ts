/** Finds tests that a document names: a file, and the name of a test in it. */
import { existsSync, readFileSync } from 'node:fs';
import { projectRoot } from './source-files.ts';

/**
 * The text of a test file, or empty if there is no such file. Several files run the tests of a suite (`*-suite.ts`).
 */
export const readTests = (file: string): string =>
  /(\.(test|long)|-suite)\.ts$/.test(file) && existsSync(projectRoot + file)
    ? readFileSync(projectRoot + file, 'utf8')
    : '';

/** Whether the file has a test with this name. The name of a test in a loop may be a template. */
export const hasTest = (text: string, name: string): boolean =>
  [`'${name}',`, `"${name}",`].some(quoted =>
    ['test(', 'withInstances(', 'withInstances(\n    '].some(start => text.includes(start + quoted)),
  ) ||
  [...text.matchAll(/(?:test|withInstances)\(\s*`([^`]+)`,/g)].some(([, template = '']) =>
    new RegExp(
      `^${template
        .split(/\$\{[^}]*\}/)
        .map(part => part.replace(/[^\w ]/g, '\\$&'))
        .join('.+')}$`,
    ).test(name),
  );
