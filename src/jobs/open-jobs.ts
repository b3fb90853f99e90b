/** Opens jobs in the database of results, or in a temporary one that ends with the process. */
import type { Logger } from 'pino';
import { createMeasureArm } from '../analysis/measure-arm.ts';
import type { Recorder } from '../analysis/records/recorder.ts';
import { createCompareKept } from '../analysis/stored/compare-stored.ts';
import { createReadHistory } from '../analysis/stored/read-history.ts';
import type { Threads } from '../analysis/threads/threads.ts';
import { defaultSmallestEffects } from '../explain/statistics/smallest-effect.ts';
import { createFairSlots, type FairSlots } from '../measure/fair-turns.ts';
import { lighthouseVersion } from '../measure/lighthouse/lighthouse-version.ts';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import type { Settings } from '../settings/settings.ts';
import { createSqliteDatabase } from '../storage/results/sqlite/database.ts';
import { temporaryDatabase } from '../storage/results/sqlite/messages.ts';
import type { ResultStore } from '../storage/results/store.ts';
import { tracePages } from '../telemetry/observed.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import type { Job } from './job.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { createReadShown } from './schedules/alerts.ts';
import { createCompareRuns } from './schedules/run-changes.ts';
import type { JobsOverrides, JobsParts } from './work/job-worker.ts';
import { createRunPage, type PageSources } from './work/run-page.ts';

export type { JobsOverrides };

export type OpenJobsParts = Omit<PageSources, 'measureArm'> &
  Pick<JobsParts, 'takes' | 'policy' | 'network' | 'hidesInside'> & {
    recorder: Pick<Recorder, 'experiment'>;
    settings: Pick<Settings, 'psiConcurrency' | 'lighthouseConcurrency' | 'callbackKey'>;
    onCallbackGivenUp: () => void;
    log: Logger;
    /** Undefined if results are not stored. */
    store: ResultStore | undefined;
    /** Whether stored jobs are ignored: true for a command, which works only on its own job. */
    isAlone: boolean;
    threads: Threads;
    local: LocalAnalyser;
    /** Whether the PSI analyser runs on another machine. */
    isRemote: boolean;
    /** Max number of parallel local audits across all machines. If undefined, only this machine counts. */
    localRoom?: (() => number) | undefined;
    onRemoved: (count: number) => void;
    overrides: JobsOverrides;
    /** Undefined if tracing is off. */
    tracing: Tracing | undefined;
  };

/**
 * Returns the slots for the pages of a job. There is one more than the analyser has, so that the analyser is not idle
 * between two pages.
 */
const toLanes = (parts: OpenJobsParts): ((job: Job) => FairSlots) => {
  const { settings, isRemote, localRoom = () => settings.lighthouseConcurrency } = parts;
  const remote = createFairSlots(() => settings.psiConcurrency + 1);
  const local = createFairSlots(() => localRoom() + 1);
  return ({ request }) => (request.kind === 'psi' && isRemote ? remote : local);
};

export function openJobs(parts: OpenJobsParts): Jobs {
  const { settings, log, policy, network, threads, local, tracing, overrides } = parts;
  const store = parts.isAlone ? undefined : parts.store;
  const ownDatabase = store ? undefined : createSqliteDatabase({ path: temporaryDatabase });
  const compareKept = createCompareKept({ threads, local, lighthouseVersion });
  const measureArm = createMeasureArm({ policy, local, threads });
  const runPage = createRunPage({ ...parts, measureArm });
  const jobs = createJobs({
    database: store?.database ?? (ownDatabase as ReturnType<typeof createSqliteDatabase>),
    clock: store?.clock,
    isLasting: store !== undefined,
    runPage: tracing ? tracePages(tracing)(runPage) : runPage,
    laneOf: toLanes(parts),
    network,
    policy,
    hidesInside: parts.hidesInside,
    takes: parts.takes,
    callbackKey: settings.callbackKey,
    vault: parts.vault,
    async keepExperiment(answer) {
      const reason = await parts.recorder.experiment(answer);
      if (reason !== undefined) log.warn({ job: answer.id, reason }, 'an experiment was not stored');
    },
    compare: store && createCompareRuns(compareKept, store, defaultSmallestEffects),
    readShown: store && createReadShown(createReadHistory({ threads }), store),
    onFailure: (job, err) => log.error({ job: job.id, err }, 'a job failed'),
    onTried: ({ jobId, url, tries }, sent, state) => {
      if (state === 'given_up') parts.onCallbackGivenUp();
      const facts = { job: jobId, target: new URL(url).origin, tries: tries + 1 };
      if (sent.ok) log.info(facts, 'a callback was delivered');
      else log.warn({ ...facts, reason: sent.reason }, 'a callback was not delivered');
    },
    onRemoved(count) {
      log.info({ kind: 'jobs', count }, 'retention removed data');
      parts.onRemoved(count);
    },
    ...overrides,
  });
  return {
    ...jobs,
    // A job outlives its request, but belongs to its trace.
    submit: tracing
      ? order => jobs.submit({ ...order, request: { ...order.request, trace: tracing.current() } })
      : jobs.submit,
    async close() {
      await jobs.close();
      await ownDatabase?.close();
    },
  };
}
