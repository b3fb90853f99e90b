/**
 * What a job is made of, as it stands in its tables. Everything is plain data: the database may be on another machine.
 */

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { ExperimentFacts } from '../contract/experiments/answer.ts';
import type { PrimaryMetric } from '../contract/experiments/names.ts';
import type { Hits } from '../contract/experiments/request.ts';
import type { Category, CpuChoice, Profile, RequestCategory, Strategy } from '../contract/names.ts';
import type { Problem } from '../contract/problem.ts';
import type { TraceContext } from '../contract/trace.ts';
import type { UnfinishedGroup } from './sql/job-rows.ts';

/* How much may wait in the tables: of one client, and of all clients together. */

export const jobBounds = { own: { jobs: 200, pages: 100_000 }, all: { jobs: 5000, pages: 500_000 } };
export const scheduleBounds = { own: { schedules: 100, pages: 100_000 }, all: { schedules: 2000, pages: 500_000 } };

export const sumOf = <Name extends string>(groups: readonly Record<Name, number>[], name: Name): number =>
  groups.reduce((sum, group) => sum + group[name], 0);

/** Which bound another job of so many pages would exceed. */
export function exceededBound(
  groups: readonly UnfinishedGroup[],
  client: string,
  pages: number,
): 'own jobs' | 'own pages' | 'all' | undefined {
  const own = groups.filter(group => group.client === client);
  if (sumOf(own, 'jobs') >= jobBounds.own.jobs) return 'own jobs';
  if (sumOf(own, 'pages') + pages > jobBounds.own.pages) return 'own pages';
  const isFull = sumOf(groups, 'jobs') >= jobBounds.all.jobs || sumOf(groups, 'pages') + pages > jobBounds.all.pages;
  return isFull ? 'all' : undefined;
}

/* Answers of pages that are kept nowhere else: some 35 KB each, and a tenth of that packed. */

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const packAnswer = async (answer: Buffer | null): Promise<Uint8Array | null> =>
  answer === null ? null : compress(answer);

/** Null for bytes that are damaged, too: the job knows the outcome of the page without them. */
export const unpackAnswer = async (packed: Uint8Array | null): Promise<Buffer | null> =>
  packed === null ? null : decompress(packed).catch(() => null);

const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

/** In a row, a page of a job that was cancelled keeps the state that it had: it is `cancelled` where it is read. */
const pageStates = ['waiting', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type PageState = (typeof pageStates)[number];

/** What is measured of every page of a job. */
export type JobRequest = {
  label: string | null;
  categories: readonly RequestCategory[];
  /** Of the request that asked for the job, where traces are on. */
  trace?: TraceContext | undefined;
} & (
  | { kind: 'psi'; strategy: Strategy | 'both'; fresh: boolean }
  | ({ kind: 'lighthouse'; strategy: Strategy } & LocalWishes)
  | ({ kind: 'compare'; strategy: Strategy; fresh: boolean } & LocalWishes)
  // Its headers and texts are a secret of the job: see sql/secret-rows.ts.
  | { kind: 'experiment'; strategy: Strategy; experiment: ExperimentFacts }
);

/** A schedule repeats no experiment: its headers and texts end with its job. */
export type ScheduledRequest = Exclude<JobRequest, { kind: 'experiment' }>;

type LocalWishes = {
  runs: number | 'auto';
  profile: Profile;
  /** Absent in jobs of earlier versions. */
  cpu?: CpuChoice;
  exclusive: boolean;
};

export type Job = {
  /** See result-id.ts: ordered by time, not to be guessed. */
  id: string;
  /** As the queues know it. */
  client: string;
  request: JobRequest;
  state: JobState;
  /** Positions of the list that was asked; how many of them have ended, and how many of those failed. */
  total: number;
  done: number;
  failed: number;
  /** How often an instance took it up. */
  attempt: number;
  /** The instance that works on it. */
  owner: string | null;
  /** Grows while the owner lives. */
  beat: number;
  createdAtMs: number;
  startedAtMs: number | null;
  endedAtMs: number | null;
  error: Problem | null;
  callback: string | null;
  scheduleId: string | null;
  /** The rules under which it was accepted: see takes.ts. Null for jobs of earlier versions. */
  policy: string | null;
};

export type NewJob = Pick<Job, 'id' | 'client' | 'request' | 'createdAtMs' | 'callback' | 'scheduleId' | 'policy'> & {
  idempotency?: Idempotency | undefined;
};

/** What the header `Idempotency-Key` of a client named, and what it was sent with: both as digests. */
export type Idempotency = { key: string; digest: string };

/** One measurement of a page: of one analyser under one strategy. */
export type PagePart = {
  source: 'psi' | 'lighthouse';
  strategy: Strategy;
  /** Null if nothing is kept, and of a failure. */
  id: string | null;
  scores: Readonly<Partial<Record<Category, number | null>>> | null;
  /** Absent in what was written by an older version. */
  disturbed?: boolean | null;
  /** Of a load of an experiment that succeeded. */
  load?: {
    metrics: Readonly<Record<PrimaryMetric, number | null>>;
    machineId: string | null;
    hits: Hits;
  };
  error: Problem | null;
};

export type PageOutcome = {
  parts: readonly PagePart[];
  /** Of a comparison that is kept. */
  comparisonId: string | null;
  /** Why the page failed as a whole. */
  error: Problem | null;
};

export type JobPage = {
  position: number;
  url: string;
  state: PageState;
  tries: number;
  /** The position at which the same URL came first: it is measured once. */
  sameAs: number | null;
  /** Positions that this one stands for, itself included. */
  copies: number;
  outcome: PageOutcome | null;
};

export type NewPage = Pick<JobPage, 'position' | 'url' | 'sameAs' | 'copies' | 'outcome'>;

export type JobEvent = { number: number; event: string; data: string };

export const isEnded = ({ state }: Pick<Job, 'state'>): boolean => state !== 'queued' && state !== 'running';

/** Kept so long after their end. */
export const keepMs = 24 * 60 * 60_000;

/** A page of a list may be tried twice, whatever ended the first try. */
export const mostTries = 2;
