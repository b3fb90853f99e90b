/**
 * Caches compiled code across test processes and test runs, because compiling the service and its imports takes most of
 * a second. `npm test` loads this module before each test file. Without a writable folder everything is compiled again.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

export const compiledCodeFolder = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

enableCompileCache(compiledCodeFolder);
// Threads and child processes find the folder by this variable only; without it each would compile the same code.
process.env.NODE_COMPILE_CACHE = compiledCodeFolder;
