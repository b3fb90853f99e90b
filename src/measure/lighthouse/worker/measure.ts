/** Measures one page in a fresh browser, in phases that the service permits one by one. */
import { Runner } from 'lighthouse/core/runner.js';
import log from 'lighthouse-logger';
import type { Browser, Page } from 'puppeteer-core';
import type { Access } from '../../../contract/access/access.ts';
import type { Stage } from '../../../contract/analysis/progress.ts';
import { maxTextLength } from '../../../contract/names.ts';
import type { RunFacts } from '../../../contract/stored/run-facts.ts';
import type { Port } from '../../port.ts';
import { type BrowserLaunch, isCalibrated, type OnStage } from '../messages.ts';
import type { AskedPhase, WorkerSide } from '../replies.ts';
import { bringAccess } from './access/bring.ts';
import { AccessFailure } from './access/failure.ts';
import { logIn, openPrivateTab } from './access/log-in.ts';
import { createProof } from './access/proof.ts';
import { createScrub, type Scrub, secretsOf } from './access/scrub.ts';
import { type BrowserPause, createBrowserPause } from './browser-pause.ts';
import { lowerPriority, type Rest, watchOthers, watchRest } from './browser-processes.ts';
import { calibrate, measureBenchmark } from './calibration.ts';
import { answerCertificateErrors } from './certificate-errors.ts';
import { toEarlyShift } from './early-shift.ts';
import { type GatherOrder, gather } from './gather.ts';
import { hung, PageFailureSeen } from './navigation-watch.ts';
import { watchLoaded } from './page-loaded.ts';
import { type PagePulse, watchPulse } from './page-pulse.ts';
import { toProcessorWait, wasFelt } from './processor-wait.ts';
import { toCosts } from './simulation/costs.ts';
import { keepArtifacts } from './simulation/re-audit.ts';
import { warmServer } from './variant/warm-server.ts';

/** An order that is carried out: what it tells the service, and what the service may do meanwhile. */
export type CurrentOrder = {
  readonly notify: Port<WorkerSide>['notify'];
  /** Asks the service for permission. Only the service knows what else runs on this machine. */
  readonly ask: (phase: AskedPhase) => Promise<unknown>;
  /** Ends the browser. */
  readonly onGathered: () => void;
  /** Lighthouse no longer needs the page, and only computes. */
  readonly onMeasured: () => void;
  /** Hides the secrets of the order in its artifacts and failures. */
  scrub?: Scrub;
  pause?: BrowserPause;
};

/**
 * Derives the stage from Lighthouse's log, because Lighthouse reports its progress nowhere else (13.5). The first
 * artifact shows that the trace has ended: an earlier pause of the browser would add a task of seconds to the trace.
 */
const isNavigation = (message: string): boolean => message.startsWith('Navigating to http');
const toStage = (message: string): Stage | undefined => {
  if (isNavigation(message)) return 'loading';
  if (message.startsWith('Getting artifact')) return 'gathering';
  return message.startsWith('Analyzing and running audits') ? 'auditing' : undefined;
};

/**
 * Reports the stages of the running audit, each once, and the time when Lighthouse stops waiting for the page.
 * @returns a function that stops the reports
 */
function followStages(onStage: OnStage, onWaited: () => void): () => void {
  let last: Stage | undefined;
  const hear = ([, message]: readonly unknown[]) => {
    const stage = toStage(String(message));
    if (!stage || stage === last) return;
    last = stage;
    onStage(stage);
  };
  const hearEnd = ([, message]: readonly unknown[]) => isNavigation(String(message)) && onWaited();
  log.events.on('status', hear);
  log.events.on('statusEnd', hearEnd);
  return () => {
    log.events.off('status', hear);
    log.events.off('statusEnd', hearEnd);
  };
}

export type MeasuredFacts = { readonly [Name in keyof RunFacts]: RunFacts[Name] | undefined };
type Measured = { readonly lhr: unknown; readonly facts: MeasuredFacts };

/** An error after the browser has started. */
class AuditError extends Error {}

const toText = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, maxTextLength);
const toCode = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
/** Shortens a URL to its origin if it is too long. The origin identifies the connection that failed. */
const toUrl = (url: string) => (url.length > maxTextLength ? new URL(url).origin : url);

/** Converts an error of an order to plain data. */
export function toFailure(thrown: unknown, scrub: Scrub | undefined): WorkerSide['failure'] {
  const isOfAudit = thrown instanceof AuditError;
  const error = isOfAudit ? thrown.cause : thrown;
  const failure: WorkerSide['failure'] = {
    during: isOfAudit ? 'audit' : 'launch',
    message: toText(error),
    ...toCode(error),
    ...(error instanceof PageFailureSeen && error.url ? { url: toUrl(error.url) } : {}),
    ...(error instanceof AccessFailure && error.seen ? { seen: error.seen } : {}),
  };
  return scrub ? scrub.data(failure) : failure;
}

/** Returns whether an error may mean that a command was not answered: it has the driver's code for that, or no code. */
const isUnanswered = ({ code }: { code?: string }) => code === undefined || code === 'PROTOCOL_TIMEOUT';

/**
 * Audits one page like `lighthouse()`, but in two halves, because the service permits each phase separately. @throws
 */
async function audit(page: Page, order: GatherOrder, pulse: PagePulse, paused: BrowserPause, run: CurrentOrder) {
  const { settings } = order;
  const { artifacts, runnerOptions, hits, blocked } = await gather(page, order, pulse, paused);
  if (run.scrub) {
    run.scrub.data(artifacts);
    // It has what was computed from the artifacts so far.
    runnerOptions.computedCache.clear();
  }
  // A page that continues to work would take CPU time from the load of another audit.
  run.onGathered();
  await run.ask('compute');
  const outcome = await Runner.audit(artifacts, runnerOptions);
  if (!outcome) throw new Error('Lighthouse returned nothing');
  if (settings.keepIn) await keepArtifacts(outcome.artifacts, settings.keepIn);
  const { lhr } = outcome;
  const { Trace: trace } = outcome.artifacts;
  const hasShifts = (lhr.audits['cumulative-layout-shift']?.numericValue ?? 0) > 0;
  const earlyShift = trace && hasShifts ? toEarlyShift(trace) : 0;
  const processorWait = await toProcessorWait(outcome);
  const { computedCache } = runnerOptions;
  const facts: MeasuredFacts = {
    benchmarkIndex: lhr.environment.benchmarkIndex || undefined,
    calibration: order.calibration,
    processorWait,
    earlyShift: earlyShift > 0 ? earlyShift : undefined,
    hits,
    blocked,
    costs: await toCosts(outcome, { computedCache, withoutWait: wasFelt(outcome, processorWait) }),
  };
  return { lhr, facts };
}

/** @throws AuditError */
export async function measure(
  page: Page,
  { limits, settings, proof }: Omit<GatherOrder, 'calibration' | 'refused'>,
  run: CurrentOrder,
): Promise<Measured> {
  const pid = page.browser().process()?.pid;
  const paused = createBrowserPause(page.browser());
  run.pause = paused;
  let stage: Stage = 'preparing';
  let rest: ReturnType<typeof watchRest> | undefined;
  let others: ReturnType<typeof watchOthers> | undefined;
  /** CPU time of other programs while the page worked: in its quiet, another audit may load. */
  let othersMs: number | undefined;
  const countOthers = () => {
    const ms = others?.();
    others = undefined;
    if (ms !== undefined) othersMs = (othersMs ?? 0) + ms;
  };
  /** Whether the order has been answered. Later events belong to no order. */
  let isOver = false;
  const tell: CurrentOrder['notify'] = (name, data) => {
    if (!isOver) run.notify(name, data);
  };
  const onStage: OnStage = next => {
    stage = next;
    tell('stage', { stage });
    if (stage === 'gathering') countOthers();
    if (stage === 'auditing') run.onMeasured();
  };
  const unfollow = followStages(onStage, () => {
    // The page did not ask for the CPU time that the end of its trace takes, and another page may load.
    rest?.stop();
    if (pid) lowerPriority(pid);
  });
  const isEarly = () => stage === 'preparing' || stage === 'loading';
  const pulse = await watchPulse(
    page,
    // Later, each artifact has a time limit of its own, and what was gathered has a result.
    { ...limits, hungMs: () => (isEarly() ? limits.hungMs : Number.POSITIVE_INFINITY) },
    isSilent => tell('pulse', { isSilent }),
  );
  const isLoaded = await watchLoaded(page);
  try {
    await run.ask('load');
    const refused = await answerCertificateErrors(page, settings);
    if (settings.variant) await warmServer(page.browser(), settings);
    others = watchOthers(pid);
    const onRest = (kind: Rest, isAtRest: boolean) => {
      if (isAtRest) countOthers();
      else others = watchOthers(pid);
      tell('rest', { rest: kind, isAtRest });
    };
    rest = pid ? watchRest(pid, isLoaded, onRest) : undefined;
    const calibration = isCalibrated(settings)
      ? await calibrate(settings.knownIndices ?? [], () => measureBenchmark(page))
      : undefined;
    const { lhr, facts } = await audit(page, { settings, limits, calibration, proof, refused }, pulse, paused, run);
    if (facts.processorWait && othersMs !== undefined) facts.processorWait.othersMs = othersMs;
    return { lhr, facts };
  } catch (error) {
    throw new AuditError('', { cause: pulse.isSilent && isUnanswered(toCode(error)) ? hung() : error });
  } finally {
    isOver = true;
    paused.stop();
    rest?.stop();
    unfollow();
  }
}

/**
 * Measures a page with an access: a login in a browser of its own, then a load in a tab that has only its state.
 */
export async function measurePrivately(
  browser: Browser,
  launch: BrowserLaunch,
  { limits, settings }: Pick<GatherOrder, 'limits' | 'settings'>,
  run: CurrentOrder,
): Promise<Measured> {
  const { access: given, url: pageUrl, totalMs } = settings;
  if (typeof given !== 'object' || given === null) throw new Error('the access was not opened');
  const hide = (...states: readonly Access[]) =>
    createScrub(
      states.flatMap(state => [...secretsOf(state, pageUrl)]),
      Object.keys(given.headers ?? {}),
    );
  run.scrub = hide(given);
  // A login takes as much CPU time as a load.
  await run.ask('load');
  try {
    const onStart = (pid: number) => run.notify('login', { pid });
    const known = [given];
    const onLeft = (left: Access) => {
      known.push(left);
      run.scrub = hide(...known);
    };
    const order = { launch, pageUrl, trust: settings, withinMs: totalMs / 2, onStart, onLeft };
    const { access, tookMs } = await logIn(given, order);
    onLeft(access);
    const page = await openPrivateTab(browser);
    await bringAccess(page, access, pageUrl);
    const proof = createProof(page, access, pageUrl, onLeft);
    return await measure(page, { limits, settings: { ...settings, totalMs: totalMs - tookMs }, proof }, run);
  } catch (error) {
    throw error instanceof AuditError ? error : new AuditError('', { cause: error });
  }
}
