/**
 * Sends the requests of the documents that show no answer, as written; each must succeed. An id in a document stands
 * for the latest result or job, and five runs become one.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { readDocument, readExamples, startDocumented, toRequest } from './examples.ts';

/** The order matters: history.md removes results, operations.md cancels an experiment. */
const documents = [
  ...['docs/changes.md', 'docs/what-if.md', 'docs/history.md', 'docs/jobs.md', 'docs/experiments.md'],
  ...['docs/operations.md', 'docs/lighthouse-ci.md', 'docs/results.md', 'docs/sitemaps.md', 'README.md'],
] as const;

/** The `curl` commands of a document, without those whose answer it shows; a pipe ends a command. */
function requestsOf(path: string): string[] {
  const text = readDocument(path);
  const shown = new Set(readExamples(text).map(({ command }) => command));
  return [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)]
    .flatMap(([, block = '']) =>
      block
        .replaceAll(/\\\n\s*/g, '')
        .replaceAll(/\|\n\s*/g, '| ')
        .split(/\n(?=\s*curl )/),
    )
    .map(command => command.trim())
    .filter(command => command.startsWith('curl ') && !shown.has(command))
    .map(command => command.split(/ [|>] ?/)[0] ?? '');
}

test('every request in the documents succeeds', async t => {
  const settings = { DATA_DIR: join(makeScratchFolder(t), 'results'), LIGHTHOUSE_TIMEOUT: '300' };
  const { serviceUrl, toReal } = await startDocumented(t, settings);
  const newest = async (list: 'results' | 'jobs'): Promise<string> => {
    const body = (await (await fetch(`${serviceUrl}/${list}?limit=1`)).json()) as Record<string, { id: string }[]>;
    return body[list]?.[0]?.id ?? 'none';
  };
  const fill = async (command: string): Promise<string> =>
    toReal(command.replace(/http:\/\/localhost:3000\/(?=[&'])/, 'http://localhost:3000/good.html'))
      .replaceAll('https://example.com', 'http://example.com')
      .replace('runs=5', 'runs=1')
      .replace(/\/results\/[\da-f-]{36}/, `/results/${await newest('results')}`)
      .replace(/\/jobs\/(?:[\da-f-]{36}|ID)/, `/jobs/${await newest('jobs')}`);
  let sent = 0;
  for (const path of documents)
    for (const command of requestsOf(path)) {
      const { url, init } = toRequest(await fill(command));
      const response = await fetch(url, init);
      const answer = await response.text();
      // The sample page has no third party whose removal would add points.
      const isNothingToMeasure = command.includes('confirm=') && answer.includes('not_simulated');
      assert.ok(response.ok || isNothingToMeasure, `${path}: ${command}\n${response.status} ${answer.slice(0, 500)}`);
      sent += 1;
    }
  assert.ok(sent > 25, String(sent));
});
