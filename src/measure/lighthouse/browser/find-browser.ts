import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PreparedBrowser } from '../messages.ts';
import { bundledVersion, hasBundledBrowser, unpackBundledBrowser } from './bundled-browser.ts';

export type FoundBrowser = {
  /** For `/health`, which anyone may read: without a path. */
  name: string;
  /** For the start-up line. */
  description: string;
  /** Why no audit can run in it, where that is plain from the start. */
  fault?: string;
  /** Makes the browser ready to start; cheap after the first time. */
  prepare(): Promise<PreparedBrowser>;
};

const installedNames = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];
const macPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const findInstalled = (path: string): string | undefined => {
  const folders = path.split(delimiter).filter(Boolean);
  const candidates = installedNames.flatMap(name => folders.map(folder => join(folder, name)));
  return [...candidates, ...macPaths].find(isExecutable);
};

const atPath = (executablePath: string, name: string): FoundBrowser => ({
  name,
  description: `Chrome at ${executablePath}`,
  prepare: async () => {
    accessSync(executablePath, constants.X_OK);
    return { executablePath, env: {} };
  },
});

/**
 * The browser audits run in: the configured one, else an installed Chrome or Chromium, else the bundled one.
 * Undefined where there is none; then only the remote side can work.
 */
export function findBrowser({
  chromePath,
  path,
  cacheHome,
}: {
  chromePath: string | undefined;
  path: string;
  cacheHome: string | undefined;
}): FoundBrowser | undefined {
  if (chromePath) {
    const found = atPath(chromePath, 'Chrome of CHROME_PATH');
    return isExecutable(chromePath) ? found : { ...found, fault: `CHROME_PATH ${chromePath} is no program` };
  }
  const installed = findInstalled(path);
  if (installed) return atPath(installed, 'installed Chrome');
  if (!hasBundledBrowser()) return undefined;
  let unpacking: ReturnType<typeof unpackBundledBrowser> | undefined;
  const name = `bundled Chromium ${bundledVersion}`;
  return {
    name,
    description: name,
    prepare: () => {
      unpacking ??= unpackBundledBrowser(cacheHome).catch(error => {
        unpacking = undefined;
        throw error;
      });
      return unpacking;
    },
  };
}
