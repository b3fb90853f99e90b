import { accessSync, constants, createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { createWhole, findCacheFolder } from '../folders/cache-folder.ts';
import type { PreparedBrowser } from '../messages.ts';
import { findDownloaded, findInstalled, isExecutable, type System } from './installed-browser.ts';
import { sqliteStandIn, standInName } from './sqlite-stand-in.ts';

/*
 * Folder of the npm package that contains a compressed Chromium. It lets a machine without a browser, its libraries or
 * fonts run audits. Chromium is unpacked once, to a folder that only its owner can write to. The package's launch flags
 * are not used, because they disable the sandbox and web security.
 */

const packageFolder = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))));

const bundledVersion: string = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version;

/** Returns whether the bundled browser supports this system: the package contains an x64 Linux build only. */
export const hasBundledBrowser = ({ platform, arch }: Pick<System, 'platform' | 'arch'> = process): boolean =>
  platform === 'linux' && arch === 'x64' && existsSync(join(packageFolder, 'bin/chromium.br'));

/**
 * Name of the file. It differs from `fonts.conf`, because the package contains a file of that name with different
 * paths.
 */
const fontsFile = 'rangelight-fonts.conf';

/** Adds fonts to those of the system. Without any font, nothing is painted, and every audit fails with a blank page. */
const fontsConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

const unpackStream = (name: string) =>
  [createReadStream(join(packageFolder, 'bin', name)), createBrotliDecompress({ chunkSize: 1 << 20 })] as const;

/** Replaces the owner recorded in the archives, a different user on this machine, with the current user. */
const asOurs = <H extends { uid?: number; gid?: number }>(header: H): H => ({
  ...header,
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
});

/** Version of the folder's layout. Increment it when files are added, so that older folders are not used. */
const layout = 2;

async function unpackTo(folder: string): Promise<void> {
  const { default: tar } = await import('tar-fs');
  await Promise.all([
    pipeline(...unpackStream('chromium.br'), createWriteStream(join(folder, 'chromium'), { mode: 0o755 })),
    ...['al2023.tar.br', 'swiftshader.tar.br', 'fonts.tar.br'].map(name =>
      pipeline(...unpackStream(name), tar.extract(folder, { dmode: 0o755, fmode: 0o644, map: asOurs })),
    ),
    writeFile(join(folder, fontsFile), fontsConfiguration),
  ]);
  await writeFile(join(folder, 'lib', standInName), sqliteStandIn());
}

/**
 * Unpacks the browser if it is missing (1–3 s, 215 MB). The folder appears only when complete, even if several services
 * unpack at the same time.
 * @throws if no folder is writable, or the disk is full
 */
export async function unpackBundledBrowser(cacheHome: string | undefined): Promise<PreparedBrowser> {
  const cache = await findCacheFolder(cacheHome);
  const folder = join(cache, `chromium-${bundledVersion}-${layout}`);
  await createWhole(folder, unpackTo);
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, fontsFile) },
  };
}

export type FoundBrowser = {
  /** Name for `/health`. It contains no path, because anyone may read it. */
  name: string;
  /** Text for the start-up line. */
  description: string;
  /** Reason why audits cannot run in this browser, if that is known at the start. */
  fault?: string;
  /** Prepares the browser for its start; fast after the first time. */
  prepare(): Promise<PreparedBrowser>;
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
 * Finds the browser for audits: the configured one, or an installed Chrome or Chromium, or the bundled one, or one that
 * Puppeteer has downloaded. Undefined if there is no browser, so that only PSI measurements work.
 */
export function findBrowser({
  chromePath,
  path,
  cacheHome,
  system = { platform: process.platform, arch: process.arch, home: homedir() },
}: {
  chromePath: string | undefined;
  path: string;
  cacheHome: string | undefined;
  system?: System;
}): FoundBrowser | undefined {
  if (chromePath) {
    const found = atPath(chromePath, 'Chrome of CHROME_PATH');
    return isExecutable(chromePath) ? found : { ...found, fault: `CHROME_PATH ${chromePath} is not a program` };
  }
  const installed = findInstalled(path);
  if (installed) return atPath(installed, 'installed Chrome');
  if (!hasBundledBrowser(system)) {
    const downloaded = findDownloaded(system);
    return downloaded === undefined ? undefined : atPath(downloaded, 'downloaded Chrome');
  }
  let unpacking: ReturnType<typeof unpackBundledBrowser> | undefined;
  const name = `bundled Chromium ${bundledVersion}`;
  return {
    name,
    description: name,
    prepare: () => {
      // Each start checks that the folder still exists: a cleaner of temporary files may have removed it.
      unpacking ??= unpackBundledBrowser(cacheHome).finally(() => {
        unpacking = undefined;
      });
      return unpacking;
    },
  };
}
