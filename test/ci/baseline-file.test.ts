/** A baseline in a JSON file: written by one run, compared with by another one that has no store of earlier results. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { whyNoGit } from '../support/git.ts';
import { createSampleRepository } from './sample-repository.ts';

test('a results file is the baseline of a later run, and an invalid one ends the command before it measures', {
  skip: whyNoGit,
}, async t => {
  const { configure, commit, ci, path, port } = await createSampleRepository(t);
  // Other tests use the machine at the same time.
  const run = (...args: string[]) => ci(args, { LIGHTHOUSE_TIMEOUT: '300', PREVIEW_TOKEN: 'planted-token' });
  await configure({
    urls: ['/?preview=planted-token'],
    strategies: ['mobile'],
    categories: ['seo'],
    runs: 1,
    assert: [],
    output: { results: 'baseline.json' },
  });
  commit('One page');
  const first = await run();
  assert.equal(first.code, 0, first.stdout + first.stderr);
  const written = readFileSync(path('baseline.json'), 'utf8');
  assert.equal(readFileSync(path('.rangelight/.gitignore'), 'utf8'), '*\n');
  rmSync(path('.rangelight'), { recursive: true });

  await configure({ baseline: { file: 'baseline.json' }, output: undefined });
  for (const [text, fault] of [
    [undefined, /rangelight\.config\.json:\d+: the baseline \S*baseline\.json does not exist; write it with "output"/],
    ['{ "results": [', /baseline\.json is not JSON; write it with/],
    ['{ "scores": {} }', /baseline\.json is not a result of Rangelight: .*; write it with/],
    [
      written.replaceAll(`127.0.0.1:${port}/`, '127.0.0.1:1/'),
      /baseline\.json has no result of http:\/\/127\.0\.0\.1:\d+\/\?preview=\*\*\* \(mobile\); it has http:\/\/127\.0\.0\.1:1\/\?preview=\*\*\* \(mobile\)/,
    ],
  ] as const) {
    if (text === undefined) rmSync(path('baseline.json'));
    else writeFileSync(path('baseline.json'), text);
    const { code, stdout, stderr } = await run();
    assert.equal(code, 2, stdout + stderr);
    assert.match(stderr, fault);
    assert.ok(!stdout.includes('Baseline created'));
  }

  writeFileSync(path('stored.json'), written);
  const later = await run('--baseline-file', 'stored.json', '--json');
  assert.equal(later.code, 0, later.stdout + later.stderr);
  const [{ baseline, state, runs, explanation }] = JSON.parse(later.stdout).results;
  assert.match(baseline, /^stored\.json@[0-9a-f]{7}$/);
  assert.deepEqual(runs, [1, 1]);
  // Two loads of one page by one Lighthouse are not compared only if the machine's speed differs.
  if (state === 'not_compared') assert.match(explanation, /cannot be compared \(.*speed of the machine/);
  else assert.ok(['no_difference', 'undecided'].includes(state), explanation);
});
