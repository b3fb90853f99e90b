/** docs/errors.md agrees with the table of errors in the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { errorTable } from '../../src/contract/errors.ts';
import { readTableRows, withoutBackticks } from './markdown.ts';
import { projectRoot } from './source-files.ts';

const [, codes = ''] = readFileSync(`${projectRoot}docs/errors.md`, 'utf8').split(/^## The codes$/m);

const readRows = () => readTableRows(codes).filter(([code = '']) => /^`?[a-z]+(_[a-z]+)*`?$/.test(code));

const words: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

test('docs/errors.md lists exactly the codes, with their status, whether a retry may help, and who is at fault', () => {
  const documented = readRows().map(([code = '', status = '', retryable = '', fault = '']) => [
    withoutBackticks(code),
    { status: Number(withoutBackticks(status)), retryable: words[withoutBackticks(retryable).toLowerCase()], fault },
  ]);
  const expected = Object.entries(errorTable).map(([code, { status, retryable, fault }]) => [
    code,
    { status, retryable, fault },
  ]);
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(expected));
  assert.equal(documented.length, expected.length, 'each once');
});

test('docs/errors.md explains every code', () => {
  for (const [code, , , , meaning] of readRows()) assert.ok((meaning ?? '').length > 10, code);
});
