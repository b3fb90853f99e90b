/** The Prometheus alerts, the dashboard and the systemd unit: checked by the programs that load them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { settingTable } from '../../src/settings/setting-table.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { assertSettings, graceSeconds, read } from './deploy.ts';
import { projectRoot } from './source-files.ts';

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } };
const rules = (parse(read('deploy/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

const missing = (program: string): string | undefined =>
  spawnSync(program, ['--version']).error ? `${program} is not installed` : undefined;
const run = (program: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
};

/** Series with one value a minute, for an hour. */
const constant = (value: number) => `${value}x60`;
const growing = (each: number) => `0+${each}x60`;
const once = (count: number) => `0x40 ${count}x20`;
type Series = Readonly<Record<string, string>>;

const requests = (failed: number, status: string): Series => ({
  'rangelight_http_request_duration_seconds_count{instance="a",status="200"}': growing(100 - failed),
  [`rangelight_http_request_duration_seconds_count{instance="a",status="${status}"}`]: growing(failed),
});
const outcomes = (metric: string, failed: number, outcome: string): Series => ({
  [`rangelight_${metric}_duration_seconds_count{outcome="ok"}`]: growing(100 - failed),
  [`rangelight_${metric}_duration_seconds_count{outcome="${outcome}"}`]: growing(failed),
});
const waits = (withinMinute: number): Series => ({
  'rangelight_audit_wait_seconds_bucket{le="60"}': growing(withinMinute),
  'rangelight_audit_wait_seconds_bucket{le="120"}': growing(100),
  'rangelight_audit_wait_seconds_bucket{le="+Inf"}': growing(100),
});
const gauge = (name: string, firing: number, quiet: number): [Series, Series] => [
  { [`rangelight_${name}{instance="a"}`]: constant(firing) },
  { [`rangelight_${name}{instance="a"}`]: constant(quiet) },
];
const counter = (name: string): [Series, Series] => [
  { [`rangelight_${name}{instance="a"}`]: once(1) },
  { [`rangelight_${name}{instance="a"}`]: constant(3) },
];
const removed = (count: number): Series => ({
  'rangelight_retention_removed_total{instance="a",kind="result"}': once(count),
  'rangelight_results_entries{instance="a"}': constant(10_000),
});

/** For each alert, series under which it fires and series under which it does not. */
const cases: Readonly<Record<string, [firing: Series, quiet: Series]>> = {
  RangelightNoAudits: gauge('audits_available', 0, 1),
  RangelightDatabase: gauge('fleet_reachable', 0, 1),
  RangelightQueueWaits: [waits(40), waits(60)],
  RangelightAuditsFail: [outcomes('audit', 30, 'lighthouse_timeout'), outcomes('audit', 30, 'page_error')],
  RangelightRemoteFails: [outcomes('remote_page', 30, 'psi_unavailable'), outcomes('remote_page', 30, 'page_error')],
  RangelightResultsNotKept: gauge('results_waiting', 2, 0),
  RangelightLeftovers: [{ 'rangelight_leftovers_total{instance="a"}': once(9) }, counter('leftovers_total')[1]],
  RangelightEventLoop: [
    { 'nodejs_eventloop_lag_p99_seconds{job="rangelight",instance="a"}': constant(0.5) },
    { 'nodejs_eventloop_lag_p99_seconds{job="rangelight",instance="a"}': constant(0.02) },
  ],
  RangelightServerErrors: [requests(10, '503'), requests(10, '502')],
  RangelightSchedulesLate: gauge('schedules_late', 1, 0),
  RangelightCallbacksGivenUp: counter('callbacks_given_up_total'),
  RangelightJobsStalled: gauge('jobs_stalled', 1, 0),
  RangelightStoreDamaged: gauge('store_damaged', 1, 0),
  RangelightStoreMovedAside: counter('store_moved_aside_total'),
  RangelightRetentionRefused: gauge('retention_refused', 1, 0),
  RangelightRetentionRemovesMuch: [removed(5000), removed(1500)],
  RangelightDiskFull: gauge('disk_free_bytes', 5e8, 5e9),
};

test('every alert has a severity, a summary, and series that test it', () => {
  assert.deepEqual(Object.keys(cases).toSorted(), rules.map(({ alert }) => alert).toSorted());
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(warning|critical)$/, alert);
    assert.ok(annotations.summary.length > 10, alert);
  }
});

test('each alert fires when it should, and only then', { skip: missing('promtool') }, t => {
  run('promtool', 'check', 'rules', join(projectRoot, 'deploy/alerts.yaml'));
  const toTest = (name: string, series: Series, firing: readonly string[]) => ({
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([of, values]) => ({ series: of, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '1h',
        exp_samples: firing.map(alert => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      },
    ],
  });
  const tests = Object.entries(cases).flatMap(([alert, [firing, quiet]]) => [
    toTest(`${alert} fires`, firing, [alert]),
    toTest(`${alert} is quiet`, quiet, []),
  ]);
  const path = join(makeScratchFolder(t), 'alerts.json');
  writeFileSync(
    path,
    JSON.stringify({ rule_files: [join(projectRoot, 'deploy/alerts.yaml')], evaluation_interval: '1m', tests }),
  );
  run('promtool', 'test', 'rules', path);
});

test('the dashboard loads, and draws every metric that an alert watches', () => {
  type Panel = { id: number; title: string; gridPos: { x: number; y: number }; targets: { expr: string }[] };
  const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as { panels: Panel[] };
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  for (const values of [panels.map(({ id }) => String(id)), panels.map(({ title }) => title), places])
    assert.equal(new Set(values).size, panels.length);
  const drawn = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
  const watched = rules.flatMap(({ expr }) => expr.match(/\b(?:rangelight|nodejs)_[a-z\d_]+/g) ?? []);
  assert.deepEqual(
    watched.filter(name => !drawn.includes(name)),
    [],
  );
});

const unit = read('deploy/rangelight.service');
const settingOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? assert.fail(name);

test('the systemd unit sets every necessary setting, and gives the service time to stop', () => {
  const names = settingOf('Environment')
    .split(' ')
    .map(pair => pair.split('=')[0] ?? '');
  assertSettings(
    names.filter(name => !['NODE_ENV', 'HOME', 'XDG_CACHE_HOME'].includes(name)),
    'rangelight.service',
  );
  const { SHUTDOWN_DELAY: delay } = settingTable as Record<string, { default?: string }>;
  assert.ok(Number(settingOf('TimeoutStopSec')) >= graceSeconds + Number(delay?.default || 0));
  assert.equal(settingOf('KillMode'), 'mixed');
  for (const namespace of ['user', 'pid', 'net'])
    assert.ok(settingOf('RestrictNamespaces').split(' ').includes(namespace));
  for (const group of ['@mount', '@sandbox', '@system-service'])
    assert.ok(!settingOf('SystemCallFilter').includes(group));
});

test('systemd can load the unit', { skip: missing('systemd-analyze') }, t => {
  const path = join(makeScratchFolder(t), 'rangelight.service');
  // The unit need not find an installed command.
  writeFileSync(path, unit.replace('/usr/bin/rangelight', process.execPath));
  run('systemd-analyze', 'verify', '--man=no', path);
});
