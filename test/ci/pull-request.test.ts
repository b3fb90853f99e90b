/** The last step of action.yml, run with a `gh` that records its calls and misbehaves on order. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const { runs } = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8')) as {
  runs: { steps: { name: string; run?: string }[] };
};
const script = runs.steps.find(({ name }) => name.startsWith('Update the comment'))?.run ?? '';

type Order = { comments?: string; fails?: string; code?: string; number?: string; summary?: string };

/** A `gh` that answers a list of comments with these ids, and fails calls that match. */
const fakeGh = `#!/bin/bash
printf '%s\\n' "$*" >> "$CALLS"
for given in "$@"; do case "$given" in body=@*) cp "\${given#body=@}" "$CALLS.body" ;; esac; done
if [ -n "$FAILS" ] && [[ "$*" =~ $FAILS ]]; then echo 'gh: Resource not accessible by integration (HTTP 403)' >&2; exit 1; fi
case "$*" in *--paginate*) printf '%b' "$COMMENTS" ;; esac
`;

function runStep(t: TestContext, { comments = '', fails = '', code = '1', number = '7', summary }: Order) {
  const folder = makeScratchFolder(t);
  writeFileSync(join(folder, 'gh'), fakeGh);
  chmodSync(join(folder, 'gh'), 0o755);
  writeFileSync(join(folder, 'calls'), '');
  writeFileSync(
    join(folder, 'rangelight.md'),
    summary ?? '## Failed: 1 result got **worse**\n\n| Page | |\n|---|---|\n',
  );
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], {
    encoding: 'utf8',
    env: {
      ...{ PATH: `${folder}:${process.env.PATH}`, CALLS: join(folder, 'calls'), COMMENTS: comments, FAILS: fails },
      ...{ GH_TOKEN: 'x', NAME: 'rangelight', CODE: code, NUMBER: number, COMMIT: 'abc', RUNNER_TEMP: folder },
      ...{ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'o/r', GITHUB_RUN_ID: '5' },
    },
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  const readBody = () => readFileSync(join(folder, 'calls.body'), 'utf8');
  assert.equal(status, 0, stderr);
  return { calls, stdout, readBody };
}

const statusCall =
  'api --method POST repos/o/r/statuses/abc -f state=failure -f context=rangelight -f description=Failed: 1 result got worse -f target_url=https://github.com/o/r/actions/runs/5';

test('without a comment, one is written with the Markdown of the run, and the commit gets a status', t => {
  const { calls, readBody } = runStep(t, {});
  assert.equal(calls.length, 3);
  assert.match(calls[0] ?? '', /^api --paginate repos\/o\/r\/issues\/7\/comments\?per_page=100 --jq /);
  assert.match(calls[1] ?? '', /^api --method POST repos\/o\/r\/issues\/7\/comments -F body=@/);
  assert.equal(calls[2], statusCall);
  assert.match(readBody(), /^<!-- rangelight: rangelight -->\n## Failed: 1 result got \*\*worse\*\*\n/);
});

test('a comment of an earlier run is updated, the first one if there are two', t => {
  for (const comments of ['11\\n', '11\\n12\\n'])
    assert.match(
      runStep(t, { comments }).calls[1] ?? '',
      /^api --method PATCH repos\/o\/r\/issues\/comments\/11 -F body=@/,
    );
});

test('a token without permission leaves the summary only, and fails nothing', t => {
  const { calls, stdout } = runStep(t, { fails: 'method' });
  assert.equal(calls.length, 3);
  assert.match(stdout, /pull-requests: write/);
  assert.match(stdout, /statuses: write/);
  assert.match(runStep(t, { fails: 'PATCH', comments: '11\\n' }).stdout, /was not updated/);
});

test('no connection fails nothing, and writes no second comment', t => {
  const { calls, stdout } = runStep(t, { fails: '.' });
  assert.equal(calls.length, 2);
  assert.match(stdout, /cannot be read/);
});

test('a push has a status only, and a run that could not measure is an error', t => {
  const { calls } = runStep(t, { number: '', code: '3', summary: '' });
  assert.equal(calls.length, 1);
  assert.match(calls[0] ?? '', /state=error/);
});

test('a long summary is cut at a line, below the limit of a comment', t => {
  const row = `| ${'x'.repeat(90)} |\n`;
  const body = runStep(t, { summary: row.repeat(2000) }).readBody();
  assert.ok(body.length < 65_536);
  assert.ok(body.endsWith(row));
});
