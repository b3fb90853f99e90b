import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { unavailable } from '../audit-failure.ts';
import { findBrowser } from './find-browser.ts';
import { findDownloaded, noBrowser } from './installed-browser.ts';

const home = mkdtempSync(join(tmpdir(), 'rangelight-home-'));
after(() => rmSync(home, { recursive: true, force: true }));

function install(path: string, mode = 0o755): string {
  const program = join(home, path);
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '', { mode });
  return program;
}

const mac = 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing';
install('.cache/puppeteer/chrome/linux_arm-152.0.7977.82/chrome-linux64/chrome');
install('.cache/puppeteer/chrome/linux_arm-153.0.8010.36/chrome-linux-arm64/chrome');
const newest = install('.cache/puppeteer/chrome/linux_arm-1000.0.1.2/chrome-linux-arm64/chrome');
install('.cache/puppeteer/chrome/linux_arm-1001.0.1.2/chrome-linux-arm64/chrome', 0o644);
const onMac = install(`.cache/puppeteer/chrome/mac_arm-153.0.8010.36/chrome-mac-arm64/${mac}`);

test("the newest Chrome for this platform and CPU is found in Puppeteer's cache", () => {
  assert.equal(findDownloaded({ platform: 'linux', arch: 'arm64', home }), newest);
  assert.equal(findDownloaded({ platform: 'darwin', arch: 'arm64', home }), onMac);
  for (const [platform, arch] of [
    ['darwin', 'x64'],
    ['linux', 'riscv64'],
    ['win32', 'x64'],
  ] as const)
    assert.equal(findDownloaded({ platform, arch, home }), undefined);
  assert.equal(findDownloaded({ platform: 'linux', arch: 'arm64', home: join(home, 'nowhere') }), undefined);
});

test('an installed Chromium is preferred to a downloaded Chrome, and a downloaded one to none', async () => {
  const system = { platform: 'linux', arch: 'arm64', home };
  const find = (path: string, other = system) =>
    findBrowser({ chromePath: undefined, path, cacheHome: undefined, system: other });
  const chromium = install('bin/chromium');
  assert.equal((await find(dirname(chromium))?.prepare())?.executablePath, chromium);
  assert.equal((await find('')?.prepare())?.executablePath, newest);
  assert.equal(find('')?.name, 'downloaded Chrome');
  assert.equal(find('', { ...system, arch: 'riscv64' }), undefined);
});

test('without a browser, the reason ends with advice for this system, and so does the error', () => {
  const npx = 'run "npx @puppeteer/browsers install chrome@stable --path ~/.cache/puppeteer"';
  const apt = 'run "apt-get install chromium"';
  for (const [platform, arch, isRoot, advice] of [
    ['darwin', 'arm64', false, npx],
    ['darwin', 'x64', true, npx],
    ['linux', 'arm64', false, npx],
    ['linux', 'arm64', true, apt],
    ['linux', 'riscv64', false, apt],
    ['win32', 'x64', false, 'install one and set CHROME_PATH'],
  ] as const) {
    const reason = `no Chrome or Chromium was found; ${advice}, then start again`;
    assert.equal(noBrowser({ platform, arch }, isRoot), reason);
    assert.equal(unavailable(reason).message, `Local audits are not possible here: ${reason}.`);
  }
});
