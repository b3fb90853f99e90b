import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scope } from '../support/start-service.ts';
import { countOpenFiles, descendantsOf, isWorker, type Process } from './process-tree.ts';

/** Resources of a service after a garbage collection. */
export type Held = {
  heapBytes: number;
  residentBytes: number;
  /** Number of resources that keep the event loop alive, by their name in `process.getActiveResourcesInfo`. */
  resources: Readonly<Record<string, number>>;
};

type Weighed = Held & { openFiles: number };

export type ServiceProcess = {
  readonly url: string;
  readonly pid: number;
  /** Folder for temporary files, which only its audits use. */
  readonly folder: string;
  weigh(): Promise<Weighed>;
  /** Text on its standard error: a warning from Node, or an unhandled rejection. */
  errors(): string;
  hasEnded(): boolean;
};

/** The folder may have been removed. */
const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Folders of audits: each service has a folder that contains them. */
export const foldersIn = (folder: string): string[] =>
  namesIn(folder)
    .filter(name => name.startsWith('rangelight-'))
    .flatMap(home => namesIn(join(folder, home)).filter(name => name.startsWith('audit-')));

/** All descendants of the service except idle workers. */
export const leftProcesses = ({ pid }: { pid: number }): Process[] =>
  descendantsOf(pid).filter(each => !isWorker(each));

/** A folder for temporary files that a worker running as another user can also use. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-test-'));
  chmodSync(folder, 0o1777);
  return folder;
}

export const removeTemporaryFolder = (folder: string) =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/**
 * PATH, and what locates the browser; no other variables of this process. Without settings, no spare browser: it would
 * count as left behind.
 */
export const childEnvironment = (folder: string, settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv => {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  return {
    PATH,
    HOME,
    XDG_CACHE_HOME,
    TMPDIR: folder,
    PORT: '0',
    SHUTDOWN_GRACE: '0',
    DATA_DIR: 'none',
    LIGHTHOUSE_SPARE: 'off',
    ...settings,
  };
};

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
  if (child.connected) child.send('stop');
  else child.kill('SIGKILL');
  await ended;
  clearTimeout(late);
}

export async function startServiceProcess(
  scope: Scope,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const folder = makeTemporaryFolder();
  const child = fork(fileURLToPath(new URL('./serve.ts', import.meta.url)), [], {
    env: childEnvironment(folder, settings),
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  scope.after(async () => {
    await stop(child);
    removeTemporaryFolder(folder);
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [url] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`the service did not start: ${errors}`))),
  ]);
  const pid = child.pid ?? 0;
  const weigh = async (): Promise<Weighed> => {
    const answered = once(child, 'message');
    child.send('weigh');
    const [held] = (await answered) as [Held];
    return { ...held, openFiles: countOpenFiles(pid) };
  };
  /** Requests are sequential, because an answer does not name its request. */
  let weighed: Promise<Weighed> = weigh();
  await weighed;
  return {
    url: String(url),
    pid,
    folder,
    errors: () => errors,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    weigh() {
      weighed = weighed.then(weigh, weigh);
      return weighed;
    },
  };
}
