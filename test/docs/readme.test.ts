import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { startSite } from '../demo/site.ts';
import { helpText } from '../src/cli/help.ts';
import { runCli } from './cli/run-cli.ts';
import { projectRoot } from './contract/source-files.ts';
import { findClosedPort } from './local-server.ts';
import { startService } from './start-service.ts';

/**
 * The requests of the README and of the page about the v5 endpoint are run as they stand there, but for the ports, and
 * the answers compared field by field.
 */

type Example = { command: string; answer: unknown };

const texts = ['../README.md', '../docs/psi-endpoint.md'].map(name =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
);
const examples: Example[] = [
  ...texts.join('\n').matchAll(/```sh\n(curl [^\n]+)\n```\n[^`]*```json\n([\s\S]*?)```/g),
].map(([, command = '', answer = '']) => ({ command, answer: JSON.parse(answer) }));

/** Reads the few options of curl that the README uses. */
function toRequest(command: string): { url: string; init: RequestInit } {
  const option = (name: string) => new RegExp(`${name} '?([^' ]+(?: [^' ]+)*?)'?(?= |$)`).exec(command)?.[1];
  const body = /-d '([^']*)'/.exec(command)?.[1];
  const header = /-H '([^:']+): ([^']+)'/.exec(command);
  return {
    url: /'(http[^']+)'/.exec(command)?.[1] ?? '',
    init: {
      method: option('-X') ?? 'GET',
      ...(body === undefined ? {} : { body }),
      ...(header ? { headers: { [header[1] ?? '']: header[2] ?? '' } } : {}),
    },
  };
}

/** The command of the README with the output that it shows. */
const [, commandLine = '', shownOutput = ''] =
  /```sh\nnpx rangelight ([^\n]+)\n```\n\n```text\n([\s\S]*?)```/.exec(texts[0] ?? '') ?? [];

/** A line without what varies from run to run: numbers, their units and ratings, and how wide that makes a column. */
const withoutMeasures = (line: string): string =>
  line
    .replaceAll(/[\d.,]+(?:\u00a0| )?(?:ms|s)?\b/g, '0')
    .replaceAll(/[●▲■]|needs improvement|good|poor|─+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** What varies from run to run: times, words made of numbers, and which fault is the worst. */
const varies = /_at$|display_value|browser$|failed_audits|verdict$|explanation$/;

/** Numbers vary too, and a null may be a value; everything else is as shown. */
function assertShown(shown: unknown, real: unknown, path: string): void {
  if (!isObject(shown)) {
    if (typeof shown === 'number') assert.equal(typeof real, 'number', path);
    else if (typeof shown === 'string' && !varies.test(path)) assert.equal(real, shown, path);
    else if (shown !== null) assert.equal(typeof real, typeof shown, path);
    return;
  }
  assert.ok(isObject(real), `${path} is not an object`);
  for (const [key, value] of Object.entries(shown)) {
    assert.ok(key in real, `${path}.${key} is not there`);
    assertShown(value, real[key], `${path}.${key}`);
  }
}

test('the README shows each operation with a request and an answer that are real', async t => {
  const site = await startSite();
  after(() => site.close());
  const service = await startService(t);
  const paths = new Set(examples.map(({ command }) => new URL(toRequest(command).url).pathname));
  for (const path of ['/psi', '/lighthouse', '/compare', '/cache/clear', '/health', '/pagespeedonline/v5/runPagespeed'])
    assert.ok(paths.has(path), `no example of ${path}`);

  const toReal = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:8000', service.url)
      .replaceAll('http://localhost:3000', site.url.replace('127.0.0.1', 'localhost'));
  const toShown = (text: string) =>
    text
      .replaceAll(site.url.replace('127.0.0.1', 'localhost'), 'http://localhost:3000')
      .replaceAll(new URL(service.url).host, '127.0.0.1:8000');
  for (const { command, answer } of examples)
    await t.test(command.slice(0, 100), async () => {
      const { url, init } = toRequest(toReal(command));
      const response = await fetch(url, init);
      assertShown(answer, JSON.parse(toShown(await response.text())), '$');
    });
});

test('the README shows the command with its real output', async t => {
  const site = await startSite();
  after(() => site.close());
  const local = site.url.replace('127.0.0.1', 'localhost');
  const toReal = (text: string) => text.replaceAll('localhost:3000', new URL(local).host);
  const args = [...commandLine.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => toReal(quoted ?? plain ?? ''));
  const { code, stdout } = await runCli(t, args);
  assert.equal(code, 1);
  const lines = stdout.split('\n').map(withoutMeasures);
  let at = -1;
  for (const shown of shownOutput.split('\n').filter(line => line.trim() !== '…')) {
    at = lines.indexOf(withoutMeasures(toReal(shown)), at + 1);
    assert.notEqual(at, -1, shown);
  }
  assert.ok(shownOutput.split('\n').length > 10);
});

test('the command that programs are to read from in the checkout prints its JSON alone', async () => {
  const page = readFileSync(new URL('../docs/command-line.md', import.meta.url), 'utf8');
  const [, ofPage = ''] = /output that a program reads, `([^`]+)`/.exec(page) ?? [];
  const [, ofReadme = ''] = /\(`([^`]+ --json) URL\.\.\.` where a program reads it\)/.exec(texts[0] ?? '') ?? [];
  assert.equal(ofReadme, `${ofPage} --json`);
  const [program = '', ...words] = ofReadme.split(' ');
  const { stdout } = spawnSync(program, [...words, 'localhost', '--server', await findClosedPort()], {
    ...{ cwd: projectRoot, encoding: 'utf8', shell: process.platform === 'win32' },
  });
  assert.equal(JSON.parse(stdout).code, 'no_connection');
});

test('the README lists the exit codes of --help', () => {
  const listed = [...(texts[0] ?? '').matchAll(/^\| `(\d+)`(?:, `(\d+)`)? \|/gm)].flatMap(row => row.slice(1));
  const [, ofHelp = ''] = helpText.split('Exit codes');
  const helped = [...ofHelp.matchAll(/^ {2}(\d+) |\((\d+) by/gm)].flatMap(row => row.slice(1));
  assert.deepEqual(listed.filter(Boolean), helped.filter(Boolean));
  assert.ok(helped.length > 4);
});
