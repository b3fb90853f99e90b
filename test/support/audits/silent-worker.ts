/**
 * In the place of the audit worker: it never becomes ready. So its audit holds a slot until it is cancelled, and takes
 * neither a browser nor the seconds that a worker needs to load Lighthouse.
 */
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

export const silentWorker = { workerProgram: fileURLToPath(import.meta.url) };

if (import.meta.main) new Socket({ fd: 3 }).on('close', () => process.exit()).resume();
