/** Runs statements of `../sql.ts` over node-postgres. */
import type { Pool, PoolClient } from 'pg';
import { assertStorable, type SqlRow, type SqlValue, type Statement } from '../sql.ts';

const toNumbered = (sql: string): string => {
  let number = 0;
  return sql.replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
};

/** Returns host and name of a database, without user and password. */
export const toLocation = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.host}${parsed.pathname}` : 'PostgreSQL';
};

/** @throws StoreFaultError `invalid_input` */
export async function run(client: PoolClient | Pool, statement: Statement) {
  assertStorable(statement);
  const { sql, values } = statement;
  return client.query<SqlRow & SqlValue[]>({ text: toNumbered(sql), values: [...values], rowMode: 'array' });
}

/** Discards the connection after a failure, because its state is unknown. */
async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const outcome = await work(client);
    client.release();
    return outcome;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

export const inTransaction = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  withClient(pool, async client => {
    await client.query('BEGIN');
    const outcome = await work(client);
    await client.query('COMMIT');
    return outcome;
  });
