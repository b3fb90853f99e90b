import { accessSync, constants, createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import tar from 'tar-fs';
import { createWhole, findCacheFolder } from '../folders/cache-folder.ts';
import type { PreparedBrowser } from '../messages.ts';
import { findDownloaded, findInstalled, isExecutable, type System } from './installed-browser.ts';
import { sqliteStandIn, standInName } from './sqlite-stand-in.ts';

/*
 * The Chromium that comes inside an npm package, so that a machine without a browser, its libraries or fonts can
 * audit all the same. Unpacked once to a folder that only its owner can write to. Its own launch flags are not used:
 * they give up the sandbox and web security.
 */

const packageFolder = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))));

const bundledVersion: string = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version;

/** The package holds an x64 Linux build only. */
export const hasBundledBrowser = ({ platform, arch }: Pick<System, 'platform' | 'arch'> = process): boolean =>
  platform === 'linux' && arch === 'x64' && existsSync(join(packageFolder, 'bin/chromium.br'));

/** Not `fonts.conf`: the package brings one, with the paths of another place. */
const fontsFile = 'rangelight-fonts.conf';

/** Without any font nothing is painted, and every audit ends as a blank page: ours are added to the system's. */
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

/** The archives name the user that made them, who is someone else here. */
const asOurs = <H extends { uid?: number; gid?: number }>(header: H): H => ({
  ...header,
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
});

/** Counted up when other files are put next to the browser, so that a folder of before is not taken for one of now. */
const layout = 2;

async function unpackTo(folder: string): Promise<void> {
  await Promise.all([
    pipeline(...unpackStream('chromium.br'), createWriteStream(join(folder, 'chromium'), { mode: 0o755 })),
    ...['al2023.tar.br', 'swiftshader.tar.br', 'fonts.tar.br'].map(name =>
      pipeline(...unpackStream(name), tar.extract(folder, { dmode: 0o755, fmode: 0o644, map: asOurs })),
    ),
    writeFile(join(folder, fontsFile), fontsConfiguration),
  ]);
  await writeFile(join(folder, 'lib', standInName), sqliteStandIn());
}

const settingsFor = (folder: string): PreparedBrowser => ({
  executablePath: join(folder, 'chromium'),
  env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, fontsFile) },
});

/**
 * Unpacks the browser unless it is there (1–3 s, 215 MB). The folder appears whole or not at all, also when several
 * services unpack at once.
 * @throws when there is no folder to write to, or no room
 */
export async function unpackBundledBrowser(cacheHome: string | undefined): Promise<PreparedBrowser> {
  const cache = await findCacheFolder(cacheHome);
  const folder = join(cache, `chromium-${bundledVersion}-${layout}`);
  await createWhole(folder, unpackTo);
  return settingsFor(folder);
}

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

const atPath = (executablePath: string, name: string): FoundBrowser => ({
  name,
  description: `Chrome at ${executablePath}`,
  prepare: async () => {
    accessSync(executablePath, constants.X_OK);
    return { executablePath, env: {} };
  },
});

/**
 * The browser audits run in: the configured one, else an installed Chrome or Chromium, else the bundled one, else one
 * that Puppeteer has downloaded. Undefined if there is none; then only the remote side can work.
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
      unpacking ??= unpackBundledBrowser(cacheHome).catch(error => {
        unpacking = undefined;
        throw error;
      });
      return unpacking;
    },
  };
}
