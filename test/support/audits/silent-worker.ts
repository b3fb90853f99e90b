/**
 * A worker that never becomes ready. Its audit holds a slot until it is cancelled, or until LIGHTHOUSE_TIMEOUT, and
 * needs neither a browser nor the seconds that a real worker takes to load Lighthouse.
 */
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

export const silentWorker = { workerProgram: fileURLToPath(import.meta.url), limits: { startMs: 3_600_000 } };

if (import.meta.main) new Socket({ fd: 3 }).on('close', () => process.exit()).resume();
