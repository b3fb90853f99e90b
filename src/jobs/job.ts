/**
 * The parts of a job as its tables store them. All of them are plain data, because the database may be on another
 * machine.
 */

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { ExperimentFacts } from '../contract/experiments/answer.ts';
import type { Hits } from '../contract/experiments/load-variant.ts';
import type { PrimaryMetric } from '../contract/experiments/names.ts';
import type { FoundSite } from '../contract/jobs/job.ts';
import type { MeasuringOptions } from '../contract/measuring-options.ts';
import type { CallbackFormat, Category, Strategy } from '../contract/names.ts';
import type { Problem } from '../contract/problem.ts';
import type { TraceContext } from '../contract/trace.ts';
import type { TableMetric } from '../presentation/words.ts';

/* Limits on the work in the tables: for one client, and for all clients together. */

type Bounds = Readonly<Record<'own' | 'all', { readonly count: number; readonly pages: number }>>;

export const jobBounds: Bounds = { own: { count: 200, pages: 100_000 }, all: { count: 5000, pages: 500_000 } };
export const scheduleBounds: Bounds = { own: { count: 100, pages: 100_000 }, all: { count: 2000, pages: 500_000 } };

/** Unfinished jobs or schedules of a client. `pages` counts their unfinished pages. */
export type Group = { client: string; count: number; pages: number };

export const sumOf = (groups: readonly Group[], name: 'count' | 'pages'): number =>
  groups.reduce((sum, group) => sum + group[name], 0);

/** Returns the limit that another job or schedule with this many pages would exceed. */
export function exceededBound(
  { own, all }: Bounds,
  groups: readonly Group[],
  client: string,
  pages: number,
): 'own count' | 'own pages' | 'all' | undefined {
  const mine = groups.filter(group => group.client === client);
  if (sumOf(mine, 'count') >= own.count) return 'own count';
  if (sumOf(mine, 'pages') + pages > own.pages) return 'own pages';
  return sumOf(groups, 'count') >= all.count || sumOf(groups, 'pages') + pages > all.pages ? 'all' : undefined;
}

/* Compresses answers of pages that are not stored elsewhere: from about 35 KB to a tenth of that. */

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const packAnswer = async (answer: Buffer | null): Promise<Uint8Array | null> =>
  answer === null ? null : compress(answer);

/** Unpacks an answer. Null for damaged bytes; the job still has the outcome of the page. */
export const unpackAnswer = async (packed: Uint8Array | null): Promise<Buffer | null> =>
  packed === null ? null : decompress(packed).catch(() => null);

const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

/** States of a page. A page of a cancelled job is not changed in its row, but read as `cancelled`. */
const pageStates = ['waiting', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type PageState = (typeof pageStates)[number];

/** Measurement of every page of a job. */
export type JobRequest = {
  /** Trace context of the request that submitted the job, if tracing is on. */
  trace?: TraceContext | undefined;
  /** Form of the callback, and where its links lead. Absent in rows of an earlier version if it is JSON. */
  message?: { readonly format: CallbackFormat; readonly origin: string } | undefined;
  /** Source in which the service found the URLs. */
  site?: FoundSite | undefined;
} & (
  | ({ kind: 'psi'; fresh: boolean } & Omit<MeasuringOptions<'psi'>, 'detailed'>)
  | ({ kind: 'lighthouse' } & MeasuringOptions<'page'>)
  | ({ kind: 'compare'; fresh: boolean } & MeasuringOptions<'page'>)
  // The headers and texts of an experiment are a secret of the job: see statements.ts.
  | ({ kind: 'experiment'; experiment: ExperimentFacts } & Pick<
      MeasuringOptions<'page'>,
      'strategy' | 'categories' | 'label'
    >)
);

/** A schedule cannot repeat an experiment, because its headers and texts are removed when its job ends. */
export type ScheduledRequest = Exclude<JobRequest, { kind: 'experiment' }>;

export type Job = {
  /** Id that sorts by time and cannot be guessed: see result-id.ts. */
  id: string;
  /** Name of the client, as in the queues. */
  client: string;
  request: JobRequest;
  state: JobState;
  /** Number of positions in the requested list. `done` and `failed` count those that have ended and have failed. */
  total: number;
  done: number;
  failed: number;
  /** Number of times that an instance has claimed the job. */
  attempt: number;
  /** Instance that works on the job. */
  owner: string | null;
  /** Counter that the owner increments while it is alive. */
  beat: number;
  createdAtMs: number;
  startedAtMs: number | null;
  endedAtMs: number | null;
  error: Problem | null;
  callback: string | null;
  scheduleId: string | null;
  /** Rules under which the job was accepted: see job-policy.ts. Null for jobs of earlier versions. */
  policy: string | null;
};

export type NewJob = Pick<Job, 'id' | 'client' | 'request' | 'createdAtMs' | 'callback' | 'scheduleId' | 'policy'> & {
  idempotency?: Idempotency | undefined;
};

/** Digests of the `Idempotency-Key` header and of the request that a client sent with it. */
export type Idempotency = { key: string; digest: string };

/** A measurement of a page by one analyser with one strategy. */
export type PagePart = {
  source: 'psi' | 'lighthouse';
  strategy: Strategy;
  /** Id of the stored result; null if it is not stored, and for a failure. */
  id: string | null;
  scores: Readonly<Partial<Record<Category, number | null>>> | null;
  /** Absent in rows of an earlier version, and for a failure. */
  metrics?: Readonly<Record<TableMetric, number | null>>;
  /** Absent in rows of an earlier version. */
  disturbed?: boolean | null;
  /** Absent in rows of an earlier version. */
  performanceRange?: { readonly min: number; readonly max: number } | null;
  /** Present for a successful load of an experiment. */
  load?: {
    metrics: Readonly<Partial<Record<PrimaryMetric, number | null>>>;
    machineId: string | null;
    hits: Hits;
    /** URL after redirects, without its query, which may contain a secret; absent in rows of an earlier version. */
    finalUrl?: string;
  };
  error: Problem | null;
};

export type PageOutcome = {
  parts: readonly PagePart[];
  /** Id of the stored comparison. */
  comparisonId: string | null;
  /** Reason why the whole page failed. */
  error: Problem | null;
};

export type PageRow = {
  position: number;
  url: string;
  state: PageState;
  tries: number;
  /** First position of the same URL, at which the URL is measured. */
  sameAs: number | null;
  /** Number of positions that this page represents, including its own. */
  copies: number;
  outcome: PageOutcome | null;
};

export type NewPage = Pick<PageRow, 'position' | 'url' | 'sameAs' | 'copies' | 'outcome'>;

export type JobEvent = { number: number; event: string; data: string };

export const isEnded = ({ state }: Pick<Job, 'state'>): boolean => state !== 'queued' && state !== 'running';

/** Time during which jobs are stored after their end. */
export const keepMs = 24 * 60 * 60_000;

/** Max number of tries for a page of a list, however the first one ended. */
export const mostTries = 2;
