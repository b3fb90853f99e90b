/** `/lighthouse` against the `lighthouse` command: same page, same browser, same user, in turn. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser } from '../src/lighthouse/browser/find-browser.ts';
import { measurePairs, type Paired, timeMs } from './measure.ts';
import { startServiceProcess } from './processes.ts';

const commandPath = fileURLToPath(import.meta.resolve('lighthouse/cli/index.js'));

/** As root the command gets the user that the service gives its workers: both keep the browser's sandbox. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

async function runCommand(url: string): Promise<void> {
  const { PATH = '', CHROME_PATH, XDG_CACHE_HOME } = process.env;
  const browser = await findBrowser({ chromePath: CHROME_PATH, path: PATH, cacheHome: XDG_CACHE_HOME })?.prepare();
  if (!browser) throw new Error('no browser to measure with');
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-bench-'));
  await chmod(folder, 0o777);
  const flags = '--headless --disable-quic --disable-background-networking --disable-component-update --disable-sync';
  const output = ['--output=json', `--output-path=${folder}/lhr.json`, '--quiet', '--no-enable-error-reporting'];
  const categories = '--only-categories=performance,accessibility,best-practices,seo';
  const child = spawn(process.execPath, [commandPath, url, ...output, categories, `--chrome-flags=${flags}`], {
    ...user,
    env: { PATH, HOME: folder, TMPDIR: folder, CHROME_PATH: browser.executablePath, ...browser.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', chunk => {
    errors += String(chunk);
  });
  const [code] = await once(child, 'exit');
  await rm(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the lighthouse command failed: ${errors}`);
}

async function ask(baseUrl: string, url: string): Promise<void> {
  const response = await fetch(`${baseUrl}/lighthouse?url=${encodeURIComponent(url)}`);
  const result = (await response.json()) as { scores?: { performance: number | null } };
  if (typeof result.scores?.performance !== 'number') throw new Error(`no score: ${JSON.stringify(result)}`);
}

/** Milliseconds for one audit each. One run of either goes before: nobody is measured while files are cold. */
export async function compareWithCommand(pageUrl: string, pairs: number): Promise<Paired> {
  const service = await startServiceProcess();
  try {
    await ask(service.url, pageUrl);
    await runCommand(pageUrl);
    return await measurePairs(
      pairs,
      () => timeMs(() => ask(service.url, pageUrl)),
      () => timeMs(() => runCommand(pageUrl)),
      (pair, ours, theirs) =>
        console.error(`  audit ${pair}/${pairs}: service ${Math.round(ours)} ms, command ${Math.round(theirs)} ms`),
    );
  } finally {
    await service.stop();
  }
}
