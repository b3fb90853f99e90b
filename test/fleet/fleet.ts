/** Instances of a fleet in one process, without HTTP, with simulated pools. */

import { createFleetDatabase, type FleetDatabase, fleetSchema } from '../../src/fleet/database.ts';
import { createNotices } from '../../src/fleet/notices.ts';
import type { FleetSettings } from '../../src/fleet/queue/context.ts';
import { createFleetAnalyser } from '../../src/fleet/queue/fleet-analyser.ts';
import type { HostConditions } from '../../src/measure/lhr/to-result.ts';
import type { AuditOptions, AuditRequest } from '../../src/measure/lighthouse/pool.ts';
import type { ReadPage } from '../../src/measure/lighthouse/read-page.ts';
import { openPostgres } from '../../src/storage/database/postgres/postgres.ts';
import { createSimulatedPool, type SimulatedPool } from '../support/audits/simulated-pool.ts';
import type { Scope } from '../support/start-service.ts';

export type Read = { url: string; attempt: number | undefined; conditions: HostConditions };

export const toRequest = (url = 'https://page.test/'): AuditRequest => ({
  url,
  strategy: 'mobile',
  categories: ['performance'],
  profile: 'psi',
  locale: 'en-US',
});

/** A caller's reading of the result. */
export const readUrl: ReadPage<Read> = async (bytes, conditions) => ({
  url: JSON.parse(Buffer.from(bytes).toString()).requestedUrl,
  attempt: conditions.attempt,
  conditions,
});

export type Instance = Awaited<ReturnType<typeof openInstance>>;

type Changes = Partial<Omit<FleetSettings, 'database' | 'notices' | 'pool'>> & { pool?: SimulatedPool | undefined };

/** The shared database of the fleet, on connections of its own. */
export function openFleetDatabase({ url }: { url: string }): FleetDatabase {
  const postgres = openPostgres({ url, schemas: [fleetSchema] });
  const database = createFleetDatabase(postgres);
  return {
    ...database,
    async close() {
      await database.close();
      await postgres.close();
    },
  };
}

/** Opens one instance; the role `api` has no pool. */
export async function openInstance(scope: Scope, url: string, { role = 'all', slots = 2, ...changes }: Changes = {}) {
  const opened = openFleetDatabase({ url });
  /** Statements outside transactions. */
  const statements: string[] = [];
  const database: FleetDatabase = {
    ...opened,
    query(sql, values) {
      statements.push(sql);
      return opened.query(sql, values);
    },
  };
  const notices = createNotices(database);
  const pool = role === 'api' ? undefined : (changes.pool ?? createSimulatedPool({ slots }));
  const log: { event: string; facts: Record<string, unknown> }[] = [];
  const analyser = await createFleetAnalyser({
    version: '1',
    targets: 'any',
    waitingPerMachine: 50,
    timeoutMs: 60_000,
    checkPage: () => async () => ({}),
    log: (event, facts) => log.push({ event, facts }),
    ...changes,
    database,
    notices,
    role,
    slots,
    pool,
  }).catch(async error => {
    await notices.close();
    await database.close();
    throw error;
  });
  let isClosed = false;
  const close = async (graceMs = 0) => {
    if (isClosed) return;
    isClosed = true;
    await analyser.close(graceMs);
    await notices.close();
    await database.close();
  };
  scope.after(() => close());
  await notices.whenListening();
  const ask = (
    page?: string,
    options: AuditOptions = {},
    signal = new AbortController().signal,
    changes: Partial<AuditRequest> = {},
  ) => analyser.audit({ ...toRequest(page), ...changes }, readUrl, signal, options);
  return { analyser, pool: pool as SimulatedPool, database, notices, statements, log, ask, close };
}
