/** docs/tutorial.md: every command after the start, in order, with the exit codes that the text promises. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCliProcess } from '../cli/run-cli.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { readDocument, startDocumented } from './examples.ts';

const tutorial = readDocument('docs/tutorial.md');

const blocks = [...tutorial.matchAll(/^```sh\nnpm run --silent measure -- ([\s\S]*?)\n```\n\n([^#`]*)/gm)].map(
  ([, command = '', after = '']) => ({ command: command.replaceAll(/\\\n\s*/g, ''), after }),
);

/** The text below a command says whether it fails. */
const failsIn = (after: string): boolean => /exit code\s+is 1/.test(after);

test('the tutorial leads to a regression, with the exit codes that it promises', async t => {
  const folder = makeScratchFolder(t);
  const { toReal } = await startDocumented(t, { DATA_DIR: join(folder, 'results') });
  assert.ok(blocks.length > 8);
  assert.equal(blocks.filter(({ after }) => failsIn(after)).length, 2);
  for (const { command, after } of blocks) {
    const args = [...toReal(command).matchAll(/'([^']*)'|(\S+)/g)]
      .map(([, quoted, plain]) => quoted ?? plain ?? '')
      .map(word => (word === 'report.html' ? join(folder, word) : word));
    const { code, stdout, stderr } = await runCliProcess(t, args);
    assert.equal(code, failsIn(after) ? 1 : 0, `${command}\n${stdout}\n${stderr}`);
    assert.ok(stdout.length > 0 || args.includes('--html'), command);
  }
});
