/** `rangelight note` against a real service: what it stores, prints and refuses. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Note, NoteList } from '../../src/contract/stored/notes.ts';
import { ask } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const service = await startService({ after }, { DATA_DIR: makeScratchFolder({ after }) });
const url = 'https://example.com/a';
const note = (...args: string[]) => runCli({ after }, ['note', ...args, '--server', service.url]);
const listNotes = async () => (await ask<NoteList>(service, '/notes')).body.notes;

test('a note is about the site of the URL, or with --page about this page, at a time and with a link', async () => {
  const { code, stdout } = await note(url, 'Deploy 1.8.0');
  assert.equal(code, 0);
  assert.match(stdout, /^Noted for example\.com: \S+\n$/);
  const link = 'https://ci.example/5';
  const time = '2026-11-01T10:00:00.000Z';
  const paged = await note(url, 'New hero', '--page', '--time', time, '--link', link);
  assert.match(paged.stdout, /^Noted for https:\/\/example\.com\/a: \S+\n$/);
  const [whole, one] = await listNotes();
  assert.deepEqual([whole?.site, whole?.url, whole?.text], ['example.com', null, 'Deploy 1.8.0']);
  assert.deepEqual([one?.url, one?.text, one?.time, one?.link], [url, 'New hero', time, link]);
});

test('--json prints the stored note', async () => {
  const { stdout } = await note(url, 'Deploy 1.8.1', '--json');
  const printed = JSON.parse(stdout) as Note;
  assert.deepEqual(
    (await listNotes()).find(({ id }) => id === printed.id),
    printed,
  );
});

test('a note without a text, about the future, or for no service is refused with the reason, and stores nothing', async () => {
  const before = (await listNotes()).length;
  const future = new Date(Date.now() + 86_400_000).toISOString();
  for (const [args, reason] of [
    [[url], /needs the URL of a site, and one text in quotes/],
    [[url, 'two', 'texts'], /one text in quotes/],
    [[url, ' '], /text: /],
    [[url, 'x'.repeat(301)], /text: /],
    [[url, 'x', '--time', future], /time: /],
    [[url, 'x', '--link', 'javascript:alert(1)'], /https?:/],
  ] as const) {
    const { code, stderr } = await note(...args);
    assert.match(stderr, reason);
    assert.equal(code, 2, stderr);
  }
  const gone = await runCli({ after }, ['note', url, 'x', '--server', await findClosedPort()]);
  assert.equal(gone.code, 3, gone.stderr);
  assert.equal((await listNotes()).length, before);
});
