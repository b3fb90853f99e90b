/**
 * The sample repository goes through a pipeline as it stands, two pages on both devices: first run, harmless change,
 * noisy machine, planted regression.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { Row } from '../../src/cli/ci/outputs/report.ts';
import { projectRoot } from '../contract/source-files.ts';
import { whyNoGit } from '../support/git.ts';
import { createSampleRepository } from './sample-repository.ts';

/** Blocks the main thread, and is large for a script. */
const heavy = `const until = performance.now() + 400;
while (performance.now() < until) {}
window.harbour = ${JSON.stringify('x'.repeat(150_000))};
`;

/** A line without its numbers, its port and the label of its baseline. */
const withoutNumbers = (line: string): string =>
  line
    .replaceAll(/main@\S+/g, 'main@')
    .replaceAll(/[\d.,]+/g, '0')
    .replaceAll(/results? got|points?/g, 'one')
    .replaceAll(/\s+/g, ' ');

/** docs/ci.md shows this regression: every line of it is a line of the real output, or its beginning. */
function assertShownIn(output: string): void {
  const [shown = ''] = /^Failed: [\s\S]*?(?=^```$)/m.exec(readFileSync(`${projectRoot}docs/ci.md`, 'utf8')) ?? [];
  const real = output.split('\n').map(withoutNumbers);
  const lines = shown.split('\n').map(line => withoutNumbers(line.replace(/ …$/, '')));
  assert.ok(lines.length > 4);
  for (const line of lines)
    assert.ok(
      real.some(one => one.startsWith(line)),
      `${line}\nis not in\n${output}`,
    );
}

test('the sample repository goes through a baseline, a harmless change, a noisy machine, and a named regression', {
  skip: whyNoGit,
}, async t => {
  const repository = await createSampleRepository(t);
  const { change, commit, git, ci, path, port } = repository;
  const readRows = async () =>
    (JSON.parse(await readFile(path('reports/rangelight.json'), 'utf8')) as { results: Row[] }).results;
  const pages = ['/', '/about.html'].flatMap(page =>
    ['mobile', 'desktop'].map(strategy => `http://127.0.0.1:${port}${page} ${strategy}`),
  );
  /** Every page was compared with the baseline, and none got worse. */
  const assertCompared = (rows: readonly Row[]) => {
    assert.deepEqual(rows.map(({ url, strategy }) => `${url} ${strategy}`).toSorted(), pages.toSorted());
    for (const row of rows) {
      // A page whose settings prevent a verdict is `not_compared`.
      assert.ok(['no_difference', 'undecided', 'better'].includes(row.state), JSON.stringify(row));
      assert.match(row.baseline ?? '', /^main@/);
      assert.ok(
        row.runs?.every(runs => runs > 0),
        JSON.stringify(row),
      );
    }
  };

  await t.test('the first run creates the baseline and passes', async () => {
    const { code, stdout, stderr } = await ci();
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^Baseline created with 4 results\. The next run is compared with it\./);
  });

  git('checkout', '--quiet', '-b', 'harmless');
  await change('public/index.html', page => page.replace('Two lights', 'Two white lights'));
  commit('Name the colour');
  await t.test('a harmless change passes', async () => {
    const { code, stdout, stderr } = await ci();
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^Passed: nothing got worse/);
    assertCompared(await readRows());
  });

  await t.test('on a noisy machine the build does not fail', async () => {
    const hogs = Array.from({ length: availableParallelism() }, () =>
      spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }),
    );
    const stop = () => hogs.forEach(hog => void hog.kill('SIGKILL'));
    t.after(stop);
    const { code, stdout, stderr } = await ci();
    stop();
    assert.equal(code, 0, stdout + stderr);
    assertCompared(await readRows());
  });

  git('checkout', '--quiet', '-b', 'regression', 'main');
  await change('public/index.html', page => page.replace('</head>', '<script src="/heavy.js"></script></head>'));
  await writeFile(path('public/heavy.js'), heavy);
  commit('Add a heavy script');
  await t.test('a planted regression fails, and the summary names the file', async () => {
    const summary = path('summary.md');
    const { code, stdout, stderr } = await ci([], { GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: 'true' });
    assert.equal(code, 1, stdout + stderr);
    assert.match(stdout, /^Failed: [12] of 4 results got worse\./);
    assert.match(stdout, /^::error title=worse/m);
    assertShownIn(stdout);
    const worse = (await readRows()).filter(({ state }) => state === 'worse');
    assert.ok(
      worse.every(({ url }) => url.endsWith('/')),
      'the page that did not change',
    );
    const markdown = await readFile(summary, 'utf8');
    assert.match(markdown, /## Rangelight: Failed/);
    assert.match(markdown, /Changed files, the largest effect first:\n\n- added .*heavy\\?\.js/);
    assert.match(await readFile(path('reports/rangelight.xml'), 'utf8'), /<failure message=/);
  });
});
