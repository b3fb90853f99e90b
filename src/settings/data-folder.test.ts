import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDataFolder } from './settings.ts';

const user = { env: { HOME: '/home/ada' }, platform: 'linux', isRoot: false } as const;

test('each system has its own place for the state of a program', () => {
  assert.equal(findDataFolder(user), '/home/ada/.local/state/rangelight');
  assert.equal(findDataFolder({ ...user, isRoot: true }), '/var/lib/rangelight');
  assert.equal(
    findDataFolder({ ...user, platform: 'darwin', isRoot: true }),
    '/home/ada/Library/Application Support/Rangelight',
  );
  assert.equal(
    findDataFolder({ env: { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' }, platform: 'win32', isRoot: false }),
    'C:\\Users\\ada\\AppData\\Local\\Rangelight',
  );
});

test('XDG_STATE_HOME takes precedence, also for root, unless it is relative', () => {
  const env = { HOME: '/home/ada', XDG_STATE_HOME: '/srv/state' };
  assert.equal(findDataFolder({ ...user, env }), '/srv/state/rangelight');
  assert.equal(findDataFolder({ ...user, env, isRoot: true }), '/srv/state/rangelight');
  assert.equal(
    findDataFolder({ ...user, env: { ...env, XDG_STATE_HOME: 'state' } }),
    '/home/ada/.local/state/rangelight',
  );
});

test('a user without a home has no place for state', () => {
  for (const HOME of [undefined, '', 'home']) assert.equal(findDataFolder({ ...user, env: { HOME } }), undefined);
  assert.equal(findDataFolder({ env: {}, platform: 'win32', isRoot: false }), undefined);
});
