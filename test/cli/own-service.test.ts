/** A command with a service of its own, in a shell whose variables belong to other programs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCli } from './run-cli.ts';

const show = ['show', '01234567-89ab-cdef-0123-456789abcdef'];

test("a command works alongside an application's variables", async t => {
  const alone = await runCli(t, show);
  const environment = {
    DATABASE_URL: 'postgres://127.0.0.1:1/application',
    ROLE: 'worker',
    API_KEYS: 'a-key-of-16-characters',
    ADMIN_KEYS: 'an-operator-of-16-characters',
    CALLBACK_SECRET: 'short',
    LOG_LEVEL: 'verbose',
  };
  assert.deepEqual(await runCli(t, show, { environment }), alone);
  assert.match(alone.stderr, /kept|stored/);
});

test('RANGELIGHT_DATABASE_URL names the database of a command', async t => {
  const environment = { RANGELIGHT_DATABASE_URL: 'mysql://127.0.0.1/results' };
  const { code, stderr } = await runCli(t, show, { environment });
  assert.equal(code, 2);
  assert.match(stderr, /DATABASE_URL: /);
});
