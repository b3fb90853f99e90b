/** Kills and stops parts of a fleet under load, and counts the answers. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Health } from '../../src/contract/health.ts';
import type { Scope } from '../support/start-service.ts';
import type { OwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { type Answer, ask, type InstanceProcess, startInstance } from './instances.ts';

const toPage = (name: string | number): string => `http://page.test/${name}`;

export async function fleetOf({ url }: { url: string }) {
  const response = await fetch(`${url}/health`);
  return ((await response.json()) as { fleet: { database: string; instances: number; parallel_limit: number } }).fleet;
}

export const whenFleet = async (
  instance: InstanceProcess,
  isWanted: (fleet: Awaited<ReturnType<typeof fleetOf>>) => boolean,
): Promise<void> => {
  await until(async () => isWanted(await fleetOf(instance)));
};

/** The number of results that an instance has answered and not stored yet. */
export async function countWaiting({ url }: { url: string }): Promise<number> {
  const response = await fetch(`${url}/health`);
  return ((await response.json()) as Health).results.waiting;
}

/** Rejects if the answer comes too early; otherwise never settles. */
const failing = (asked: Promise<Answer>): Promise<never> =>
  asked.then(({ status, body }) => {
    throw new Error(`answered too early: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  });

/**
 * Kills a worker in the middle of an audit, which another worker then takes, once.
 * @returns the time from each death until another worker took the audit, in ms
 */
export async function killWorkers(scope: Scope, databaseUrl: string, rounds: number): Promise<readonly number[]> {
  const takenUpMs: number[] = [];
  const api = await startInstance(scope, databaseUrl, 'api');
  /** A worker with audits so long that it is killed in the middle of one. */
  const startVictim = () => startInstance(scope, databaseUrl, 'worker', { AUDIT_MS: '60000' });
  let other = await startVictim();
  for (let round = 0; round < rounds; round += 1) {
    const asked = ask(api, toPage(round));
    await Promise.race([other.audits.waitFor(1), failing(asked)]);
    const next = await startInstance(scope, databaseUrl, 'worker', { AUDIT_MS: '500' });
    other.child.kill('SIGKILL');
    const since = performance.now();
    await Promise.race([next.audits.waitFor(1), failing(asked)]);
    takenUpMs.push(performance.now() - since);
    const { status, body } = await asked;
    assert.deepEqual([status, body.environment?.attempts], [200, 2], `round ${round}: ${JSON.stringify(body)}`);
    // The audit ran once more, on this worker.
    assert.deepEqual(next.audits.all, [toPage(round)]);
    // The next round starts with a fresh worker.
    next.child.kill('SIGTERM');
    await next.exited;
    other = await startVictim();
  }
  return takenUpMs;
}

type Load = {
  /** Waits until this many more requests have been answered. */
  answered(count: number): Promise<void>;
  stop(): Promise<readonly Answer[]>;
};

/** Enough that each of the clients of a load has requests under way on each instance. */
const someAnswers = 20;

/** Clients that each send one request after the other and take the instances in turn. */
function startLoad(instances: () => readonly InstanceProcess[], clients: number): Load {
  const answers: Answer[] = [];
  let isOver = false;
  let count = 0;
  const run = async (): Promise<void> => {
    while (!isOver) {
      count += 1;
      const all = instances();
      const instance = all[count % all.length];
      if (instance) answers.push(await ask(instance, toPage(`load-${count}`)));
    }
  };
  const running = Promise.all(Array.from({ length: clients }, run));
  return {
    answered(more) {
      const wanted = answers.length + more;
      return until(() => answers.length >= wanted);
    },
    async stop() {
      isOver = true;
      await running;
      return answers;
    },
  };
}

const summarise = (answers: readonly Answer[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status === 200 ? '200' : `${status} ${body.code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

/** Kills the database under load: no request hangs, stored results stay, and the fleet recovers by itself. */
export async function killDatabase(
  scope: Scope,
  postgres: OwnPostgres,
  { rounds, goneMs }: { rounds: number; goneMs: number },
): Promise<{ counts: Record<string, number>; recoveryMs: number[] }> {
  const databaseUrl = await postgres.createDatabase();
  const instances = await Promise.all([
    startInstance(scope, databaseUrl, 'api'),
    startInstance(scope, databaseUrl, 'all'),
    startInstance(scope, databaseUrl, 'worker'),
  ]);
  const [api, all] = instances;
  await whenFleet(api, ({ instances }) => instances === 3);
  const load = startLoad(() => [api, all], 4);
  const recoveryMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await load.answered(someAnswers);
    await postgres.kill();
    await delay(goneMs);
    await postgres.start();
    const since = performance.now();
    await whenFleet(api, ({ database }) => database === 'ok');
    const asked = await ask(api, toPage(`after-${round}`));
    assert.deepEqual([asked.status, asked.body.environment?.attempts], [200, 1], JSON.stringify(asked.body));
    recoveryMs.push(performance.now() - since);
  }
  const answers = await load.stop();
  const counts = summarise(answers);
  // An audit that two outages in a row interrupted is not tried a third time.
  const expected = ['200', '503 queue_unavailable', ...(rounds > 1 ? ['503 lighthouse_unavailable'] : [])];
  const unexpected = Object.keys(counts).filter(name => !expected.includes(name));
  assert.deepEqual(unexpected, [], JSON.stringify(counts));
  const ids = answers.flatMap(({ body }) => body.id ?? []);
  // Results answered while the database was away are stored shortly after it is back.
  await Promise.all([api, all].map(instance => until(async () => (await countWaiting(instance)) === 0)));
  for (const id of ids) {
    const response = await fetch(`${all.url}/results/${id}`);
    assert.equal(response.status, 200, id);
    await response.body?.cancel();
  }
  return { counts, recoveryMs };
}

/** Stops and restarts every instance in turn, as a rollout does. */
export async function stopInTurn(scope: Scope, databaseUrl: string): Promise<Record<string, number>> {
  const roles = ['api', 'all', 'worker'] as const;
  const instances = await Promise.all(roles.map(role => startInstance(scope, databaseUrl, role)));
  /** The instances that get requests from the load balancer, without those about to stop. */
  let open = instances.slice(0, 2);
  const [first] = instances;
  if (first) await whenFleet(first, ({ instances }) => instances === 3);
  const load = startLoad(() => open, 4);
  for (const [at, role] of roles.entries()) {
    const stopping = instances[at];
    if (!stopping) continue;
    await load.answered(someAnswers);
    open = open.filter(instance => instance !== stopping);
    // Requests sent to it so far have arrived; a load balancer waits a moment, too.
    await fleetOf(stopping);
    stopping.child.kill('SIGTERM');
    const fresh = await startInstance(scope, databaseUrl, role);
    assert.equal(await stopping.exited, 0);
    if (role !== 'worker') open = [...open, fresh];
    instances[at] = fresh;
  }
  const counts = summarise(await load.stop());
  assert.deepEqual(Object.keys(counts), ['200'], JSON.stringify(counts));
  return counts;
}
