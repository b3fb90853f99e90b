/** Unpacks the browser and compiles the worker and the service once before all test files, instead of once in each. */

import { flushCompileCache } from 'node:module';
import { findBrowser } from '../../src/measure/lighthouse/browser/find-browser.ts';
import { createSandbox } from '../../src/measure/lighthouse/browser/sandbox.ts';
import { createCompiledCode } from '../../src/measure/lighthouse/worker-processes/compiled-code.ts';

export async function globalSetup(): Promise<void> {
  const { PATH = '', XDG_CACHE_HOME: cacheHome } = process.env;
  const isRoot = process.getuid?.() === 0;
  const { user } = createSandbox({ mode: 'auto', loopbackOnly: true, isRoot, warn: () => {} }).plan();
  await Promise.all([
    findBrowser({ chromePath: undefined, path: PATH, cacheHome })?.prepare(),
    createCompiledCode(cacheHome).prepare(user, new AbortController().signal),
    import('../../src/service/service.ts'),
  ]);
  flushCompileCache();
}
