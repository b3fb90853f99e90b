/**
 * Runs every command of docs/tutorial.md after the start, and checks the exit codes in the text. Five runs become one,
 * and independent commands run concurrently: the exit codes stay the same.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCliProcess } from '../cli/run-cli.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { readDocument, startDocumented } from './examples.ts';

const tutorial = readDocument('docs/tutorial.md');

const blocks = [...tutorial.matchAll(/^```sh\n(?:export [^\n]+\n)?npx rangelight ([\s\S]*?)\n```\n\n([^#`]*)/gm)].map(
  ([, command = '', after = '']) => ({ command: command.replaceAll(/\\\n\s*/g, ''), after }),
);

/** Whether the text after a command says that it fails. */
const failsIn = (after: string): boolean => /exit code\s+is 1/.test(after);

/** Commands that read stored results, or simulate, which needs an idle machine to end in time. */
const needsEarlier = (command: string): boolean => /--baseline|^history|^what-if/.test(command);

test('the tutorial leads to a regression, with the exit codes that it promises', async t => {
  const folder = makeScratchFolder(t);
  const { serviceUrl, toReal } = await startDocumented(t, {
    DATA_DIR: join(folder, 'results'),
    LIGHTHOUSE_TIMEOUT: '300',
  });
  const run = async ({ command, after }: (typeof blocks)[number]) => {
    const args = [
      ...toReal(command)
        .replace('--runs 5', '--runs 1')
        .matchAll(/'([^']*)'|(\S+)/g),
    ]
      .map(([, quoted, plain]) => quoted ?? plain ?? '')
      .map(word => (word === 'report.html' ? join(folder, word) : word));
    const { code, stdout, stderr } = await runCliProcess(t, args, { environment: { RANGELIGHT_SERVER: serviceUrl } });
    assert.equal(code, failsIn(after) ? 1 : 0, `${command}\n${stdout}\n${stderr}`);
    assert.ok(stdout.length > 0 || args.includes('--html'), command);
  };
  assert.ok(blocks.length > 8);
  assert.equal(blocks.filter(({ after }) => failsIn(after)).length, 2);
  await Promise.all(blocks.filter(({ command }) => !needsEarlier(command)).map(run));
  await Promise.all(blocks.filter(({ command }) => needsEarlier(command)).map(run));
});
