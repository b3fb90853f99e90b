/** docs/command-line.md explains how a program reads the command's output in the checkout, and names every option. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { withOptionLists } from '../../build/documents/options.ts';
import { toHelp } from '../../src/cli/input/help.ts';
import { projectRoot } from '../contract/source-files.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { readDocument } from './examples.ts';

const page = readDocument('docs/command-line.md');

test('the command for programs prints only its JSON in the checkout', async () => {
  const [, program = '', ...words] = /^`(npx) (rangelight) /m.exec(page) ?? [];
  const args = [...words, '--json', 'localhost', '--server', await findClosedPort()];
  const { stdout } = spawnSync(program, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  assert.equal(JSON.parse(stdout).code, 'no_connection');
});

test('docs/command-line.md has the generated lists (npm run documents)', () => {
  assert.equal(withOptionLists(page), page);
});

test('docs/command-line.md explains every option of --help', () => {
  const options = [...toHelp('measure').matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option);
  assert.ok(options.length > 12);
  assert.deepEqual(
    [...new Set(options)].filter(option => !page.includes(option)),
    [],
  );
});
