/** Machines of a fleet that only pretend to audit, many in one process: `node bench/fleet/fleet-machines.ts URL COUNT MS`. */
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { createSimulatedPool } from '../../test/support/audits/simulated-pool.ts';

const [url = '', count = '1', auditMs = '5000', slots = '2'] = process.argv.slice(2);

const machines = await Promise.all(
  Array.from({ length: Number(count) }, async () => {
    const fleet = openFleet(url);
    const analyser = await fleet.createAnalyser({
      ...{ role: 'worker', version: 'bench', targets: 'any', slots: Number(slots), waitingPerMachine: 100_000 },
      timeoutMs: 120_000,
      pool: createSimulatedPool({ slots: Number(slots), durationMs: Number(auditMs) }),
      checkPage: () => async () => ({}),
      onState: () => {},
      log: () => {},
    });
    return { fleet, analyser };
  }),
);
console.log('ready');

process.on('SIGTERM', async () => {
  await Promise.all(
    machines.map(async ({ fleet, analyser }) => {
      await analyser.close(0);
      await fleet.close();
    }),
  );
  process.exit(0);
});
