/** Pages of a job as rows. A duplicate URL is measured at its first position. */
import type { Problem } from '../../contract/problem.ts';
import type { Row, SqlDatabase, SqlValue, Statement } from '../../storage/database/sql.ts';
import { placeholders } from '../../storage/database/sql.ts';
import { type JobEvent, type JobPage, mostTries, type NewPage, type PageOutcome, type PageState } from '../job.ts';
import { fromJson, toReader } from './columns.ts';

/* Events of a job, numbered from 1, so that a reader can continue after the last number it has. */

/**
 * Inserts an event with the next number. Only the owner of a job writes events.
 * @param condition the event is inserted only if it is true
 */
export const toEventInsert = (
  { jobId, owner, event, data }: { jobId: string; owner: string; event: string; data: unknown },
  condition?: Statement,
): Statement => ({
  sql: `INSERT INTO job_events (job_id, number, event, data)
    SELECT CAST(? AS TEXT),
      coalesce((SELECT number FROM job_events WHERE job_id = ? ORDER BY number DESC LIMIT 1), 0) + 1,
      CAST(? AS TEXT), CAST(? AS TEXT)
    WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ? AND owner = ?) AND ${condition?.sql ?? '1 = 1'}
    ON CONFLICT (job_id, number) DO NOTHING`,
  values: [jobId, jobId, event, JSON.stringify(data), jobId, owner, ...(condition?.values ?? [])],
});

export async function listEvents(
  database: SqlDatabase,
  jobId: string,
  { after, limit }: { after: number; limit: number },
): Promise<JobEvent[]> {
  const sql = 'SELECT number, event, data FROM job_events WHERE job_id = ? AND number > ? ORDER BY number LIMIT ?';
  const rows = await database.rows({ sql, values: [jobId, after, limit] });
  return rows.map(([number, event, data]) => ({ number: Number(number), event: String(event), data: String(data) }));
}

const names = ['position', 'url', 'state', 'tries', 'same_as', 'copies', 'outcome'];
const columns = names.join(', ');
const readerOf = toReader(names);

const toPage = (row: Row): JobPage => {
  const at = readerOf(row);
  return {
    position: at('position'),
    url: at('url'),
    state: at<PageState>('state'),
    tries: at('tries'),
    sameAs: at('same_as'),
    copies: at('copies'),
    outcome: fromJson<PageOutcome>(at('outcome')),
  };
};

/** Sizes of a batch of rows. There are only a few, because each size is a separate prepared statement. */
const chunkSizes = [250, 25, 1];

function* toChunks<T>(items: readonly T[]): Generator<readonly T[]> {
  let at = 0;
  for (const size of chunkSizes) for (; items.length - at >= size; at += size) yield items.slice(at, at + size);
}

const insertNames = ['job_id', 'position', 'url', 'state', 'tries', 'same_as', 'copies', 'outcome'];

export const toPageInserts = (jobId: string, pages: readonly NewPage[]): Statement[] =>
  [...toChunks(pages)].map(chunk => ({
    sql: `INSERT INTO job_pages (${insertNames.join(', ')}) VALUES ${chunk.map(() => `(${placeholders(insertNames.length)})`).join(', ')}`,
    values: chunk.flatMap(({ position, url, sameAs, copies, outcome }): SqlValue[] => [
      ...[jobId, position, url, outcome ? 'failed' : 'waiting', 0, sameAs, copies],
      outcome && JSON.stringify(outcome),
    ]),
  }));

/** Lists pages in order, after a position. */
export async function listPages(
  database: SqlDatabase,
  jobId: string,
  { after, limit }: { after: number; limit: number },
): Promise<JobPage[]> {
  const sql = `SELECT ${columns} FROM job_pages WHERE job_id = ? AND position > ? ORDER BY position LIMIT ?`;
  return (await database.rows({ sql, values: [jobId, after, limit] })).map(toPage);
}

/** Lists the pages to measure next. */
export async function listWaiting(
  database: SqlDatabase,
  jobId: string,
  { after, limit }: { after: number; limit: number },
): Promise<JobPage[]> {
  const sql = `SELECT ${columns} FROM job_pages WHERE job_id = ? AND position > ? AND state = 'waiting'
    AND same_as IS NULL ORDER BY position LIMIT ?`;
  return (await database.rows({ sql, values: [jobId, after, limit] })).map(toPage);
}

export async function readPage(
  database: SqlDatabase,
  jobId: string,
  position: number,
): Promise<{ page: JobPage; answer: Uint8Array | null } | undefined> {
  const sql = `SELECT ${columns}, answer FROM job_pages WHERE job_id = ? AND position = ?`;
  const [row] = await database.rows({ sql, values: [jobId, position] });
  return row && { page: toPage(row), answer: row[names.length] as Uint8Array | null };
}

/** A try of a page. It may change the page only while it is the current try and its owner owns the job. */
export type PageTry = { jobId: string; owner: string; position: number; tries: number };

const ownsJob = 'EXISTS (SELECT 1 FROM jobs WHERE id = ? AND owner = ? AND ended_at IS NULL)';

export const toPageStart = ({ jobId, owner, position, tries }: PageTry): Statement => ({
  sql: `UPDATE job_pages SET state = 'running', tries = ? WHERE job_id = ? AND position = ? AND state = 'waiting'
    AND ${ownsJob}`,
  values: [tries, jobId, position, jobId, owner],
});

/** Returns a page to the waiting ones, because its try did not count or it gets another try. */
export const toPageReturn = ({ jobId, owner, position, tries }: PageTry, isCounted: boolean): Statement => ({
  sql: `UPDATE job_pages SET state = 'waiting', tries = ? WHERE job_id = ? AND position = ? AND state = 'running'
    AND tries = ? AND ${ownsJob}`,
  values: [isCounted ? tries : tries - 1, jobId, position, tries, jobId, owner],
});

const isThisTry = "job_id = ? AND position = ? AND state = 'running' AND tries = ?";

/**
 * SQL condition that is true if the try has not ended. Use it before the statements that end the try, in the same
 * transaction.
 */
export const isUnderWay = ({ jobId, position, tries }: PageTry): Statement => ({
  sql: `EXISTS (SELECT 1 FROM job_pages WHERE ${isThisTry})`,
  values: [jobId, position, tries],
});

/**
 * Returns the statements that end a page, for one transaction. The update of the counts comes first, because it locks
 * the job.
 */
export function toPageEnd(
  { jobId, owner, position, tries }: PageTry,
  { copies, outcome, answer }: { copies: number; outcome: PageOutcome; answer: Uint8Array | null },
): { counts: Statement; ends: Statement[] } {
  const state: PageState = outcome.error ? 'failed' : 'succeeded';
  const text = JSON.stringify(outcome);
  const counts: Statement = {
    sql: `UPDATE jobs SET done = done + ?, failed = failed + ? WHERE id = ? AND owner = ? AND ended_at IS NULL
        AND EXISTS (SELECT 1 FROM job_pages WHERE ${isThisTry})`,
    values: [copies, outcome.error ? copies : 0, jobId, owner, jobId, position, tries],
  };
  const ends: Statement[] = [
    {
      sql: `UPDATE job_pages SET state = ?, outcome = ? WHERE job_id = ? AND same_as = ? AND ${ownsJob}
        AND EXISTS (SELECT 1 FROM job_pages AS first WHERE first.job_id = ? AND first.position = ?
          AND first.state = 'running' AND first.tries = ?)`,
      values: [state, text, jobId, position, jobId, owner, jobId, position, tries],
    },
    {
      sql: `UPDATE job_pages SET state = ?, outcome = ?, answer = ? WHERE ${isThisTry} AND ${ownsJob}`,
      values: [state, text, answer, jobId, position, tries, jobId, owner],
    },
  ];
  return { counts, ends };
}

/** Cleans up after a previous owner: pages that were running get another try, or fail after their last one. */
export function toTakeUp(jobId: string, owner: string, interrupted: Problem): Statement[] {
  const outcome = JSON.stringify({ parts: [], comparisonId: null, error: interrupted } satisfies PageOutcome);
  const failed = (alias: string) => `${alias}.state = 'running' AND ${alias}.tries >= ${mostTries}`;
  const countOf = (states: string) =>
    `(SELECT count(*) FROM job_pages WHERE job_pages.job_id = jobs.id AND job_pages.state IN (${states}))`;
  return [
    {
      sql: `UPDATE job_pages SET state = 'failed', outcome = ? WHERE job_id = ? AND ${ownsJob} AND same_as IN
        (SELECT first.position FROM job_pages AS first WHERE first.job_id = ? AND ${failed('first')})`,
      values: [outcome, jobId, jobId, owner, jobId],
    },
    {
      sql: `UPDATE job_pages SET state = 'failed', outcome = ? WHERE job_id = ? AND ${ownsJob} AND ${failed('job_pages')}`,
      values: [outcome, jobId, jobId, owner],
    },
    {
      sql: `UPDATE job_pages SET state = 'waiting' WHERE job_id = ? AND state = 'running' AND ${ownsJob}`,
      values: [jobId, jobId, owner],
    },
    {
      sql: `UPDATE jobs SET done = ${countOf("'succeeded', 'failed'")}, failed = ${countOf("'failed'")}
        WHERE id = ? AND owner = ? AND attempt > 1`,
      values: [jobId, owner],
    },
  ];
}

/** Removes the pages that have not started when a job ends early, and corrects the counts. */
export const toPagesCut = (jobId: string, owner: string): Statement[] => [
  {
    sql: `DELETE FROM job_pages WHERE job_id = ? AND state = 'waiting' AND ${ownsJob}`,
    values: [jobId, jobId, owner],
  },
  { sql: 'UPDATE jobs SET total = done WHERE id = ? AND owner = ? AND ended_at IS NULL', values: [jobId, owner] },
];

/** Removes the pages of a job that was not added. It runs in the same transaction, so that no page is left behind. */
export const toPagesRemoval = (jobId: string): Statement => ({
  sql: 'DELETE FROM job_pages WHERE job_id = ? AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = ?)',
  values: [jobId, jobId],
});
