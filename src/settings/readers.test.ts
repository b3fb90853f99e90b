import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraces } from './readers.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const usual = { exporter: 'otlp', protocol: 'http/protobuf' };

test('traces are off without an endpoint, whatever else is set', () => {
  assert.equal(readTraces({}), undefined);
  assert.equal(readTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }), undefined);
  assert.equal(readTraces({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SERVICE_NAME: 'lab' }), undefined);
  assert.equal(readTraces({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318' }), undefined);
});

test('an endpoint turns them on: that for all signals, or that for traces', () => {
  assert.deepEqual(readTraces(endpoint), usual);
  assert.deepEqual(readTraces({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }), usual);
  assert.deepEqual(readTraces({ ...endpoint, OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'false' }), usual);
});

test('OTEL_SDK_DISABLED=true and OTEL_TRACES_EXPORTER=none disable traces', () => {
  for (const value of ['true', 'TRUE', ' True '])
    assert.equal(readTraces({ ...endpoint, OTEL_SDK_DISABLED: value }), undefined);
  assert.equal(readTraces({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }), undefined);
});

test('the protocol of traces overrides that of all signals', () => {
  const both = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' };
  assert.equal(readTraces({ ...endpoint, ...both })?.protocol, 'http/json');
  assert.equal(readTraces({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })?.protocol, 'grpc');
});
