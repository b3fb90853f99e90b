/**
 * Builds `dist/` for the package: JavaScript from `src/`, the page's HTML and CSS, and the npm packages that the code
 * imports. Compiling is necessary because Node does not strip types below `node_modules`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { copyPackages } from './copy-packages.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
// Two passes, because the page has the types of a browser and the rest those of Node.
for (const project of ['tsconfig.build.json', 'src/web/tsconfig.build.json'])
  execFileSync(process.execPath, [compiler, '--project', project], { cwd: root, stdio: 'inherit' });
for (const name of ['page.html', 'style'])
  cpSync(`${root}src/web/${name}`, `${root}dist/web/${name}`, { recursive: true });
copyPackages(root);
