import { createRequire } from 'node:module';

/** Of the Lighthouse that is installed, without importing it. */
export const lighthouseVersion: string = createRequire(import.meta.url)('lighthouse/package.json').version;
