/** Secrets of the environment in everything that a run of a pipeline writes. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { whyNoGit } from '../support/git.ts';
import { createSampleRepository } from './sample-repository.ts';

const secrets = {
  RANGELIGHT_API_KEY: 'planted-key-of-the-service',
  PREVIEW_TOKEN: 'planted token/in+URL',
  SITE_AUTHORIZATION: 'Bearer planted-header-value',
};
/** The secrets as they are, and as URLs, JSON and other formats encode them. */
const spellings = ['planted-key', 'planted token', 'planted%20token', 'planted+token', 'planted-header'];

test('secrets of the environment are in no output, of a passing or a failing run', {
  skip: whyNoGit,
}, async t => {
  const { folder, path, port, commit, ci } = await createSampleRepository(t);
  rmSync(path('rangelight.config.json'));
  writeFileSync(
    path('rangelight.config.mjs'),
    `const { PREVIEW_TOKEN, SITE_AUTHORIZATION, PORT } = process.env;
export default {
  server: {
    command: process.env.BROKEN ? 'echo "$SITE_AUTHORIZATION $PREVIEW_TOKEN" >&2; exit 1' : 'node server.mjs',
    url: \`http://127.0.0.1:\${PORT}/\`,
  },
  urls: [\`/?token=\${encodeURIComponent(PREVIEW_TOKEN)}&header=\${SITE_AUTHORIZATION.slice(7)}\`],
  strategies: ['mobile'],
  runs: 1,
  assert: ['script-count<=0'],
  output: { json: 'out/a.json', junit: 'out/a.xml', markdown: 'out/a.md', gitlab: 'out/b.json', results: 'out/c.json' },
};
`,
  );
  commit('A preview that wants a token');
  const github = {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: path('out/summary.md'),
    // Other tests use the machine at the same time.
    LIGHTHOUSE_TIMEOUT: '300',
  };
  const assertMasked = (where: string, text: string) => {
    for (const spelling of spellings) assert.ok(!text.includes(spelling), `${spelling} in ${where}:\n${text}`);
  };

  const broken = await ci([], { ...secrets, ...github, BROKEN: '1' });
  assert.equal(broken.code, 3, broken.stderr);
  assertMasked('the output of a broken site', broken.stdout + broken.stderr);

  const { code, stdout, stderr } = await ci([], { ...secrets, ...github });
  assert.equal(code, 1, stderr);
  assert.match(stdout, new RegExp(`http://127\\.0\\.0\\.1:${port}/\\?token=\\*\\*\\*&header=\\*\\*\\*`));
  assert.match(stdout, /^::error title=Budget/m);
  assertMasked('stdout', stdout);
  assertMasked('stderr', stderr);
  const files = readdirSync(`${folder}/out`);
  assert.deepEqual(files.toSorted(), ['a.json', 'a.md', 'a.xml', 'b.json', 'c.json', 'summary.md']);
  for (const name of files) assertMasked(name, readFileSync(path(`out/${name}`), 'utf8').replaceAll('\\', ''));
});
