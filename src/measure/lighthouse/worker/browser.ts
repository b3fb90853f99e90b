import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { browserOwnHost } from '../../../contract/names.ts';
import type { BrowserLaunch, BrowserSettings } from '../messages.ts';

/** Flags that disable the browser's own requests and background work: only the page under audit may use the network. */
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

/** Place of the services that have no switch. Chrome itself refuses this port, and the proxy would refuse the name. */
const nowhere = `https://${browserOwnHost}:1/`;

/** Flags that turn off services of a full Chrome, which a headless shell lacks: decision 008 has the counts. */
const serviceFlags = [
  `--disable-features=${[
    'AimEnabled',
    'AutofillServerCommunication',
    'HttpsFirstBalancedMode',
    'HttpsUpgrades',
    'NetworkTimeServiceQuerying',
    'PreconnectToSearch',
  ].join(',')}`,
  `--component-updater=url-source=${nowhere}`,
  ...['gaia-url', 'gcm-checkin-url', 'gcm-registration-url', 'gcm-mcs-endpoint'].map(name => `--${name}=${nowhere}`),
];

/** Preferences that turn off what a full Chrome does with the words of a page. */
const preferences = {
  alternate_error_pages: { enabled: false },
  browser: { enable_spellchecking: false },
  profile: { password_manager_leak_detection: false },
  safebrowsing: { enabled: false },
};

/**
 * Flags that force all traffic through the proxy. By default, Chrome bypasses the proxy for loopback, and uses UDP if
 * it can.
 */
const doorFlags = [
  '--proxy-bypass-list=<-loopback>',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Chrome looks up hosts of plain http requests itself although the proxy resolves them, and the target policy would
  // not see these queries. `^` replaces the `~` of older versions, which is now looked up as a name.
  '--host-resolver-rules=MAP * ^NOTFOUND , EXCLUDE 127.0.0.1',
];

/**
 * Returns the command line without the driver's additions. A browser without network access gets a proxy that does not
 * exist.
 */
export const toFlags = ({
  sandbox,
  proxyUrl = 'socks5://127.0.0.1:9',
}: Pick<BrowserSettings, 'sandbox' | 'proxyUrl'>): string[] => [
  ...quietFlags,
  ...serviceFlags,
  ...doorFlags,
  `--proxy-server=${proxyUrl}`,
  ...(sandbox ? [] : ['--no-sandbox']),
];

/** Returns only PATH and the browser's own folders, because the service's environment contains keys. */
const environmentFor = ({ browser, folder, scratch }: BrowserLaunch): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LANG: 'en_US.UTF-8',
  HOME: folder,
  TMPDIR: scratch,
  XDG_CACHE_HOME: folder,
  XDG_CONFIG_HOME: folder,
  ...browser.env,
});

/**
 * A browser and its initial empty tab, which is reused: another one would need one more renderer, and a tenth of a
 * second.
 */
export type FreshBrowser = { browser: Browser; page: Page };

/**
 * Starts a browser controlled by a pipe: there is no loopback port that a page could find, and the browser ends with
 * this process.
 * @throws if the browser cannot start; the message contains the end of its stderr
 */
export async function launchBrowser(order: BrowserLaunch): Promise<FreshBrowser> {
  const browser = await launchOnPipe(order).catch(async error => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${await findReason(order)}\n${reason}`, { cause: error });
  });
  try {
    const [page = await browser.newPage()] = await browser.pages();
    // Opens the store of the profile. The first request of a load would wait for it, but not that of a private load,
    // whose store is in memory.
    await browser.cookies();
    return { browser, page };
  } catch (error) {
    await endBrowser(browser);
    throw error;
  }
}

async function launchOnPipe(order: BrowserLaunch): Promise<Browser> {
  const userDataDir = `${order.folder}/profile`;
  await mkdir(`${userDataDir}/Default`, { recursive: true });
  await writeFile(`${userDataDir}/Default/Preferences`, JSON.stringify(preferences));
  return launch({
    executablePath: order.browser.executablePath,
    headless: 'shell',
    pipe: true,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    userDataDir,
    env: environmentFor(order),
    args: toFlags(order.browser),
  });
}

const telling = /FATAL|sandbox|namespace|error while loading|cannot open|not found/i;

/**
 * Finds the reason why the browser did not start. With a pipe, the driver does not report it, so the browser is started
 * again without one.
 */
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

/**
 * Ends the browser and everything in its process group: first by asking it to close, then by a kill. Waits until it has
 * ended.
 */
export async function endBrowser(browser: Browser): Promise<void> {
  const child = browser.process();
  if (!child?.pid) return;
  const { pid } = child;
  const gone = new Promise<void>(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  signalGroup(pid, 'SIGTERM');
  signalGroup(pid, 'SIGCONT');
  await Promise.race([gone, delay(politeMs)]);
  // A hung renderer may outlive the browser, so its group is always killed.
  signalGroup(pid, 'SIGKILL');
  await gone;
}

/** Pauses or resumes all processes of a browser. Does nothing if the browser has ended. */
export function pauseBrowser(browser: Browser, isPaused: boolean): void {
  const child = browser.process();
  if (child?.pid && child.exitCode === null && child.signalCode === null)
    signalGroup(child.pid, isPaused ? 'SIGSTOP' : 'SIGCONT');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has no process left.
  }
}
