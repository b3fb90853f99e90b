import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, launch, type Page } from 'puppeteer-core';
import type { BrowserLaunch, BrowserSettings } from '../messages.ts';

/**
 * No chatter of the browser's own: nothing but the page under audit may reach the network, and nothing may disturb
 * the measurement.
 */
const quietFlags = [
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-domain-reliability',
  '--disable-field-trial-config',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-first-run',
  '--no-pings',
];

/** Nothing but the proxy. Chrome passes by it for loopback unless told not to, and with UDP wherever it can. */
const doorFlags = [
  '--proxy-bypass-list=<-loopback>',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // It looks up the name of every plain http request itself, though the proxy resolves: a query that no policy sees.
  // Written with ^: the ~ of older versions is taken for a name, and looked up.
  '--host-resolver-rules=MAP * ^NOTFOUND , EXCLUDE 127.0.0.1',
];

/** The whole command line but for what the driver adds. What would go nowhere gets a proxy that is not there. */
export const toFlags = ({
  sandbox,
  proxyUrl = 'http://127.0.0.1:9',
}: Pick<BrowserSettings, 'sandbox' | 'proxyUrl'>): string[] => [
  ...quietFlags,
  ...doorFlags,
  `--proxy-server=${proxyUrl}`,
  ...(sandbox ? [] : ['--no-sandbox']),
];

/** PATH and the browser's own folders: the service's environment holds keys and stays here. */
const environmentFor = ({ browser, folder, scratch }: BrowserLaunch): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LANG: 'en_US.UTF-8',
  HOME: folder,
  TMPDIR: scratch,
  XDG_CACHE_HOME: folder,
  XDG_CONFIG_HOME: folder,
  ...browser.env,
});

/** A browser, and the empty tab that it opened: to open another takes a renderer more, and a tenth of a second. */
export type FreshBrowser = { browser: Browser; page: Page };

/**
 * A fresh browser that speaks over a pipe: no loopback port for a page to find, and it ends when this process does.
 * @throws when the browser cannot start; the message carries the end of its stderr.
 */
export async function launchBrowser(order: BrowserLaunch): Promise<FreshBrowser> {
  const browser = await launchOnPipe(order).catch(async error => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${await findReason(order)}\n${reason}`, { cause: error });
  });
  try {
    const [page = await browser.newPage()] = await browser.pages();
    return { browser, page };
  } catch (error) {
    await endBrowser(browser);
    throw error;
  }
}

const launchOnPipe = (order: BrowserLaunch): Promise<Browser> =>
  launch({
    executablePath: order.browser.executablePath,
    headless: 'shell',
    pipe: true,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    userDataDir: `${order.folder}/profile`,
    env: environmentFor(order),
    args: toFlags(order.browser),
  });

const telling = /FATAL|sandbox|namespace|error while loading|cannot open|not found/i;

/** With a pipe a failed start says only that it failed. Started once more without one, the browser says why. */
async function findReason(order: BrowserLaunch): Promise<string> {
  const { browser, folder } = order;
  const profile = `--user-data-dir=${folder}/plain`;
  const args = [...toFlags(browser), '--headless', profile, '--dump-dom', 'about:blank'];
  const options = { env: environmentFor(order), timeout: 10_000, killSignal: 'SIGKILL' } as const;
  const { stderr } = await promisify(execFile)(browser.executablePath, args, options).catch(
    (error: Error & { stderr?: string }) => ({ stderr: error.stderr || error.message }),
  );
  const lines = stderr.split('\n').filter(line => line.trim() !== '');
  return (lines.find(line => telling.test(line)) ?? lines.at(-1) ?? '').slice(0, 500);
}

const politeMs = 500;

/** Ends the browser and everything in its process group: asked first, then killed. Waits until it is gone. */
export async function endBrowser(browser: Browser): Promise<void> {
  const child = browser.process();
  if (!child?.pid) return;
  const { pid } = child;
  const gone = new Promise<void>(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  signalGroup(pid, 'SIGTERM');
  await Promise.race([gone, delay(politeMs)]);
  // Also when the browser itself is gone: a renderer that hangs may have outlived it.
  signalGroup(pid, 'SIGKILL');
  await gone;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No process is left in it.
  }
}
