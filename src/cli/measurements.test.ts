import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArguments } from './input/arguments.ts';
import { toMeasurements } from './measurements.ts';

const pathsOf = (...args: string[]): string[] => {
  const command = readArguments(args, {});
  assert.ok(command.kind === 'measure');
  return toMeasurements(['http://localhost/'], command.wanted).map(({ call }) => call.path);
};

test('--exclusive is sent to the service, for one side and for both', () => {
  assert.deepEqual(pathsOf('a.com', '--exclusive'), [
    'lighthouse?url=http%3A%2F%2Flocalhost%2F&strategy=mobile&exclusive=true',
  ]);
  assert.deepEqual(pathsOf('a.com', '--compare', '--exclusive'), [
    'compare?url=http%3A%2F%2Flocalhost%2F&strategy=mobile&exclusive=true',
  ]);
});

test('--runs is sent to the service as it was given, a number or auto', () => {
  const page = 'lighthouse?url=http%3A%2F%2Flocalhost%2F&strategy=mobile';
  assert.deepEqual(pathsOf('a.com'), [page]);
  assert.deepEqual(pathsOf('a.com', '--runs', '3'), [`${page}&runs=3`]);
  assert.deepEqual(pathsOf('a.com', '--runs', 'auto'), [`${page}&runs=auto`]);
});
