/** docs/internals/sentences.md is generated from the cases in test/sentences/. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { toSentencesDocument } from '../../build/documents/sentences.ts';
import { projectRoot } from './source-files.ts';

test('docs/internals/sentences.md is the generated text (npm run documents)', () => {
  assert.equal(readFileSync(`${projectRoot}docs/internals/sentences.md`, 'utf8'), toSentencesDocument());
});
