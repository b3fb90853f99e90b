/**
 * `npm run bench:fleet [-- --audit-ms 5000 --slots 1,4,16,64 --rounds 10]` measures the real queue on a real
 * PostgreSQL, with audits that only wait. It prints throughput compared with slots without a queue, the time that the
 * queue adds to one audit, and database statements for each audit.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fleetSchema } from '../../src/fleet/database.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import type { AuditRequest } from '../../src/measure/lighthouse/pool.ts';
import { openPostgres } from '../../src/storage/database/postgres/postgres.ts';
import { startOwnPostgres } from '../../test/support/surroundings/own-postgres.ts';
import { percentile, sayTimes, timeMs } from '../measure.ts';

const { values } = parseArgs({
  options: {
    'audit-ms': { type: 'string', default: '5000' },
    /** Numbers of slots to measure, over all machines; each machine has two, and a single slot is on one machine. */
    slots: { type: 'string', default: '1,4,16,64' },
    /** Audits for each slot. */
    rounds: { type: 'string', default: '10' },
    /** Maximum number of processes for the machines. */
    processes: { type: 'string', default: '4' },
  },
});
const auditMs = Number(values['audit-ms']);
const rounds = Number(values.rounds);
const script = fileURLToPath(new URL('fleet-machines.ts', import.meta.url));

const hooks: (() => Promise<void> | void)[] = [];
const postgres = await startOwnPostgres(
  { after: hook => void hooks.unshift(hook) },
  { settings: ['max_connections=1500', 'shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.max=10000'] },
);

async function startMachines(url: string, machines: number, slots: number): Promise<ChildProcess> {
  const args = [script, url, machines, auditMs, slots].map(String);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  hooks.unshift(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

async function startAll(url: string, slots: number): Promise<ChildProcess[]> {
  if (slots === 1) return [await startMachines(url, 1, 1)];
  const machines = slots / 2;
  const processes = Math.min(Number(values.processes), machines);
  const share = (at: number) => Math.floor(machines / processes) + (at < machines % processes ? 1 : 0);
  return Promise.all(Array.from({ length: processes }, (_, at) => startMachines(url, share(at), 2)));
}

const request: AuditRequest = {
  url: 'https://page.test/',
  strategy: 'mobile',
  categories: ['performance'],
  profile: 'psi',
  locale: 'en-US',
};

async function measure(slots: number): Promise<void> {
  const url = await postgres.createDatabase();
  await postgres.query(url, 'CREATE EXTENSION pg_stat_statements');
  const connections = openPostgres({ url, schemas: [fleetSchema] });
  const fleet = openFleet(connections);
  const asker = await fleet.createAnalyser({
    role: 'api',
    version: 'bench',
    targets: 'any',
    slots: 0,
    waitingPerMachine: 100_000,
    timeoutMs: 120_000,
    pool: undefined,
    checkPage: () => async () => ({}),
    log: () => {},
  });
  const children = await startAll(url, slots);
  const { signal } = new AbortController();
  const ask = () => asker.audit(request, async () => ({}), signal, { client: 'bench' });
  const count = async () => {
    const [row] = await postgres.query(
      url,
      "SELECT sum(calls) AS calls FROM pg_stat_statements WHERE query !~* '^(BEGIN|COMMIT|LISTEN)'",
    );
    return Number(row?.calls);
  };

  await ask();
  const alone: number[] = [];
  for (let at = 0; at < Math.max(10, rounds); at += 1) alone.push((await timeMs(ask)) - auditMs);

  const jobs = slots * rounds;
  const before = await count();
  const beganAt = performance.now();
  await Promise.all(Array.from({ length: jobs }, ask));
  const tookMs = performance.now() - beganAt;
  const statements = (await count()) - before;
  const idleBefore = await count();
  await new Promise(resolve => setTimeout(resolve, 5000));
  const idle = ((await count()) - idleBefore) / 5;

  const share = (jobs * auditMs) / slots / tookMs;
  console.log(
    [
      `${slots} slots`.padEnd(10),
      `${jobs} audits in ${(tookMs / 1000).toFixed(1)} s, ${share.toFixed(3)} of linear`.padEnd(42),
      `one alone: queue adds ${sayTimes(alone)} ms`.padEnd(56),
      `statements ${(statements / jobs).toFixed(1)} an audit, ${idle.toFixed(1)} a second at rest`,
    ].join(' · '),
  );
  if (percentile(alone, 0.5) > 15) console.log('  The queue adds more than 15 ms at the median.');
  for (const child of children) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await asker.close(0);
  await fleet.close();
  await connections.close();
}

for (const slots of values.slots.split(',')) await measure(Number(slots));
for (const hook of hooks) await hook();
