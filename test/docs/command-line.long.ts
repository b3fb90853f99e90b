import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCliProcess } from '../cli/run-cli.ts';
import { readDocument, startDocumented } from './examples.ts';

const page = readDocument('docs/command-line.md');

/** The first command of the page, and its output. */
const [, commandLine = '', shownOutput = ''] =
  /```sh\nnpx rangelight ([^\n]+)\n```\n\n```text\n([\s\S]*?)```/.exec(page) ?? [];

/** A line without values that vary: numbers, units, ratings, disturbed runs, and column widths. */
const withoutMeasures = (line: string): string =>
  line
    .replaceAll(/[\d.,]+(?:\u00a0| )?(?:ms|s)?\b/g, '0')
    .replaceAll(/[●▲■!]|needs improvement|good|poor|disturbed(?:, 0 without)?|─+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

// `--server` is necessary because only the test's own service resolves example.com; test/cli/local.test.ts runs without
// it.
test('docs/command-line.md shows the command with its real output', async t => {
  const { serviceUrl } = await startDocumented(t);
  // Any measured score passes the first assertion, because a busy machine may disturb the run.
  const args = [...commandLine.replace('performance>=90', 'performance>=1').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  const { code, stdout } = await runCliProcess(t, [...args, '--server', serviceUrl]);
  assert.equal(code, 1);
  const lines = stdout.split('\n');
  let at = -1;
  for (const shown of shownOutput.split('\n').filter(line => line.trim() !== '…')) {
    // A line that ends with an ellipsis is the start of a sentence.
    const [, start] = /^(.*) …$/.exec(shown) ?? [];
    // What disturbed the run comes before it, and moves it to any place of the paragraph.
    const isShown = (line: string, index: number) =>
      start === undefined
        ? withoutMeasures(line) === withoutMeasures(shown)
        : `${line} ${lines[index + 1]}`.includes(start);
    at = lines.findIndex((line, index) => index > at && isShown(line, index));
    assert.notEqual(at, -1, `${shown}\nis not in\n${stdout}`);
  }
  assert.ok(shownOutput.split('\n').length > 10);
});
