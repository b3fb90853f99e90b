import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRunning } from '../../../test/support/is-running.ts';
import { makeScratchFolder } from '../../../test/support/scratch-folder.ts';
import { findClosedPort } from '../../../test/support/sites/local-server.ts';
import { startSecureServer } from '../../../test/support/sites/secure-server.ts';
import { until } from '../../../test/support/until.ts';
import { startServerCommand } from './server-command.ts';

const { signal } = new AbortController();
/** Starts a child that serves and ignores SIGTERM, and writes its process id into a file. */
const parent = (port: string, file: string) => `
  const { spawn } = require('node:child_process');
  const serve = "process.on('SIGTERM', () => {}); require('node:http').createServer((_, r) => r.end('ok')).listen(${port}, '127.0.0.1')";
  const child = spawn(process.execPath, ['-e', serve], { stdio: 'ignore' });
  require('node:fs').writeFileSync('${file}', String(child.pid));
  setInterval(() => {}, 1000);
`;

const quoted = (script: string) => `"${process.execPath}" -e '${script.replaceAll("'", `'\\''`)}'`;

test('a server command ends with its grandchildren, even those that ignore SIGTERM', async t => {
  const folder = makeScratchFolder(t);
  const url = await findClosedPort();
  const file = join(folder, 'pid');
  const command = quoted(parent(new URL(url).port, file));
  const server = await startServerCommand({ command, url }, { cwd: folder, env: process.env, signal });
  const pid = Number(readFileSync(file, 'utf8'));
  assert.ok(isRunning(pid));
  assert.equal(await (await fetch(url)).text(), 'ok');
  await server?.stop();
  await until(() => !isRunning(pid));
});

for (const [how, end] of [
  ['that exits without stopping it', 'void server.stop(); process.exit(130);'],
  ['that is killed', "process.kill(process.pid, 'SIGKILL');"],
] as const)
  test(`a server command ends with a process ${how}`, async t => {
    const folder = makeScratchFolder(t);
    const url = await findClosedPort();
    const file = join(folder, 'pid');
    const order = { command: quoted(parent(new URL(url).port, file)), url };
    const script = `
      import { startServerCommand } from ${JSON.stringify(import.meta.resolve('./server-command.ts'))};
      const around = { cwd: process.cwd(), env: process.env, signal: new AbortController().signal };
      const server = await startServerCommand(${JSON.stringify(order)}, around);
      ${end}
    `;
    const options = { cwd: folder, stdio: 'ignore' } as const;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], options);
    const [code, signal] = await once(child, 'exit');
    assert.ok(code === 130 || signal === 'SIGKILL', `${code} ${signal}`);
    const pid = Number(readFileSync(file, 'utf8'));
    t.after(() => {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    });
    await until(() => !isRunning(pid));
  });

test('a command that exits or never answers is rejected with its last output', async t => {
  const folder = makeScratchFolder(t);
  const url = await findClosedPort();
  const start = (script: string, timeout = 60) =>
    startServerCommand({ command: quoted(script), url, timeout }, { cwd: folder, env: process.env, signal });
  await assert.rejects(start("console.error('no module'); process.exit(3)"), /ended with code 3 before .*no module/s);
  const file = join(folder, 'waiting');
  const waiting = `require('node:fs').writeFileSync('${file}', String(process.pid)); setInterval(() => {}, 1000)`;
  await assert.rejects(start(waiting, 1), /did not respond within 1 s/);
  if (existsSync(file)) await until(() => !isRunning(Number(readFileSync(file, 'utf8'))));
});

test('a port in use is rejected', async t => {
  const server = (await import('node:http')).createServer((_, response) => response.end());
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  t.after(() => void server.close());
  const { port } = server.address() as { port: number };
  const order = { command: 'true', url: `http://127.0.0.1:${port}/` };
  await assert.rejects(
    startServerCommand(order, { cwd: makeScratchFolder(t), env: {}, signal }),
    /Something already responds at .* before the server command started/,
  );
});

test('a site that runs already is left alone if it may, and a command may start one and end', async t => {
  const folder = makeScratchFolder(t);
  const url = await findClosedPort();
  const { port } = new URL(url);
  const around = { cwd: folder, env: process.env, signal };
  const serve = `require('node:http').createServer((_, r) => r.end('ok')).listen(${port}, '127.0.0.1')`;
  const started = await startServerCommand({ command: `${quoted(serve)} &`, url, mayRun: true }, around);
  assert.ok(started);
  const file = join(folder, 'ran');
  assert.equal(await startServerCommand({ command: `touch ${file}`, url, mayRun: true }, around), undefined);
  assert.ok(!existsSync(file));
  await started.stop();
  await assert.rejects(startServerCommand({ command: 'exit 3', url, mayRun: true }, around), /ended with code 3/);
});

test('a server whose certificate is invalid is named at once', async t => {
  const { url } = await startSecureServer(t, 'hello');
  const around = { cwd: makeScratchFolder(t), env: {}, signal };
  await assert.rejects(
    startServerCommand({ command: 'sleep 60', url, mayRun: true }, around),
    /responds, but its HTTPS connection fails \((?:DEPTH_ZERO_SELF_SIGNED_CERT|\w+)\)\. Serve the site over http/,
  );
  const command = 'sleep 60';
  const given = { certificates: { ignore_errors: true } };
  assert.equal(await startServerCommand({ command, url, conditions: given, mayRun: true }, around), undefined);
  const named = `https://shop.example:1/`;
  const hosts = { 'shop.example': new URL(url).host };
  assert.equal(
    await startServerCommand({ command, url: named, conditions: { hosts }, mayRun: true }, around),
    undefined,
  );
});
