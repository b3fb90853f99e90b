/** The files for containers against the code: what cannot be run here must at least name what there is. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { settingTable } from '../../src/settings/setting-table.ts';
import { startService } from '../support/start-service.ts';
import { projectRoot } from './source-files.ts';

const read = (path: string): string => readFileSync(`${projectRoot}${path}`, 'utf8');
const settings = new Set(Object.keys(settingTable));
const { default: usualPort } = settingTable.PORT;

type Container = {
  env?: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  volumeMounts: { mountPath: string }[];
} & Record<'readinessProbe' | 'livenessProbe', { httpGet: { path: string; port: string } }>;
type Pod = {
  terminationGracePeriodSeconds: number;
  securityContext: { runAsUser: number };
  containers: Container[];
  volumes: { name: string }[];
};
type Manifest = {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: Pod; metadata: { labels: object } }; selector: { matchLabels: object } } & {
    metrics: { external: { metric: { name: string } } }[];
    scaleTargetRef: { name: string };
  };
};

const dockerfile = read('Dockerfile');
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, { environment: Record<string, string>; ports?: string[]; stop_grace_period?: string }>;
};
const manifests = parseAllDocuments(read('deploy/kubernetes/rangelight.yaml')).map(each => each.toJS() as Manifest);
const deployments = manifests.filter(({ kind }) => kind === 'Deployment');

const assertSettings = (names: readonly string[], where: string) =>
  assert.deepEqual(
    names.filter(name => !settings.has(name)),
    [],
    where,
  );

/** With time for what the service does when it is told to stop. */
const graceSeconds = Number(settingTable.SHUTDOWN_GRACE.default) + 10;

test('the image has every file that it copies, and sets what there is to set', () => {
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
  assert.match(dockerfile, /ENTRYPOINT \["tini", "--", "node", "bin\/rangelight\.js"\]\nCMD \["serve"\]/);
});

test('the services of compose set what there is to set, and have time to stop', () => {
  const { database, ...own } = compose.services;
  assert.ok(database);
  assert.deepEqual(
    Object.values(own).map(({ environment }) => environment.ROLE),
    ['api', 'worker'],
  );
  for (const [name, { environment, stop_grace_period: grace = '' }] of Object.entries(own)) {
    assertSettings(Object.keys(environment), name);
    assert.ok(Number.parseInt(grace, 10) >= graceSeconds, name);
  }
  assert.deepEqual(own.api?.ports, [`127.0.0.1:${usualPort}:${usualPort}`]);
  const user = database.environment.POSTGRES_USER;
  for (const { environment } of Object.values(own))
    assert.equal(environment.DATABASE_URL, `postgresql://${user}:\${POSTGRES_PASSWORD}@database/rangelight`);
});

test('the pods set what there is to set, as the user of the image, and probe what answers', async t => {
  const service = await startService(t);
  assert.equal(deployments.length, 2);
  const [, uid] = /--uid (\d+)/.exec(dockerfile) ?? [];
  for (const { spec, metadata } of deployments) {
    const { spec: pod, metadata: labelled } = spec.template;
    assert.deepEqual(labelled.labels, spec.selector.matchLabels, metadata.name);
    assert.ok(pod.terminationGracePeriodSeconds >= graceSeconds);
    assert.equal(String(pod.securityContext.runAsUser), uid);
    for (const container of pod.containers) {
      assertSettings(container.env?.map(({ name }) => name) ?? [], metadata.name);
      assert.deepEqual(container.ports, [{ name: 'http', containerPort: Number(usualPort) }]);
      for (const probe of [container.readinessProbe, container.livenessProbe]) {
        assert.equal(probe.httpGet.port, 'http');
        assert.notEqual((await fetch(service.url + probe.httpGet.path)).status, 404);
      }
      assert.ok(container.volumeMounts.some(({ mountPath }) => dockerfile.includes(`DATA_DIR=${mountPath}`)));
    }
  }
});

test('what scales, is disrupted or is served names a deployment, and a metric that is counted', async t => {
  const service = await startService(t);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const [scaler] = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  const names = deployments.map(({ metadata }) => metadata.name);
  assert.ok(names.includes(scaler?.spec.scaleTargetRef.name ?? ''));
  for (const { external } of scaler?.spec.metrics ?? assert.fail())
    assert.match(metrics, new RegExp(`^# TYPE ${external.metric.name} `, 'm'));
  const selectors = deployments.map(({ spec }) => JSON.stringify(spec.selector.matchLabels));
  for (const { kind, spec } of manifests) {
    if (kind === 'PodDisruptionBudget') assert.ok(selectors.includes(JSON.stringify(spec.selector.matchLabels)));
    if (kind === 'Service') assert.ok(selectors.includes(JSON.stringify(spec.selector)));
  }
});

test('the seccomp profile leaves the sandbox of the browser what it needs', () => {
  const { defaultAction, syscalls } = JSON.parse(read('deploy/seccomp.json'));
  assert.equal(defaultAction, 'SCMP_ACT_ALLOW');
  const denied = new Set(syscalls.flatMap(({ names }: { names: string[] }) => names));
  for (const name of ['clone', 'clone3', 'unshare', 'setns', 'chroot', 'seccomp']) assert.ok(!denied.has(name), name);
  for (const name of ['mount', 'ptrace', 'kexec_load', 'init_module', 'bpf']) assert.ok(denied.has(name), name);
});
