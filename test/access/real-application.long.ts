/**
 * A real application with a login of its own: the editor of Node-RED, which shows its login at the same URL with status
 * 200, and stores a token in localStorage. It is installed for this test only.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

const password = 'flow-Sentinel-09';

const toSettings = (port: string, folder: string) => `module.exports = {
  uiPort: ${port}, uiHost: '127.0.0.1', userDir: ${JSON.stringify(folder)},
  adminAuth: { type: 'credentials', users: [
    { username: 'admin', password: require('bcryptjs').hashSync('${password}', 4), permissions: '*' },
  ] },
  editorTheme: { tours: false, palette: { catalogues: [] } },
  telemetry: { enabled: false },
};`;

test('the editor of Node-RED is measured logged out and logged in, and its login has no score', async t => {
  const folder = makeScratchFolder(t);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const install = ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', 'node-red@5.0.7'];
  // The environment names the registry, and the proxy to it.
  await promisify(execFile)('npm', install, { cwd: folder });
  const url = await findClosedPort();
  await writeFile(join(folder, 'settings.cjs'), toSettings(new URL(url).port, join(folder, 'data')));
  const script = join(folder, 'node_modules/node-red/red.js');
  const child = spawn(process.execPath, [script, '--settings', join(folder, 'settings.cjs')], {
    cwd: folder,
    stdio: 'ignore',
  });
  t.after(() => void child.kill('SIGKILL'));
  await until(() =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const service = await startService(t, {}, undefined, { audits: usualAudits });

  const measure = async (access?: object) => {
    const response = await fetch(`${service.url}/lighthouse`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        url: `${url}/`,
        strategy: 'desktop',
        categories: ['performance'],
        ...(access ? { access } : {}),
      }),
    });
    const text = await response.text();
    assert.ok(!text.includes(password));
    return { text, body: JSON.parse(text) };
  };
  const expect = { selector: '#red-ui-header-button-deploy' };
  const login = {
    timeout: 30_000,
    steps: [
      { type: 'navigate', url: `${url}/` },
      { type: 'change', selectors: [['#node-dialog-login-username']], value: 'admin' },
      { type: 'change', selectors: [['#node-dialog-login-password']], value: `\${PASSWORD}` },
      { type: 'click', selectors: [['aria/Login'], ['#node-dialog-login-submit']] },
      { type: 'waitForElement', selectors: [['#red-ui-header-button-deploy']] },
    ],
  };

  const { body: loggedOut } = await measure();
  assert.ok(loggedOut.scores.performance !== null);
  const { body: refused } = await measure({ cookies: [{ name: 'none', value: 'no session' }], expect });
  assert.equal(refused.code, 'login_required');
  const { body: loggedIn, text } = await measure({ login, secrets: { PASSWORD: password }, expect });
  assert.ok(loggedIn.scores?.performance !== null, text.slice(0, 500));
  // The editor loads its nodes and its settings only for a user.
  const requests = ({ lighthouse_result: { audits } }: typeof loggedIn): string[] =>
    audits['network-requests'].details.items.map((item: { url: string }) => new URL(item.url).pathname);
  assert.ok(requests(loggedIn).includes('/nodes') && !requests(loggedOut).includes('/nodes'));
  t.diagnostic(`logged out: ${loggedOut.scores.performance}, ${requests(loggedOut).length} requests`);
  t.diagnostic(`logged in: ${loggedIn.scores.performance}, ${requests(loggedIn).length} requests`);
});
