import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** Prints which parts of the fleet, and which clients of PostgreSQL, a service loads that starts and ends. */
const script = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ resolve(name, context, next) {
    if (/^pg(-boss)?$|\\/fleet\\//.test(name)) loaded.push(name);
    return next(name, context);
  } });
  const { default: pino } = await import('pino');
  const { createService } = await import('./src/service.ts');
  const { readSettings } = await import('./src/settings/settings.ts');
  const settings = readSettings({ PORT: '0', LIGHTHOUSE_SPARE: 'off', DATA_DIR: 'none', PATH: '', ...JSON.parse(process.argv[1]) });
  const service = await createService(settings, pino({ level: 'silent' }));
  await service.close(0);
  console.log(JSON.stringify(loaded));
  process.exit();`;

const loadedWith = (environment: Record<string, string>): string[] =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script, JSON.stringify(environment)], {
      cwd: new URL('../../', import.meta.url),
    }).toString(),
  );

test('without DATABASE_URL nothing of the fleet is loaded', () => {
  assert.deepEqual(loadedWith({}), []);
  assert.ok(loadedWith({ DATABASE_URL: 'postgresql://127.0.0.1:1/none' }).includes('pg'));
});
