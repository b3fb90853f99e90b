/** docs/fields.md is generated from the schemas of the answers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { toFieldsDocument } from '../../build/documents/fields.ts';
import { projectRoot } from './source-files.ts';

const text = toFieldsDocument();

test('docs/fields.md is the generated text (npm run documents)', () => {
  assert.equal(readFileSync(`${projectRoot}docs/fields.md`, 'utf8'), text);
});

test('every field that is not an object has a description', () => {
  const items = text.split(/^- /m).slice(1);
  assert.ok(items.length > 400);
  const bare = items.filter(item => !/\):\s/.test(item) && !/\((list of )?object/.test(item));
  assert.deepEqual(
    bare.map(item => item.trim()).filter(item => !/NAME` \(/.test(item)),
    [],
  );
});
