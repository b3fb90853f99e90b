import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CiConfig } from '../../src/cli/ci/config/config-schema.ts';
import { projectRoot } from './source-files.ts';

test('schema/config.json matches what the code reads', () => {
  const published = JSON.parse(readFileSync(`${projectRoot}/schema/config.json`, 'utf8'));
  assert.deepEqual(
    published,
    JSON.parse(JSON.stringify(CiConfig)),
    'generate it: node src/cli/start.ts ci --print-schema > schema/config.json && npx biome format --write schema',
  );
});
