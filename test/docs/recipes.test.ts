/** Files in docs/recipes.md and the README: each parses, and its commands and settings exist. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { readConfig } from '../../src/cli/ci/config/read-config.ts';
import { toPlan } from '../../src/cli/ci/plan.ts';
import { readArguments } from '../../src/cli/input/arguments.ts';
import { loadConditions } from '../../src/cli/input/load-conditions.ts';
import { settingTable } from '../../src/settings/setting-table.ts';
import { readWanted } from '../support/asking/read-wanted.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { readDocument } from './examples.ts';

const recipes = readDocument('docs/recipes.md');

/** The first block of a language under a heading. */
function blockOf(heading: string, language: string): string {
  const [, section = ''] = recipes.split(new RegExp(`^## ${heading}$`, 'm'));
  const [, block] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section) ?? [];
  return block ?? assert.fail(`${heading} has no block of ${language}`);
}

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };

/** Asserts that every `npx rangelight` command in shell lines is valid. */
const assertCommands = (lines: readonly string[]): void => {
  const ours = lines.flatMap(line => [...line.matchAll(/npx rangelight (\S.*)$/gm)].map(([, rest = '']) => rest));
  assert.ok(ours.length > 0);
  for (const rest of ours) assert.doesNotThrow(() => readArguments(rest.split(' '), {}));
};

test('the project configuration is valid', async t => {
  const folder = makeScratchFolder(t);
  writeFileSync(join(folder, 'rangelight.config.json'), blockOf('A project configuration', 'json'));
  const read = await readConfig(undefined, folder);
  const names = { branch: 'a', target: 'a', note: { text: 'main at 1a2b3c4d' }, toLabel: (branch: string) => branch };
  assert.equal(toPlan(read, readWanted('ci', []), names, {}).assertions.length, 3);
});

test('the GitHub Actions workflow preserves the store from run to run', () => {
  const { jobs } = parse(blockOf('GitHub Actions', 'yaml')) as { jobs: { rangelight: { steps: Step[] } } };
  const { steps } = jobs.rangelight;
  assertCommands(steps.flatMap(({ run }) => run ?? []));
  assert.equal(steps.find(({ uses }) => uses?.startsWith('actions/cache@'))?.with?.path, '.rangelight');
});

test('the GitLab pipeline publishes the files that the project configuration writes', () => {
  const { performance } = parse(blockOf('GitLab', 'yaml')) as {
    performance: { script: string[]; artifacts: { reports: Record<string, string> } };
  };
  assertCommands(performance.script);
  const { output } = JSON.parse(blockOf('A project configuration', 'json'));
  assert.deepEqual(performance.artifacts.reports, { junit: output.junit, browser_performance: output.gitlab });
});

test('the cron line has five fields and a valid command', () => {
  const line = blockOf('Cron', 'text').split('\n').at(-2) ?? '';
  const [, command] = /^(?:\S+ ){5}rangelight (.*) >\$LOG 2>&1 \|\| cat \$LOG$/.exec(line) ?? [];
  assert.doesNotThrow(() => readArguments((command ?? assert.fail(line)).split(' '), {}));
});

test('the container gets existing settings, and the port and folder of the image', () => {
  const run = blockOf('Docker', 'sh');
  const image = readDocument('Dockerfile');
  for (const [, name = ''] of run.matchAll(/-e ([A-Z_]+)/g)) assert.ok(Object.hasOwn(settingTable, name), name);
  assert.ok(run.includes('-v rangelight:/data') && image.includes('DATA_DIR=/data'));
  assert.ok(run.includes(':8000:8000') && image.includes('PORT=8000'));
});

test('nginx sends the headers that the service trusts, and waits longer than an audit', () => {
  const nginx = blockOf('Reverse proxy with TLS', 'nginx');
  assert.equal(nginx.split('{').length, nginx.split('}').length);
  for (const line of nginx.split('\n').map(text => text.trim())) assert.match(line, /^$|[{};]$/, line);
  for (const header of ['Host', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'])
    assert.ok(nginx.includes(`proxy_set_header ${header} `), header);
  const [, seconds] = /proxy_read_timeout (\d+)s/.exec(nginx) ?? [];
  assert.ok(Number(seconds) > 2 * Number(settingTable.LIGHTHOUSE_TIMEOUT.default));
});

test('private pages and staging hosts are measured by valid commands, with an access that the command reads', async t => {
  for (const heading of ['A staging host', 'A page behind a login', 'A consent banner'])
    assertCommands([blockOf(heading, 'sh').replaceAll("'", '')]);
  const folder = makeScratchFolder(t);
  const steps = [{ type: 'click', selectors: ['#agree'] }];
  writeFileSync(join(folder, 'recording.json'), JSON.stringify({ title: 'Log in', steps }));
  for (const heading of ['A staging host', 'A page behind a login']) {
    const access = join(folder, 'access.json');
    writeFileSync(access, blockOf(heading, 'json'));
    const env = { STAGING_PASSWORD: 'one' };
    assert.ok('access' in (await loadConditions({ access, conditionLines: [] }, env)), heading);
  }
});

test('the README has a pipeline of at most six steps', () => {
  const [, block = ''] = /## In CI\n\n```yaml\n([\s\S]*?)```/.exec(readDocument('README.md')) ?? [];
  const steps = parse(block) as Step[];
  assert.ok(steps.length <= 6);
  assertCommands(steps.flatMap(({ run }) => run ?? []));
});
