/** Thread that polls `/health` during an attack, so that the work of the attacking clients does not delay the polls. */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createClient } from '../test/support/asking/address-client.ts';

const ask = createClient(workerData as string, '127.0.0.3');
let longestMs = 0;
parentPort?.on('message', () => {
  parentPort?.postMessage(longestMs);
  process.exit();
});
for (;;) {
  const start = performance.now();
  const { status } = await ask('/health');
  longestMs = status === 200 ? Math.max(longestMs, performance.now() - start) : Number.POSITIVE_INFINITY;
  await delay(10);
}
