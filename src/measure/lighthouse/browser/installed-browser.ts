/**
 * Searches the locations in which Chrome and Chromium are installed, including by `@puppeteer/browsers`, and returns
 * the command that installs a browser.
 */
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Platform and architecture in Node's notation, such as `linux` and `x64`. */
export type System = { readonly platform: string; readonly arch: string; readonly home: string };

const installedNames = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];
const macPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** @param path folders as in `PATH` */
export const findInstalled = (path: string): string | undefined => {
  const folders = path.split(delimiter).filter(Boolean);
  const candidates = installedNames.flatMap(name => folders.map(folder => join(folder, name)));
  return [...candidates, ...macPaths].find(isExecutable);
};

const macProgram = 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing';

/**
 * Folders and programs of Chrome for Testing by platform and architecture, as `@puppeteer/browsers` 3.2 unpacks them.
 * Builds for Linux on ARM exist since Chrome 153; earlier folders `linux_arm-*` contain x64 builds under another name.
 */
const downloads: Readonly<Record<string, { prefix: string; program: string }>> = {
  'linux x64': { prefix: 'linux-', program: 'chrome-linux64/chrome' },
  'linux arm64': { prefix: 'linux_arm-', program: 'chrome-linux-arm64/chrome' },
  'darwin x64': { prefix: 'mac-', program: `chrome-mac-x64/${macProgram}` },
  'darwin arm64': { prefix: 'mac_arm-', program: `chrome-mac-arm64/${macProgram}` },
};

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/**
 * Returns the newest Chrome in Puppeteer's cache. The working directory is not searched, because programs in it may
 * belong to another user.
 */
export function findDownloaded({ platform, arch, home }: System): string | undefined {
  const build = downloads[`${platform} ${arch}`];
  if (!build) return undefined;
  const folder = join(home, '.cache/puppeteer/chrome');
  return namesIn(folder)
    .filter(name => name.startsWith(build.prefix))
    .toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .map(name => join(folder, name, build.program))
    .find(isExecutable);
}

/**
 * Explains that local audits need a browser, with the command that installs one. For root on Linux, and on systems
 * without Chrome for Testing, the command installs the distribution's package: Chrome for Testing includes no system
 * libraries, and the unprivileged user of an audit cannot read root's home. The text contains no path of this machine.
 */
export function noBrowser({ platform, arch }: Pick<System, 'platform' | 'arch'>, isRoot: boolean): string {
  const isServed = `${platform} ${arch}` in downloads;
  const command =
    platform === 'linux' && (isRoot || !isServed)
      ? 'apt-get install chromium'
      : 'npx @puppeteer/browsers install chrome@stable --path ~/.cache/puppeteer';
  const advice = platform === 'linux' || isServed ? `run "${command}"` : 'install one and set CHROME_PATH';
  return `no Chrome or Chromium was found; ${advice}, then start again`;
}

/** Returns the same text for this machine. */
export const noBrowserHere = (): string => noBrowser(process, process.getuid?.() === 0);
