import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectRoot } from '../contract/source-files.ts';
import { startFaultSite } from './fault-site.ts';

test('every fault of the site is audited by a test', async t => {
  const { names } = await startFaultSite(t);
  const tests = globSync('test/faults/page-*.{test,long}.ts', { cwd: projectRoot })
    .map(path => readFileSync(`${projectRoot}${path}`, 'utf8'))
    .join('\n');
  assert.ok(names.length > 80);
  assert.deepEqual(
    names.filter(name => name !== 'fine' && !tests.includes(`'${name}'`)),
    [],
  );
});
