import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { startSite } from '../demo/site.ts';
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
