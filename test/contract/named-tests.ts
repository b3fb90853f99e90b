/** Tests that a document names: a file, and the name of a test in it. */
import { existsSync, readFileSync } from 'node:fs';
import { projectRoot } from './source-files.ts';

/** Empty where there is no such file of tests. A suite (`*-suite.ts`) has tests that several files run. */
export const readTests = (file: string): string =>
  /(\.(test|long)|-suite)\.ts$/.test(file) && existsSync(projectRoot + file)
    ? readFileSync(projectRoot + file, 'utf8')
    : '';

/** A test may be one of several made by a loop, with a part of its name in braces. */
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
