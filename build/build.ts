/**
 * Makes `dist/`, what the package holds: JavaScript for `src/`, the files of the page that are no code, and the packages that
 * both import. Node strips no types below `node_modules`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { copyPackages } from './copy-packages.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
// The page has the types of a browser, the rest those of Node: so there are two passes.
for (const project of ['tsconfig.build.json', 'src/web/tsconfig.build.json'])
  execFileSync(process.execPath, [compiler, '--project', project], { cwd: root, stdio: 'inherit' });
for (const name of ['page.html', 'style'])
  cpSync(`${root}src/web/${name}`, `${root}dist/web/${name}`, { recursive: true });
copyPackages(root);
