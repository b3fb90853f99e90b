import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scope } from '../support/start-service.ts';
import { countOpenFiles, descendantsOf, isWorker, type Process } from './process-tree.ts';

/** What a service holds, after it has let go of what it can. */
export type Held = {
  heapBytes: number;
  residentBytes: number;
  /** How many of each kind keep the event loop alive, as `process.getActiveResourcesInfo` names them. */
  resources: Readonly<Record<string, number>>;
};

type Weighed = Held & { openFiles: number };

export type ServiceProcess = {
  readonly url: string;
  readonly pid: number;
  /** Where its audits make their folders; nothing else does. */
  readonly folder: string;
  weigh(): Promise<Weighed>;
  /** What stood on its standard error: a warning of Node's, an unhandled rejection. */
  errors(): string;
  hasEnded(): boolean;
};

/** Empty when it is gone meanwhile. */
const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Folders of audits: each service has one of its own, with those of its audits in it. */
export const foldersIn = (folder: string): string[] =>
  namesIn(folder)
    .filter(name => name.startsWith('rangelight-'))
    .flatMap(home => namesIn(join(folder, home)).filter(name => name.startsWith('audit-')));

/** All that descends from the service but for workers at rest. */
export const leftProcesses = ({ pid }: { pid: number }): Process[] =>
  descendantsOf(pid).filter(each => !isWorker(each));

/** A folder for temporary files that a worker under another user can use too. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-test-'));
  chmodSync(folder, 0o1777);
  return folder;
}

export const removeTemporaryFolder = (folder: string) =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/** PATH and what finds the browser: nothing else of this process. A spare browser would count as left behind. */
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
  /** One question after the other: an answer does not say which it answers. */
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
