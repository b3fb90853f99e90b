/** Runs every shell command of docs/ci.md and docs/agents.md as written, in the sample repository. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Errors } from 'typebox/value';
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

async function runBlock(
  scope: Scope,
  block: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
  codes: readonly number[] = [0],
) {
  const { PATH = '', HOME, XDG_CACHE_HOME = '', CHROME_PATH = '' } = process.env;
  const child = spawn('bash', ['-eo', 'pipefail', '-c', block], {
    cwd: folder,
    env: { PATH: [dirname(process.execPath), PATH].join(delimiter), HOME, XDG_CACHE_HOME, CHROME_PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  scope.after(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  assert.ok(codes.includes(code ?? -1), `${block}${stdout}${stderr}`);
  return stdout;
}

test('every command in docs/ci.md and docs/agents.md runs', { skip: whyNoGit }, async t => {
  const { folder, path, port, configure, commit } = await createSampleRepository(t);
  // The smallest configuration that measures: one page, one run, no assertions, no further runs.
  await configure({
    urls: ['/'],
    strategies: ['mobile'],
    categories: ['seo'],
    runs: 1,
    assert: [],
    output: { results: 'main.json' },
  });
  commit('One page');
  mkdirSync(path('node_modules/.bin'), { recursive: true });
  symlinkSync(projectRoot, path('node_modules/rangelight'));
  symlinkSync('../rangelight/bin/rangelight.js', path('node_modules/.bin/rangelight'));
  const service = await startService(t, { DATA_DIR: 'none' });
  // The long timeout is necessary because other tests share the machine.
  const environment = { PORT: port, LIGHTHOUSE_TIMEOUT: '300' };
  const run = (block: string, codes?: readonly number[]) =>
    runBlock(t, block.replaceAll('http://127.0.0.1:8000', service.url), folder, environment, codes);

  const [install = '', create = '', strict = '', fromFile = '', schema = '', plan = '', ...others] = blocksOf(
    ofCi,
    'sh',
  );
  assert.equal(others.length, 0);
  // test/cli/package.long.ts packs and installs it.
  assert.match(install, /^npm install --no-save \.\/rangelight-[\d.]+\.tgz\n$/);
  assert.match(await run(create), /^Baseline created with 1 result\. The next run is compared with it\.$/m);
  const written = readFileSync(path('main.json'));
  // One run of each side rarely gives a verdict, which fails under --strict.
  const answer = await run(strict, [0, 1]);
  assert.match(JSON.parse(answer).verdict, /^(?:Passed|Failed): /);
  writeFileSync(path('main.json'), written);
  assert.match(await run(fromFile, [0, 1]), /^(?:Passed|Failed): /);
  assert.deepEqual(JSON.parse(await run(schema)), JSON.parse(JSON.stringify(CiConfig)));
  assert.match(await run(plan), /^Pages$/m);

  const [help = '', list = '', short = '', ...more] = blocksOf(ofAgents, 'sh');
  assert.equal(more.length, 0);
  assert.match(await run(help), /^Serves? the Model Context Protocol/);
  const [connection = ''] = blocksOf(ofAgents, 'json');
  const { command, args } = JSON.parse(connection).mcpServers.rangelight;
  const client = new Client({ name: 'test', version: '1' });
  t.after(() => client.close());
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH: [dirname(process.execPath), PATH].join(delimiter), HOME, DATA_DIR: 'none' };
  await client.connect(new StdioClientTransport({ command, args, cwd: folder, env, stderr: 'ignore' }));
  const listed = await run(list);
  const names = [...ofAgents.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name = '']) => name);
  assert.ok(names.length >= 9);
  for (const name of names) assert.ok(listed.includes(`"name":"${name}"`), name);
  assert.deepEqual((await client.listTools()).tools.map(({ name }) => name).toSorted(), names.toSorted());
  assert.match(await run(short), /^# Rangelight\n/);
});

test('docs/ci.md names every setting, a valid configuration, and the job of the sample repository', () => {
  for (const name of Object.keys(CiConfig.properties))
    if (name !== '$schema') assert.ok(ofCi.includes(`\`${name}\``) || ofCi.includes(`\`${name}.`), name);
  const [config = ''] = blocksOf(ofCi, 'json');
  assert.deepEqual([...Errors(CiConfig, JSON.parse(config))], []);
  const [, job = ''] = blocksOf(ofCi, 'yaml');
  const { 'pages-performance': shown } = parse(job);
  const { 'pages-performance': real } = parse(readFileSync(`${projectRoot}/demo/ci/.gitlab-ci.yml`, 'utf8'));
  const { rules: _, ...rest } = real;
  assert.deepEqual(shown, rest);
});
