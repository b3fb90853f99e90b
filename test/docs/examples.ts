/**
 * The examples of the documents: every `curl` command with the answer below it is run as it stands there, but for the
 * ports, and the answer is compared field by field. `http://example.com/` leads to a page of the test's own: nothing
 * here reaches the internet.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { startSite } from '../../demo/site.ts';
import { projectRoot } from '../contract/source-files.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';

export type Example = {
  readonly command: string;
  /** Of the block below the command: `json`, or nothing for lines of JSON. */
  readonly language: string;
  readonly answer: string;
};

/** Below docs/, those whose examples are requests with JSON answers. */
export const documents = [
  'docs/psi-endpoint.md',
  'docs/errors.md',
  'docs/compare.md',
  'docs/results.md',
  'docs/remote.md',
  'docs/sitemaps.md',
  'docs/operations.md',
] as const;

export const readDocument = (path: string): string => readFileSync(projectRoot + path, 'utf8');

/** A command may go on behind a backslash at the end of its line. Prose may stand between it and its answer. */
const exampleBlocks = /^```sh\n(curl [^`]+)\n```\n[^`]*?^```(json|)\n([\s\S]*?)^```$/gm;

export const readExamples = (text: string): Example[] =>
  [...text.matchAll(exampleBlocks)].map(([, command = '', language = '', answer = '']) => ({
    command: command.replaceAll(/\\\n\s*/g, ''),
    language,
    answer,
  }));

/** Words as a shell reads them: single quotes hold spaces. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Reads the options of curl that the documents use: `-X`, `-H`, `-d`, and `-G`, which puts the data into the query. */
export function toRequest(command: string): { url: string; init: RequestInit } {
  const words = wordsOf(command);
  const valuesOf = (option: string) => words.filter((_, index) => words[index - 1] === option);
  const url = words.find(word => word.startsWith('http://')) ?? '';
  const headers = valuesOf('-H').map(header => header.split(': ', 2) as [string, string]);
  const data = valuesOf('-d').join('&');
  if (words.includes('-G')) return { url: `${url}?${data}`, init: { headers } };
  const [method = data === '' ? 'GET' : 'POST'] = valuesOf('-X');
  return { url, init: { method, headers, ...(data === '' ? {} : { body: data }) } };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Values that vary from run to run: times, sentences with numbers, and the most useful audit. */
const varies = /_at$|display_value|browser$|failed_audits|explanation$/;

/** Causes of a busy machine: other tests share it, and these may come before the causes that the document shows. */
const busyCauses: readonly unknown[] = ['disturbed_run', 'run_noise', 'unexplained'];

const withoutBusyCauses = (value: unknown): unknown =>
  Array.isArray(value) ? value.filter(item => !isObject(item) || !busyCauses.includes(item.cause)) : value;

/** Numbers vary too, but stay numbers; everything else is as shown. */
export function assertShown(shown: unknown, real: unknown, path = '$'): void {
  if (!isObject(shown)) {
    if (typeof shown === 'number' || varies.test(path)) assert.equal(typeof real, typeof shown, path);
    else assert.equal(real, shown, path);
    return;
  }
  assert.ok(isObject(real), `${path} is not an object`);
  for (const [key, value] of Object.entries(shown)) {
    assert.ok(key in real, `${path}.${key} is not there`);
    assertShown(value, withoutBusyCauses(real[key]), `${path}.${key}`);
  }
}

/** A page like the one at example.com; any other path is a 404. */
const examplePage = `<!doctype html>
<html lang="en">
<head>
<title>Example Domain</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{background:#eee;width:60vw;margin:15vh auto;font-family:system-ui,sans-serif}div{opacity:0.8}</style>
</head>
<body>
<div>
<h1>Example Domain</h1>
<p>This domain is for use in documentation examples without needing permission.</p>
<p><a href="https://iana.org/domains/example">Learn more</a></p>
</div>
</body>
</html>
`;

const exampleSitemap = `<urlset>${['', 'about', ''].map(path => `<url><loc>http://example.com/${path}</loc></url>`).join('')}</urlset>`;

export type Documented = {
  readonly serviceUrl: string;
  /** The addresses of a document as they are in this test. */
  toReal(text: string): string;
  /** The addresses of an answer as the documents write them. */
  toShown(text: string): string;
};

/** The service of the documents, the sample site of `npm run site`, and a page at example.com. */
export async function startDocumented(
  scope: Scope,
  settings: Readonly<Record<string, string>> = {},
): Promise<Documented> {
  const site = await startSite();
  scope.after(() => site.close());
  const example = await startLocalServer(scope, (request, response) => {
    if (request.url === '/sitemap.xml')
      return response.writeHead(200, { 'content-type': 'application/xml' }).end(exampleSitemap);
    response.writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end(examplePage);
  });
  const address = '93.184.215.14';
  const network = createOwnNetwork(
    { 'example.com': [address], localhost: ['127.0.0.1'] },
    { [address]: Number(new URL(example.url).port) },
  );
  const service = await startService(scope, settings, network);
  const siteUrl = site.url.replace('127.0.0.1', 'localhost');
  return {
    serviceUrl: service.url,
    toReal: text => text.replaceAll('http://127.0.0.1:8000', service.url).replaceAll('http://localhost:3000', siteUrl),
    toShown: text =>
      text.replaceAll(siteUrl, 'http://localhost:3000').replaceAll(new URL(service.url).host, '127.0.0.1:8000'),
  };
}

/** Runs the examples of a document in their order. */
export async function checkExamples(t: TestContext, documented: Documented, path: string): Promise<void> {
  const examples = readExamples(readDocument(path)).filter(({ language }) => language === 'json');
  assert.ok(examples.length > 0, path);
  for (const { command, answer } of examples)
    await t.test(`${path}: ${command.slice(0, 100)}`, async () => {
      const { url, init } = toRequest(documented.toReal(command));
      const response = await fetch(url, init);
      assertShown(JSON.parse(answer), JSON.parse(documented.toShown(await response.text())));
    });
}
