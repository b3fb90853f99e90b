import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

export type Running = { url: string; pid: number; stop(): Promise<void> };

const waitForUrl = async (child: ChildProcess): Promise<string> => {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    const url = /http:\/\/[\d.]+:\d+[^\s"]*(?=[\s"])/.exec(text)?.[0];
    if (url) return url;
  }
  throw new Error(`nothing listened: ${text}`);
};

export type HowStarted = {
  /** A command that replaces itself with the command after it, so that the process id stays the same. */
  prefix?: readonly string[];
  /** Another checkout of the project. */
  folder?: string;
};

async function start(
  [script, ...words]: [string, ...string[]],
  env: Record<string, string>,
  { prefix = [], folder = projectFolder }: HowStarted = {},
): Promise<Running> {
  const [command = process.execPath, ...args] = [...prefix, process.execPath, join(folder, script), ...words];
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await waitForUrl(child);
  // Discards the log, so that the process does not block on a full pipe.
  child.stdout?.resume();
  return {
    url,
    pid: child.pid ?? Number.NaN,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/**
 * Starts the service in a separate process on a free port, with default settings except for `settings`. Its data folder
 * is deleted when it stops.
 */
export async function startServiceProcess(
  settings: Record<string, string> = {},
  how: HowStarted = {},
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-bench-'));
  const usual = { PORT: '0', SHUTDOWN_GRACE: '0', DATA_DIR: folder };
  const running = await start(['bin/rangelight.js', 'serve'], { ...usual, ...settings }, how);
  return {
    ...running,
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a bare Fastify that answers `/psi` with these bytes. */
export async function startBareProcess(bytes: Buffer, headers: Record<string, string>, hasDuties: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-bench-'));
  const file = join(folder, 'bytes');
  writeFileSync(file, bytes);
  try {
    const duties: Record<string, string> = hasDuties ? { DUTIES: '1' } : {};
    return await start(['bench/bare-fastify.ts'], { BYTES_FILE: file, HEADERS: JSON.stringify(headers), ...duties });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a PSI v5 server whose results have `kilobytes` of JSON; its URL is a value for PSI_ENDPOINT. */
export const startAnalyserProcess = (kilobytes: number, ms = 0) =>
  start(['bench/fake-analyser.ts'], { KILOBYTES: String(kilobytes), MILLISECONDS: String(ms) });
