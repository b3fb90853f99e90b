/**
 * The tests cannot run containers, so they check that the container files name only settings, commands and files that
 * exist.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { startService } from '../support/start-service.ts';
import { answers, assertSettings, dockerfile, graceSeconds, read, seccompPath, uid, usualPort } from './deploy.ts';
import { projectRoot } from './source-files.ts';

const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<
    string,
    {
      environment: Record<string, string>;
      ports?: string[];
      stop_grace_period?: string;
      security_opt?: string[];
      cap_drop?: string[];
      mem_limit?: string;
      deploy?: { replicas: number };
    }
  >;
};

test('the image contains every file that it copies, and sets every necessary setting', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  assert.ok(copied.length > 5);
  assert.deepEqual(
    copied.filter(path => !existsSync(projectRoot + path)),
    [],
  );
  const allowed = new Set(read('.dockerignore').match(/(?<=^!).+$/gm));
  assert.deepEqual(
    copied.filter(path => !allowed.has(path)),
    [],
  );
  const [, line = ''] = /^ENV (.+)$/m.exec(dockerfile) ?? [];
  const given = Object.fromEntries(line.split(' ').map(pair => pair.split('=') as [string, string]));
  const { NODE_ENV: _, ...own } = given;
  assertSettings(Object.keys(own), 'Dockerfile');
  assert.equal(given.PORT, usualPort);
  assert.match(dockerfile, new RegExp(`^EXPOSE ${usualPort}$`, 'm'));
  assert.ok(dockerfile.includes(`VOLUME ${given.DATA_DIR}`));
  const [, node] = /^FROM node:(\d+)-/m.exec(dockerfile) ?? [];
  const { devDependencies } = JSON.parse(read('package.json'));
  assert.equal(node, devDependencies.node.split('.')[0]);
  assert.match(dockerfile, /^FROM node:\d+-bookworm-slim AS system$/m);
  assert.match(dockerfile, /apt-get install .* chromium-headless-shell .*\btini\b/);
  assert.match(dockerfile, /ENTRYPOINT \["tini", "--", "node", "bin\/rangelight\.js"\]\nCMD \["serve"\]/);
  assert.equal(JSON.parse(read('package.json')).bin.rangelight, 'bin/rangelight.js');
});

test('the image runs without privileges, with its own seccomp profile and a health check', async t => {
  assert.match(dockerfile, new RegExp(`^USER ${uid}$`, 'm'));
  assert.ok(dockerfile.includes(`--cap-drop ALL --security-opt no-new-privileges`));
  assert.ok(dockerfile.includes(`seccomp=${seccompPath}`) && existsSync(projectRoot + seccompPath));
  const [, path = ''] = /^HEALTHCHECK[^\0]*?process\.env\.PORT\}([\w/]+)`/m.exec(dockerfile) ?? [];
  assert.ok(path !== '' && (await answers(await startService(t), path)), path);
});

test('the compose services set every necessary setting, and have time to stop', () => {
  const { database, ...own } = compose.services;
  assert.ok(database);
  assert.deepEqual(
    Object.values(own).map(({ environment }) => environment.ROLE),
    ['api', 'worker'],
  );
  for (const [name, service] of Object.entries(own)) {
    const { environment, stop_grace_period: grace = '' } = service;
    assertSettings(Object.keys(environment), name);
    assert.ok(Number.parseInt(grace, 10) >= graceSeconds, name);
    assert.deepEqual(service.security_opt, ['no-new-privileges', `seccomp=${seccompPath}`], name);
    assert.deepEqual([service.cap_drop, typeof service.mem_limit], [['ALL'], 'string'], name);
  }
  assert.equal(own.worker?.deploy?.replicas, 2);
  assert.deepEqual(own.api?.ports, [`127.0.0.1:${usualPort}:${usualPort}`]);
  const user = database.environment.POSTGRES_USER;
  for (const { environment } of Object.values(own))
    assert.equal(environment.DATABASE_URL, `postgresql://${user}:\${POSTGRES_PASSWORD}@database/rangelight`);
});

test("the seccomp profile allows what the browser's sandbox needs", () => {
  const { defaultAction, syscalls } = JSON.parse(read(seccompPath));
  assert.equal(defaultAction, 'SCMP_ACT_ALLOW');
  const denied = new Set(syscalls.flatMap(({ names }: { names: string[] }) => names));
  for (const name of ['clone', 'clone3', 'unshare', 'setns', 'chroot', 'seccomp']) assert.ok(!denied.has(name), name);
  for (const name of ['mount', 'ptrace', 'kexec_load', 'init_module', 'bpf']) assert.ok(denied.has(name), name);
});
