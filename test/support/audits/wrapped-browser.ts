/** The browser the service would find, with flags that only a test may give it. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '../../../src/measure/lighthouse/browser/find-browser.ts';
import type { Scope } from '../start-service.ts';

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * @param before a line of shell that runs first
 * @returns a path for `CHROME_PATH`
 */
export async function wrapBrowser(scope: Scope, flags: readonly string[], before = ''): Promise<string> {
  const { PATH = '', XDG_CACHE_HOME } = process.env;
  const browser = await findBrowser({ chromePath: undefined, path: PATH, cacheHome: XDG_CACHE_HOME })?.prepare();
  if (!browser) throw new Error('no browser to wrap');
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-wrapped-'));
  scope.after(() => rmSync(folder, { recursive: true }));
  // The user that runs audits must be able to read the folder.
  chmodSync(folder, 0o755);
  const path = join(folder, 'browser');
  const environment = Object.entries(browser.env).map(([name, value]) => `${name}=${quoted(value)}`);
  const command = ['exec env', ...environment, quoted(browser.executablePath), '"$@"', ...flags.map(quoted)];
  writeFileSync(path, `#!/bin/sh\n${before}\n${command.join(' ')}\n`, { mode: 0o755 });
  return path;
}
