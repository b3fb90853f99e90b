/**
 * Keeps compiled code from one test process for the next, and from one run for the next: to compile the service and what
 * it imports takes most of a second. `npm test` loads this before each test file. Where the folder cannot be written to,
 * everything is compiled anew.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

export const compiledCodeFolder = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

enableCompileCache(compiledCodeFolder);
// A thread and a child process find it by this name only, and each would compile the same anew.
process.env.NODE_COMPILE_CACHE = compiledCodeFolder;
