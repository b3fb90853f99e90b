/** The sample repository goes through a pipeline: first run, harmless change, planted regression, noisy machine. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { whyNoGit } from '../support/git.ts';
import { createSampleRepository } from './sample-repository.ts';

/** Blocks the main thread, and is large for a script. */
const heavy = `const until = performance.now() + 400;
while (performance.now() < until) {}
window.harbour = ${JSON.stringify('x'.repeat(150_000))};
`;

test('the sample repository: a baseline, a harmless change, a regression that is named, and a noisy machine', {
  skip: whyNoGit,
}, async t => {
  const repository = await createSampleRepository(t);
  const { change, commit, git, ci, path, configure } = repository;
  await configure({ urls: ['/'], strategies: ['mobile'] });
  commit('One page on mobile');

  await t.test('the first run creates the baseline and passes', async () => {
    const { code, stdout, stderr } = await ci();
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^Baseline created with 1 result\./);
  });

  git('checkout', '--quiet', '-b', 'harmless');
  await change('public/index.html', page => page.replace('Two lights', 'Two white lights'));
  commit('Name the colour');
  await t.test('a harmless change passes', async () => {
    const { code, stdout, stderr } = await ci();
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^Passed: nothing got worse/);
  });

  await t.test('a noisy machine fails nothing', async () => {
    const hogs = Array.from({ length: 2 }, () => spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }));
    t.after(() => hogs.forEach(hog => void hog.kill('SIGKILL')));
    const { code, stdout, stderr } = await ci();
    for (const hog of hogs) hog.kill('SIGKILL');
    assert.equal(code, 0, stdout + stderr);
  });

  git('checkout', '--quiet', '-b', 'regression', 'main');
  await change('public/index.html', page => page.replace('</head>', '<script src="/heavy.js"></script></head>'));
  await writeFile(path('public/heavy.js'), heavy);
  commit('Add a heavy script');
  await t.test('a planted regression fails, and the summary names the file', async () => {
    const summary = path('summary.md');
    const { code, stdout, stderr } = await ci([], { GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: 'true' });
    assert.equal(code, 1, stdout + stderr);
    assert.match(stdout, /^Failed: 1 result got worse/);
    assert.match(stdout, /^::error title=worse/m);
    const markdown = await readFile(summary, 'utf8');
    assert.match(markdown, /## Rangelight: Failed/);
    assert.match(markdown, /Changed files, the largest effect first:\n\n- added .*heavy\\?\.js/);
    assert.match(await readFile(path('reports/rangelight.xml'), 'utf8'), /<failure message=/);
  });
});
