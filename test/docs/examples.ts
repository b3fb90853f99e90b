/**
 * Examples of the documents: every `curl` command followed by an answer is run as written, except for ports, and the
 * answer is compared field by field. `http://example.com/` is a page of the test, so nothing reaches the internet.
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
  /** Language of the answer block: `json`, or nothing for lines of JSON. */
  readonly language: string;
  readonly answer: string;
};

/** Documents in docs/ with examples of requests and JSON answers. */
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

/** A command may continue after a backslash. Text may separate it from its answer. */
const exampleBlocks = /^```sh\n(curl [^`]+)\n```\n[^`]*?^```(json|)\n([\s\S]*?)^```$/gm;

export const readExamples = (text: string): Example[] =>
  [...text.matchAll(exampleBlocks)].map(([, command = '', language = '', answer = '']) => ({
    command: command.replaceAll(/\\\n\s*/g, ''),
    language,
    answer,
  }));

/** Splits words as a shell does: single quotes may contain spaces. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Parses the curl options that the documents use: `-X`, `-H`, `-d`, and `-G`, which moves the data into the query. */
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

/** Fields that vary from run to run: times, sentences with numbers, failed audits, and the browser. */
const varies = /_at$|display_value|browser$|failed_audits|explanation$/;

/** Causes on a busy machine, which may precede the causes that the document shows. */
const busyCauses: readonly unknown[] = ['disturbed_run', 'run_noise', 'unexplained'];

const withoutBusyCauses = (value: unknown): unknown =>
  Array.isArray(value) ? value.filter(item => !isObject(item) || !busyCauses.includes(item.cause)) : value;

/** Asserts that the real answer equals the shown one. Numbers may differ. */
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

/** A page like example.com; any other path is a 404. */
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
  /** Replaces URLs of a document with those of this test. */
  toReal(text: string): string;
  /** Replaces URLs of this test with those of the documents. */
  toShown(text: string): string;
};

/** Starts the service of the documents, the sample site of `npm run site`, and a page at example.com. */
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

/** Runs the examples of a document in order. */
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
