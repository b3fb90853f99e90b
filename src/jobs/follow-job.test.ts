import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlDatabase } from '../storage/database/sql.ts';
import { createLooks, followJob } from './follow-job.ts';
import type { JobState } from './to-answer.ts';

/** Creates a job that counts the database queries of its readers; `tell` adds an event. */
function openJob() {
  const events: [number, string, string][] = [];
  const job = { state: 'running' };
  let questions = 0;
  const database = {
    rows: async ({ values = [] }: { values?: readonly unknown[] }) => {
      questions += 1;
      return events.filter(([number]) => number > Number(values[1]));
    },
  } as unknown as SqlDatabase;
  const readState = async () => {
    questions += 1;
    return { job } as unknown as JobState;
  };
  const looks = createLooks(database, readState);
  const closing = new AbortController();
  return {
    questions: () => questions,
    follow: (after = 0) => followJob(looks, 'a job', after, closing.signal),
    tell() {
      events.push([events.length + 1, 'progress', '{}']);
      looks.changed('a job');
    },
    close: () => closing.abort(),
  };
}

test('two hundred readers of a job query the database hardly more often than one', async () => {
  const job = openJob();
  const readers = Array.from({ length: 200 }, () => job.follow());
  for (let event = 1; event <= 5; event += 1) {
    const next = Promise.all(readers.map(reader => reader.next()));
    job.tell();
    for (const { value } of await next) assert.equal(value?.number, event);
  }
  assert.ok(job.questions() <= 40, `${job.questions()} questions`);
  job.close();
});

test('a reader that starts later gets the events from its own position on', async () => {
  const job = openJob();
  for (let event = 1; event <= 3; event += 1) job.tell();
  const [first, later] = [job.follow(), job.follow(2)];
  assert.equal((await first.next()).value?.number, 1);
  assert.equal((await later.next()).value?.number, 3);
  assert.equal((await first.next()).value?.number, 2);
  const next = later.next();
  job.tell();
  assert.equal((await next).value?.number, 4);
  job.close();
});
