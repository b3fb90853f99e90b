/**
 * `node bench/fleet/fleet-machines.ts URL COUNT MS SLOTS` runs many machines of a fleet in one process, with simulated
 * audits.
 */

import { fleetSchema } from '../../src/fleet/database.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { openPostgres } from '../../src/storage/database/postgres/postgres.ts';
import { createSimulatedPool } from '../../test/support/audits/simulated-pool.ts';

const [url = '', count = '1', auditMs = '5000', slots = '2'] = process.argv.slice(2);

const machines = await Promise.all(
  Array.from({ length: Number(count) }, async () => {
    const postgres = openPostgres({ url, schemas: [fleetSchema] });
    const fleet = openFleet(postgres);
    const analyser = await fleet.createAnalyser({
      role: 'worker',
      version: 'bench',
      targets: 'any',
      slots: Number(slots),
      waitingPerMachine: 100_000,
      timeoutMs: 120_000,
      pool: createSimulatedPool({ slots: Number(slots), durationMs: Number(auditMs) }),
      checkPage: () => async () => ({}),
      log: () => {},
    });
    return { postgres, fleet, analyser };
  }),
);
console.log('ready');

process.on('SIGTERM', async () => {
  await Promise.all(
    machines.map(async ({ postgres, fleet, analyser }) => {
      await analyser.close(0);
      await fleet.close();
      await postgres.close();
    }),
  );
  process.exit(0);
});
