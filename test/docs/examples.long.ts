/** Runs the requests in docs/ and compares their answers; readme.test.ts covers the README. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertShown,
  checkExamples,
  type Documented,
  documents,
  readDocument,
  readExamples,
  startDocumented,
  toRequest,
} from './examples.ts';

/** The streaming example of a document: its content type, the answer shown, and the real answer. */
async function readStream({ toReal, toShown }: Documented, document: string) {
  const [example, ...others] = readExamples(readDocument(document)).filter(({ language }) => language === '');
  assert.ok(example && others.length === 0, document);
  const { url, init } = toRequest(toReal(example.command));
  const response = await fetch(url, init);
  const text = toShown(await response.text());
  return { type: response.headers.get('content-type'), shown: example.answer, text };
}

const toLines = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));

type ServerEvent = { event: string; data: unknown };

/** Parses server-sent events, without comments. */
const toEvents = (text: string): ServerEvent[] =>
  [...text.matchAll(/^event: (.+)\ndata: (.+)$/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data),
  }));

test('the documents show real requests and answers', { concurrency: true }, async t => {
  const documented = await startDocumented(t);
  // Concurrent, because an audit mostly waits.
  await Promise.all(documents.map(document => checkExamples(t, documented, document)));

  await t.test('docs/remote.md shows a batch, line by line', async () => {
    const { type, shown, text } = await readStream(documented, 'docs/remote.md');
    assert.equal(type, 'application/x-ndjson');
    const [expected, real] = [toLines(shown), toLines(text)];
    assert.equal(real.length, expected.length);
    assertShown(expected, real);
  });

  await t.test('docs/results.md shows the events of an audit', async () => {
    const { type, shown, text } = await readStream(documented, 'docs/results.md');
    assert.equal(type, 'text/event-stream');
    // An audit is also queued while the slots of earlier audits are cleaned up, which continues after their answers.
    const real = toEvents(text).filter(({ event }) => event !== 'queued');
    const expected = toEvents(shown);
    assert.deepEqual(
      real.map(({ event }) => event),
      expected.map(({ event }) => event),
    );
    assertShown(expected, real);
  });
});
