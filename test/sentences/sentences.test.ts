/** Every generated sentence in full, with real values. docs/internals/sentences.md shows them to readers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { families, toPlain } from './families.ts';

for (const [heading, cases] of families)
  for (const [values, say, sentence] of cases)
    test(`${heading}: ${values}`, () => assert.equal(toPlain(say()), sentence));
