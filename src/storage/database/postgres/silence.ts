/**
 * Detects a silent server, which neither answers nor closes its connections. A long statement alone proves nothing, so
 * this opens a new connection. If the server does not accept it, the connections that have been in use for two seconds
 * are closed, and every statement waiting on them fails immediately as unreachable.
 */
import { Client, type Pool, type PoolClient } from 'pg';

const checkMs = 500;
const patienceMs = 2000;
const proofMs = 2000;

/** Returns whether the server responds. A refusal is a response. */
async function isThere(url: string): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: proofMs,
    application_name: 'rangelight proof',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof Error && 'severity' in error;
  } finally {
    client.end().catch(() => {});
  }
}

export function watchForSilence(pool: Pool, url: string): { stop(): void } {
  /** Time of the last activity by connection. */
  const used = new Map<PoolClient, number>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  async function ask(waiting: readonly PoolClient[]): Promise<void> {
    const hasAnswered = await isThere(url);
    const stillUsed = waiting.filter(client => used.has(client));
    for (const client of stillUsed) {
      if (hasAnswered) used.set(client, performance.now());
      // While a statement is in flight, `end` closes the socket immediately.
      else (client as unknown as Client).end().catch(() => {});
    }
  }

  const check = (): void => {
    if (used.size === 0) stop();
    const since = performance.now() - patienceMs;
    const waiting = [...used].filter(([, usedAt]) => usedAt < since).map(([client]) => client);
    if (waiting.length === 0 || isAsking) return;
    isAsking = true;
    void ask(waiting).finally(() => {
      isAsking = false;
    });
  };

  pool.on('acquire', client => {
    used.set(client, performance.now());
    timer ??= setInterval(check, checkMs).unref();
  });
  pool.on('release', (_error, client) => void used.delete(client));
  pool.on('remove', client => void used.delete(client));
  return { stop };
}
