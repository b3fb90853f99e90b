/**
 * Finds out that a server has fallen silent: it neither answers nor closes its connections. A long statement alone says
 * nothing, so the question is whether the server takes a new connection meanwhile. Where it does not, the connections
 * in use are closed, and every statement that waits on them fails at once as unreachable.
 */
import { Client, type Pool, type PoolClient } from 'pg';

const checkMs = 500;
const patienceMs = 2000;
const proofMs = 2000;

/** A server that refuses a connection in its own words is there. */
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
  /** Since when nothing has been heard. */
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
      // With a statement in flight that closes the socket at once.
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
