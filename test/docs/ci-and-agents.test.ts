/** Every shell command of docs/ci.md and docs/agents.md, as it stands there, in the sample repository. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { parse } from 'yaml';
import { CiConfig } from '../../src/cli/ci/config/config-schema.ts';
import { createSampleRepository } from '../ci/sample-repository.ts';
import { projectRoot } from '../contract/source-files.ts';
import { whyNoGit } from '../support/git.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { readDocument } from './examples.ts';

const [ofCi, ofAgents] = [readDocument('docs/ci.md'), readDocument('docs/agents.md')];
const blocksOf = (document: string, language: string): string[] =>
  [...document.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);

async function runBlock(scope: Scope, block: string, folder: string, environment: Readonly<Record<string, string>>) {
  const { PATH = '', HOME, XDG_CACHE_HOME = '', CHROME_PATH = '' } = process.env;
  const child = spawn('bash', ['-eo', 'pipefail', '-c', block], {
    cwd: folder,
    env: { PATH: [dirname(process.execPath), PATH].join(delimiter), HOME, XDG_CACHE_HOME, CHROME_PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  scope.after(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  assert.equal(code, 0, `${block}${stdout}${stderr}`);
  return stdout;
}

test('every command of docs/ci.md and docs/agents.md runs as it stands there', { skip: whyNoGit }, async t => {
  const { folder, path, port, configure, commit } = await createSampleRepository(t);
  // The least that measures: one load of one page.
  await configure({ urls: ['/'], strategies: ['mobile'], runs: 1, assert: [], output: undefined });
  commit('One page');
  mkdirSync(path('node_modules/.bin'), { recursive: true });
  symlinkSync(projectRoot, path('node_modules/rangelight'));
  symlinkSync('../rangelight/bin/rangelight.js', path('node_modules/.bin/rangelight'));
  const service = await startService(t, { DATA_DIR: 'none' });
  const run = (block: string) =>
    // Other tests share the machine.
    runBlock(t, block.replaceAll('http://127.0.0.1:8000', service.url), folder, {
      PORT: port,
      LIGHTHOUSE_TIMEOUT: '300',
    });

  const [create = '', strict = '', schema = '', ...others] = blocksOf(ofCi, 'sh');
  assert.equal(others.length, 0);
  assert.match(await run(create), /^Baseline created with 1 result\. The next run is compared with it\.$/m);
  // One load of each side decides nothing, which --strict would refuse.
  const answer = await run(strict.replace(' --strict', ''));
  assert.equal(typeof JSON.parse(answer).verdict, 'string');
  assert.deepEqual(JSON.parse(await run(schema)), JSON.parse(JSON.stringify(CiConfig)));

  const [help = '', list = '', short = '', ...more] = blocksOf(ofAgents, 'sh');
  assert.equal(more.length, 0);
  assert.match(await run(help), /^Serves the Model Context Protocol/);
  const listed = await run(list);
  const names = [...ofAgents.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name = '']) => name);
  assert.ok(names.length >= 9);
  for (const name of names) assert.ok(listed.includes(`"name":"${name}"`), name);
  assert.match(await run(short), /^# Rangelight\n/);
});

test('docs/ci.md names every setting, and the job of the sample repository', () => {
  for (const name of Object.keys(CiConfig.properties))
    if (name !== '$schema') assert.ok(ofCi.includes(`\`${name}\``) || ofCi.includes(`\`${name}.`), name);
  const [, job = ''] = blocksOf(ofCi, 'yaml');
  const { 'pages-performance': shown } = parse(job);
  const { 'pages-performance': real } = parse(readFileSync(`${projectRoot}/demo/ci/.gitlab-ci.yml`, 'utf8'));
  const { rules: _, ...rest } = real;
  assert.deepEqual(shown, rest);
});
