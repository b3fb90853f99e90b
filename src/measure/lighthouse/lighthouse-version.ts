import { createRequire } from 'node:module';

/** Version of the installed Lighthouse, read without importing it. */
export const lighthouseVersion: string = createRequire(import.meta.url)('lighthouse/package.json').version;
