import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

export type SourceFile = {
  /** Path relative to `src/`, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

/** Source files of the service, without unit tests. */
export const readSourceFiles = (): SourceFile[] =>
  globSync('src/**/*.ts', { cwd: projectRoot })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => !path.endsWith('.test.ts'))
    .toSorted()
    .map(path => ({ path: path.replace(/^src\//, ''), text: readFileSync(`${projectRoot}${path}`, 'utf8') }));
