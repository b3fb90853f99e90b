import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const inProject = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export type Running = { url: string; stop(): Promise<void> };

const waitForUrl = async (child: ChildProcess): Promise<string> => {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    const url = /http:\/\/[\d.]+:\d+/.exec(text)?.[0];
    if (url) return url;
  }
  throw new Error(`nothing listened: ${text}`);
};

async function start(script: string, env: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, [inProject(script)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await waitForUrl(child);
  // What it logs from here on is read and thrown away, as by a log collector.
  child.stdout?.resume();
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** The service in a process of its own, with its usual settings, but for these, on a free port. */
export const startServiceProcess = (settings: Record<string, string> = {}) =>
  start('src/main.ts', { PORT: '0', SHUTDOWN_GRACE: '0', ...settings });

/** A bare Fastify that answers every request with these bytes. */
export const startBareProcess = (bytes: string) => start('bench/bare-fastify.ts', { BYTES: bytes });
