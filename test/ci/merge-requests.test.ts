/** The calls of docs/ci.md for GitLab and Bitbucket, run as they stand there against a server with the API of both. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { generate } from 'selfsigned';
import { readDocument } from '../docs/examples.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const [, block = ''] = /^```text\n(curl [\s\S]*?)^```$/m.exec(readDocument('docs/ci.md')) ?? [];
const [, ofGitlab = '', ofBitbucket = ''] = /^(curl [\s\S]*?)^(jq [\s\S]*)$/m.exec(block) ?? [];

/** A comment with everything that a shell, a form or JSON has to escape. */
const report = '## Failed: 1 result got **worse**\n\n| Page & more | `a="b"` |\n|---|---|\n100 % $HOME \\ ü + 🚢\n';
const token = 'secret-token';

const environment = {
  CI_API_V4_URL: 'https://gitlab.example/api/v4',
  CI_PROJECT_ID: '42',
  CI_MERGE_REQUEST_IID: '7',
  BITBUCKET_REPO_FULL_NAME: 'team/shop',
  BITBUCKET_PR_ID: '9',
};

type Call = { readonly target: string; readonly type: string | undefined; readonly body: string };

/** Runs a shell whose curl reaches the server under every name. The server refuses calls without the token. */
async function run(t: TestContext, shell: string, TOKEN = token) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'api.example' }], { keyType: 'ec' });
  const calls: Call[] = [];
  const server = createServer({ key, cert }, async (request, response) => {
    const { method, url, headers } = request;
    const isKnown = headers.authorization === `Bearer ${token}`;
    const body = await text(request);
    if (isKnown) calls.push({ target: `${method} https://${headers.host}${url}`, type: headers['content-type'], body });
    response.writeHead(isKnown ? 201 : 401, { 'content-type': 'application/json' });
    response.end(isKnown ? '{"id":1}' : '{"message":"401 Unauthorized"}');
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  t.after(() => void server.close());
  const folder = makeScratchFolder(t);
  writeFileSync(join(folder, 'report.md'), report);
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(folder, '.curlrc'), `insecure\nconnect-to = "::127.0.0.1:${port}"\n`);
  const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', shell], {
    cwd: folder,
    env: { PATH: process.env.PATH, CURL_HOME: folder, TOKEN, ...environment },
  });
  return { calls, stdout };
}

test('on GitLab, the report is a note of the merge request', async t => {
  const [call, ...others] = (await run(t, ofGitlab)).calls;
  assert.deepEqual(others, []);
  assert.equal(call?.target, 'POST https://gitlab.example/api/v4/projects/42/merge_requests/7/notes');
  assert.equal(call?.type, 'application/x-www-form-urlencoded');
  assert.deepEqual([...new URLSearchParams(call?.body)], [['body', report]]);
});

test('on Bitbucket, the report is a comment of the pull request', async t => {
  const [call, ...others] = (await run(t, ofBitbucket)).calls;
  assert.deepEqual(others, []);
  assert.equal(call?.target, 'POST https://api.bitbucket.org/2.0/repositories/team/shop/pullrequests/9/comments');
  assert.equal(call?.type, 'application/json');
  assert.deepEqual(JSON.parse(call?.body ?? ''), { content: { raw: report } });
});

test('a token that is refused, as on a fork, fails no pipeline, and the log has the answer', async t => {
  for (const shell of [ofGitlab, ofBitbucket]) {
    const { calls, stdout } = await run(t, shell, '');
    assert.deepEqual(calls, []);
    assert.match(stdout, /401 Unauthorized/);
  }
});
