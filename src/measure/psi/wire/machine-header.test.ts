import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMachineHeader, writeMachineHeader } from './machine-header.ts';

test('the facts of a machine are read back as written', () => {
  for (const machine of [
    { id: '0123456789abcdef', processors: 2 },
    { id: 'fedcba9876543210', processors: 0.25 },
  ])
    assert.deepEqual(readMachineHeader(writeMachineHeader(machine)), machine);
});

test('values of another server are ignored', () => {
  const values = [
    undefined,
    '',
    ['a', 'b'],
    'x',
    '0123456789abcdef',
    '0123456789abcdef; processors=0',
    '0; processors=1',
  ];
  for (const value of values) assert.equal(readMachineHeader(value), undefined, String(value));
});
