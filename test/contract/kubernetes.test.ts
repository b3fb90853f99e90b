/** The tests cannot run Kubernetes, so they compare the manifests with the code and the image. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { startService } from '../support/start-service.ts';
import { answers, assertSettings, dockerfile, graceSeconds, read, seccompPath, uid, usualPort } from './deploy.ts';

type Resources = { cpu?: string; memory?: string };
type Container = {
  resources: { requests: Resources; limits: Resources };
  securityContext: object;
  envFrom: { secretRef: { name: string } }[];
  env?: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  volumeMounts: { mountPath: string }[];
} & Record<'readinessProbe' | 'livenessProbe', { httpGet: { path: string; port: string } }>;
type Pod = {
  terminationGracePeriodSeconds: number;
  securityContext: {
    runAsNonRoot: boolean;
    runAsUser: number;
    seccompProfile: { type: string; localhostProfile?: string };
  };
  containers: Container[];
  volumes: { name: string }[];
};
type Manifest = {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: Pod; metadata: { labels: object } }; selector: { matchLabels: object } } & {
    metrics: { external: { metric: { name: string } } }[];
    scaleTargetRef: { name: string };
    minReplicas: number;
    maxReplicas: number;
  };
};
type AdapterRule = { seriesQuery: string; name: { as: string }; metricsQuery: string };

const manifestText = read('deploy/kubernetes/rangelight.yaml');
const manifests = parseAllDocuments(manifestText).map(each => each.toJS() as Manifest);
const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
const roleOf = (name: string) => (name.endsWith('-worker') ? 'worker' : 'api');

test("the pods have every setting, run as the image's user, and probe existing routes", async t => {
  const service = await startService(t);
  assert.deepEqual(
    deployments.map(({ metadata }) => metadata.name),
    ['rangelight-api', 'rangelight-worker'],
  );
  const [, secret, literals = ''] = /kubectl create secret generic (\S+) (.+)$/m.exec(manifestText) ?? [];
  assertSettings(
    [...literals.matchAll(/--from-literal=(\w+)=/g)].map(([, name = '']) => name),
    'secret',
  );
  for (const { spec, metadata } of deployments) {
    const { spec: pod, metadata: labelled } = spec.template;
    assert.deepEqual(labelled.labels, spec.selector.matchLabels, metadata.name);
    assert.ok(pod.terminationGracePeriodSeconds >= graceSeconds);
    const [container, ...others] = pod.containers;
    assert.ok(container && others.length === 0);
    assertSettings(container.env?.map(({ name }) => name) ?? [], metadata.name);
    assert.deepEqual(container.env?.[0], { name: 'ROLE', value: roleOf(metadata.name) });
    assert.deepEqual(container.envFrom, [{ secretRef: { name: secret } }]);
    assert.deepEqual(container.ports, [{ name: 'http', containerPort: Number(usualPort) }]);
    for (const probe of [container.readinessProbe, container.livenessProbe]) {
      assert.equal(probe.httpGet.port, 'http');
      assert.ok(await answers(service, probe.httpGet.path));
    }
    assert.ok(container.volumeMounts.some(({ mountPath }) => dockerfile.includes(`DATA_DIR=${mountPath}`)));
  }
});

test('the pods have no privileges, but limits; the workers have the sandbox profile and dedicated CPUs', () => {
  // The comment in the manifest says where to copy the file.
  assert.ok(manifestText.includes(`Copy ${seccompPath} to each node`));
  const profiles = {
    api: { type: 'RuntimeDefault' },
    worker: { type: 'Localhost', localhostProfile: `rangelight/${basename(seccompPath)}` },
  };
  for (const { spec, metadata } of deployments) {
    const { securityContext, containers } = spec.template.spec;
    const role = roleOf(metadata.name);
    const { runAsNonRoot, runAsUser, seccompProfile } = securityContext;
    assert.deepEqual([runAsNonRoot, String(runAsUser)], [true, uid]);
    assert.deepEqual(seccompProfile, profiles[role]);
    for (const { resources, securityContext: rights } of containers) {
      assert.deepEqual(rights, { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
      const { requests, limits } = resources;
      assert.ok(requests.cpu && requests.memory && limits.memory, metadata.name);
      // A measuring container has its CPUs and memory for itself.
      if (role === 'worker') assert.deepEqual(limits, requests);
    }
  }
});

test('the autoscaler scales the workers by a wait that the adapter derives from metrics', async t => {
  const metrics = await (await fetch(`${(await startService(t)).url}/metrics`)).text();
  const [scaler, ...others] = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  assert.ok(scaler && others.length === 0);
  assert.equal(scaler.spec.scaleTargetRef.name, 'rangelight-worker');
  assert.ok(scaler.spec.minReplicas < scaler.spec.maxReplicas);
  const asked = scaler.spec.metrics.map(({ external }) => external.metric.name);
  assert.deepEqual(asked, ['rangelight_audit_wait_seconds']);
  const adapter = parse(read('deploy/kubernetes/metrics-adapter.yaml')) as { externalRules: AdapterRule[] };
  assert.deepEqual(
    adapter.externalRules.map(({ name }) => name.as),
    asked,
  );
  for (const { seriesQuery, metricsQuery } of adapter.externalRules) {
    const named = [seriesQuery, ...(metricsQuery.match(/rangelight_\w+/g) ?? [])];
    assert.ok(named.length > 1);
    for (const name of named) assert.match(metrics, new RegExp(`^${name}\\{`, 'm'));
  }
});

test('every deployment has a disruption budget, and the service leads to the pods that answer requests', () => {
  const selectorsOf = (kind: string) =>
    manifests.flatMap(({ kind: its, spec }) => (its === kind ? [JSON.stringify(spec.selector)] : []));
  const deployed = selectorsOf('Deployment');
  assert.equal(deployed.length, 2);
  assert.deepEqual(selectorsOf('PodDisruptionBudget').toSorted(), deployed.toSorted());
  const [, role = ''] = /"role":"(\w+)"/.exec(selectorsOf('Service').join()) ?? [];
  assert.deepEqual(selectorsOf('Service'), [JSON.stringify({ app: 'rangelight', role })]);
  assert.equal(role, 'api');
});
