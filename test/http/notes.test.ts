/** Notes: added, listed by page and site, named by the change at their time, and removed. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { History } from '../../src/contract/stored/history.ts';
import type { Note, NoteList } from '../../src/contract/stored/notes.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

const dayMs = 86_400_000;
const folder = makeScratchFolder({ after });
const startMs = Date.now() - 21 * dayMs;
const page = 'https://example.com/';
const store = await openResultStore({ dataDir: folder });
for (let at = 0; at < 20; at += 1) {
  const entry = buildEntry({ measuredAtMs: startMs + at * dayMs });
  await store.keep({ ...entry, scores: { ...entry.scores, performance: (at < 12 ? 95 : 70) + (at % 2) } });
}
await store.close();
const service = await startService({ after }, { DATA_DIR: folder });

const post = (body: object) =>
  ask<Note & Problem>(service, '/notes', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const timeAt = (days: number) => new Date(startMs + days * dayMs).toISOString();

test('a change names the notes between its two points, and the history lists all of its page and site', async () => {
  const texts = [
    ['before', { site: page, time: timeAt(3) }],
    ['deploy', { site: 'https://example.com/any', time: timeAt(11.5), link: 'https://ci.example/1' }],
    ['other page', { url: 'https://example.com/b', time: timeAt(11.6) }],
    ['other site', { site: 'https://example.org/', time: timeAt(11.6) }],
    ['this page', { url: page, time: timeAt(11.7) }],
  ] as const;
  for (const [text, about] of texts) assert.equal((await post({ text, ...about })).status, 201);
  const { body } = await ask<History>(service, withQuery('/history', { url: page }));
  const namesOf = (notes: readonly Note[]) => notes.map(({ text }) => text);
  assert.deepEqual(namesOf(body.change_points[0]?.notes ?? []), ['this page', 'deploy']);
  assert.equal(body.change_points[0]?.notes[1]?.link, 'https://ci.example/1');
  assert.deepEqual(namesOf(body.notes), ['this page', 'deploy', 'before']);
  const listed = async (query: Record<string, string>) =>
    namesOf((await ask<NoteList>(service, withQuery('/notes', query))).body.notes);
  assert.deepEqual(await listed({ site: page }), ['this page', 'other page', 'deploy', 'before']);
  assert.deepEqual(await listed({ url: page, since: timeAt(5) }), ['this page', 'deploy']);
  assert.deepEqual(await listed({ limit: '1', until: timeAt(11.55) }), ['deploy']);
});

test('a note is removed once', async () => {
  const { body } = await post({ site: page, text: 'to remove' });
  const path = `/notes/${body.id}`;
  assert.deepEqual((await ask(service, path, { method: 'DELETE' })).body, { removed: 1 });
  const again = await ask<Problem>(service, path, { method: 'DELETE' });
  assert.deepEqual([again.status, again.body.code], [404, 'note_not_found']);
});

test('a note about the future, without a text or a place, or with a link that is no web page is refused', async () => {
  const refused = [
    { site: page, text: 'x', time: new Date(Date.now() + dayMs).toISOString() },
    { site: page, text: ' ' },
    { site: page, text: 'two\nlines' },
    { site: page, text: 'x'.repeat(301) },
    { text: 'nowhere' },
    { text: 'both', site: page, url: page },
    { site: page, text: 'x', link: 'javascript:alert(1)' },
    { site: page, text: 'x', link: `https://example.com/${'x'.repeat(2000)}` },
  ];
  for (const body of refused) assert.equal((await post(body)).status, 422, JSON.stringify(body));
});
