/**
 * Checks every command in the user documents. Commands of the project are parsed as the program would, requests must go
 * to an existing path, and any other program must be listed here with the test that covers its use.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { readArguments } from '../../src/cli/input/arguments.ts';
import { settingTable } from '../../src/settings/setting-table.ts';
import { readMarkdownFiles } from '../contract/markdown.ts';
import { projectRoot } from '../contract/source-files.ts';
import { startService } from '../support/start-service.ts';
import { readDocument } from './examples.ts';

/** Other programs, with the test of the command or the reason why there is none. */
const otherPrograms: Readonly<Record<string, string>> = {
  docker: 'test/contract/deploy.test.ts',
  sqlite3: 'test/results/backup.test.ts',
  rsync: 'test/results/backup.test.ts',
  cp: 'test/results/backup.test.ts',
  pg_dump: 'docs/upgrade-and-backup.md',
  pg_restore: 'docs/upgrade-and-backup.md',
  install: 'test/contract/deploy.test.ts',
  mkdir: 'test/contract/deploy.test.ts',
  systemctl: 'test/contract/deploy.test.ts',
  jq: 'test/http/sitemap.test.ts',
};

const files = readMarkdownFiles().filter(({ path }) => path === 'README.md' || /^docs\/[^/]+\.md$/.test(path));

/** Commands of `sh` blocks: continued lines are joined, `&&` and pipes are split. */
const commandsOf = (text: string): string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, ' ')
      .replaceAll(/(\||\{|,)\n\s*/g, '$1 ')
      .split(/\n| && | \| /)
      .map(line => line.replace(/ #.*$/, '').trim())
      .filter(line => line !== '' && !line.startsWith('#')),
  );

const commands = files.flatMap(({ path, text }) => commandsOf(text).map(command => ({ path, command })));

const words = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );

/** Variable assignments before a program. */
const assignments = /^(?:[A-Z_]+=(?:"[^"]*"|\$\([^)]*\)|\S*) +)+/;
const bare = (command: string): string => command.replace(assignments, '');

/** One spelling of the command works in a checkout and next to an installed package. */
const argumentsOf = (command: string): string[] | undefined => {
  const rest = /^npx rangelight (.*)$/.exec(bare(command))?.[1];
  return rest === undefined ? undefined : words(rest);
};

test('every rangelight command in the documents is accepted by the program', () => {
  const ours = commands.filter(({ command }) => argumentsOf(command) !== undefined);
  assert.ok(ours.length > 20);
  for (const { path, command } of ours)
    assert.doesNotThrow(() => readArguments(argumentsOf(command) ?? [], {}), `${path}: ${command}`);
});

test('every variable before a command is a setting, or belongs to a named program', () => {
  const foreign = /^(OTEL_[A-Z_]+|POSTGRES_PASSWORD|PORT)$/;
  for (const { path, command } of commands)
    for (const [, name = ''] of (assignments.exec(command)?.[0] ?? '').matchAll(/([A-Z_]+)=/g))
      assert.ok(Object.hasOwn(settingTable, name) || foreign.test(name), `${path}: ${name}`);
});

test('every curl request in the documents uses a path of the service', async () => {
  const service = await startService({ after });
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
  const known = [
    ...Object.keys(paths),
    '/metrics',
    '/r/{id}',
    '/lighthouse/report',
    '/llms.txt',
    '/mcp',
    '/v1/projects',
  ].map(path => new RegExp(`^${path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`));
  const requests = commands.filter(({ command }) => bare(command).startsWith('curl '));
  assert.ok(requests.length > 30);
  for (const { path, command } of requests) {
    const url = words(command).find(word => word.startsWith('http://127.0.0.1:8000'));
    assert.ok(url && known.some(pattern => pattern.test(new URL(url).pathname)), `${path}: ${command}`);
  }
});

const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };

/** Whether npm has this command or script: `npm ci`, `npm start`, `npm run site`. */
function isKnownToNpm(command: string): boolean {
  const [, name = ''] = /^npm (?:run )?([a-z]+)/.exec(command) ?? [];
  return ['ci', 'install'].includes(name) || Object.hasOwn(scripts, name);
}

function isShown(command: string): boolean {
  const [program = '', first = ''] = command.split(' ');
  if (program === 'npm') return isKnownToNpm(command);
  if (['curl', 'echo', 'export', 'printf'].includes(program) || first === '@puppeteer/browsers') return true;
  return existsSync(projectRoot + (otherPrograms[program] ?? 'nowhere'));
}

test('every other program is listed with the test that covers it', () => {
  const others = commands.filter(({ command }) => argumentsOf(command) === undefined);
  assert.ok(others.length > 10);
  assert.deepEqual(
    others.filter(({ command }) => !isShown(bare(command))).map(({ path, command }) => `${path}: ${command}`),
    [],
  );
});
