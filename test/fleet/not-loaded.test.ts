import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** A script that prints the modules of the fleet and of OpenTelemetry that a service has loaded. */
const toScript = (environment: object): string => `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({ resolve(name, context, next) {
    const resolved = next(name, context);
    if (name === 'pg') loaded.add(name);
    if (resolved.url.includes('/src/fleet/')) loaded.add('fleet');
    // prom-client imports the OpenTelemetry API whether tracing is on or not.
    if (name.startsWith('@opentelemetry/') && !context.parentURL.includes('/prom-client/')) loaded.add('opentelemetry');
    return resolved;
  } });
  const { default: pino } = await import('pino');
  const { createService } = await import('./src/service/service.ts');
  const { readSettings } = await import('./src/settings/settings.ts');
  const settings = readSettings({ PORT: '0', DATA_DIR: 'none', ...${JSON.stringify(environment)} });
  const service = await createService(settings, pino({ level: 'silent' }));
  await service.close(0);
  console.log([...loaded].sort().join());`;

const loadedFor = (environment: object): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', toScript(environment)], {
    cwd: new URL('../../', import.meta.url),
  })
    .toString()
    .trim();

test('without a database URL, no fleet code is loaded', () => {
  assert.equal(loadedFor({}), '');
  assert.equal(loadedFor({ DATABASE_URL: 'postgresql://127.0.0.1:1/none' }), 'fleet,pg');
});

test('without an endpoint, no OpenTelemetry code is loaded', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  assert.equal(loadedFor({ OTEL_SERVICE_NAME: 'lab', OTEL_TRACES_EXPORTER: 'otlp' }), '');
  assert.equal(loadedFor({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), '');
  assert.equal(loadedFor(endpoint), 'opentelemetry');
});
