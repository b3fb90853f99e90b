/**
 * The worker process, which runs one audit at a time, each in a fresh browser. The process is reused, because a warm
 * one is faster (imports, compiled code). The browser is not, because the state of one page must not affect the next.
 * The worker may run as an unprivileged user, and receives only orders.
 */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Runner } from 'lighthouse/core/runner.js';
import log from 'lighthouse-logger';
import type { Browser, Page } from 'puppeteer-core';
import type { Access } from '../../../contract/access/access.ts';
import type { Stage } from '../../../contract/analysis/progress.ts';
import { maxTextLength } from '../../../contract/names.ts';
import type { RunFacts } from '../../../contract/stored/run-facts.ts';
import { toPipeWire } from '../../pipe-wire.ts';
import { openPort, type PortAnswer } from '../../port.ts';
import {
  type BrowserLaunch,
  channelFile,
  isCalibrated,
  type OnStage,
  type WorkerCaller,
  type WorkerOrder,
} from '../messages.ts';
import type { AskedPhase, WorkerSide } from '../replies.ts';
import { bringAccess } from './access/bring.ts';
import { AccessFailure } from './access/failure.ts';
import { logIn, openPrivateTab } from './access/log-in.ts';
import { createProof } from './access/proof.ts';
import { createScrub, type Scrub, secretsOf } from './access/scrub.ts';
import { endBrowser, type FreshBrowser, launchBrowser } from './browser.ts';
import { type BrowserPause, createBrowserPause } from './browser-pause.ts';
import { lowerPriority, type Rest, watchOthers, watchRest } from './browser-processes.ts';
import { calibrate, measureBenchmark } from './calibration.ts';
import { answerCertificateErrors } from './certificate-errors.ts';
import { toEarlyShift } from './early-shift.ts';
import { type GatherOrder, gather } from './gather.ts';
import { limitGatherers } from './gather-limits.ts';
import { keepFormats } from './kept-formats.ts';
import { hung, PageFailureSeen } from './navigation-watch.ts';
import { watchLoaded } from './page-loaded.ts';
import { type PagePulse, watchPulse } from './page-pulse.ts';
import { toProcessorWait, wasFelt } from './processor-wait.ts';
import { importLighthouse, keepArtifacts, reAudit } from './re-audit.ts';
import { warmServer } from './variant/warm-server.ts';
import { toCosts } from './what-if/costs.ts';

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

/** Max time that a spare browser may take to answer. A healthy one needs a few milliseconds. */
const spareAnswerMs = 2_000;

const nothing = Buffer.alloc(0);

/** Asks the service for permission. Only the service knows what else runs on this machine. */
const ask = (phase: AskedPhase) => port.call('ask', { phase });

type Answered = PortAnswer<RunFacts>;

type Facts = { readonly [Name in keyof RunFacts]: RunFacts[Name] | undefined };
/** JSON leaves out facts that are undefined. */
const toResult = (value: unknown, facts: Facts = {}): Answered => ({
  data: facts as RunFacts,
  bytes: value === undefined ? nothing : Buffer.from(JSON.stringify(value)),
});

const toText = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, maxTextLength);
const toCode = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
/** Shortens a URL to its origin if it is too long. The origin identifies the connection that failed. */
const toUrl = (url: string) => (url.length > maxTextLength ? new URL(url).origin : url);

/** Returns whether an error may mean that a command was not answered: it has the driver's code for that, or no code. */
const isUnanswered = ({ code }: { code?: string }) => code === undefined || code === 'PROTOCOL_TIMEOUT';

/** An error after the browser has started. */
class AuditError extends Error {}

/** Hides the secrets of the current order in its artifacts and failures. */
let scrub: Scrub | undefined;

function toFailure(thrown: unknown): WorkerSide['failure'] {
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

/**
 * Audits one page like `lighthouse()`, but in two halves, because the service permits each phase separately. @throws
 */
async function audit(page: Page, order: GatherOrder, pulse: PagePulse, paused: BrowserPause) {
  const { settings } = order;
  const { artifacts, runnerOptions, hits, blocked } = await gather(page, order, pulse, paused);
  if (scrub) {
    scrub.data(artifacts);
    // It has what was computed from the artifacts so far.
    runnerOptions.computedCache.clear();
  }
  // A page that continues to work would take CPU time from the load of another audit.
  void endCurrent();
  await ask('compute');
  const outcome = await Runner.audit(artifacts, runnerOptions);
  if (!outcome) throw new Error('Lighthouse returned nothing');
  if (settings.keepIn) await keepArtifacts(outcome.artifacts, settings.keepIn);
  const { lhr } = outcome;
  const { Trace: trace } = outcome.artifacts;
  const hasShifts = (lhr.audits['cumulative-layout-shift']?.numericValue ?? 0) > 0;
  const earlyShift = trace && hasShifts ? toEarlyShift(trace) : 0;
  const processorWait = await toProcessorWait(outcome);
  const { computedCache } = runnerOptions;
  const facts: Facts = {
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

async function measure(
  page: Page,
  { limits, settings, proof }: Omit<GatherOrder, 'calibration' | 'refused'>,
  onMeasured: () => void,
): Promise<Answered> {
  const pid = page.browser().process()?.pid;
  const paused = createBrowserPause(page.browser());
  pause = paused;
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
  const tell: typeof port.notify = (name, data) => {
    if (!isOver) port.notify(name, data);
  };
  const onStage: OnStage = next => {
    stage = next;
    tell('stage', { stage });
    if (stage === 'gathering') countOthers();
    if (stage === 'auditing') onMeasured();
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
    await ask('load');
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
    const { lhr, facts } = await audit(page, { settings, limits, calibration, proof, refused }, pulse, paused);
    if (facts.processorWait && othersMs !== undefined) facts.processorWait.othersMs = othersMs;
    return toResult(lhr, facts);
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
async function measurePrivately(
  browser: Browser,
  launch: BrowserLaunch,
  { limits, settings }: Pick<GatherOrder, 'limits' | 'settings'>,
  onMeasured: () => void,
): Promise<Answered> {
  const { access: given, url: pageUrl, totalMs } = settings;
  if (typeof given !== 'object' || given === null) throw new Error('the access was not opened');
  const hide = (...states: readonly Access[]) =>
    createScrub(
      states.flatMap(state => [...secretsOf(state, pageUrl)]),
      Object.keys(given.headers ?? {}),
    );
  scrub = hide(given);
  // A login takes as much CPU time as a load.
  await ask('load');
  try {
    const onStart = (pid: number) => port.notify('login', { pid });
    const known = [given];
    const onLeft = (left: Access) => {
      known.push(left);
      scrub = hide(...known);
    };
    const order = { launch, pageUrl, trust: settings, withinMs: totalMs / 2, onStart, onLeft };
    const { access, tookMs } = await logIn(given, order);
    onLeft(access);
    const page = await openPrivateTab(browser);
    await bringAccess(page, access, pageUrl);
    const proof = createProof(page, access, pageUrl, onLeft);
    return await measure(page, { limits, settings: { ...settings, totalMs: totalMs - tookMs }, proof }, onMeasured);
  } catch (error) {
    throw error instanceof AuditError ? error : new AuditError('', { cause: error });
  }
}

/** Pauses of the latest browser that measured a page. */
let pause: BrowserPause | undefined;

/** Browsers of the current order and of the next one. Either may still be starting. */
let current: Promise<FreshBrowser> | undefined;
let spare: Promise<FreshBrowser> | undefined;

async function end(starting: Promise<FreshBrowser> | undefined): Promise<void> {
  const started = await starting?.catch(() => undefined);
  if (started) await endBrowser(started.browser);
}

async function startSpare(order: BrowserLaunch): Promise<void> {
  spare = launchBrowser(order);
  const pid = (await spare).browser.process()?.pid;
  if (pid) port.notify('spare', { pid });
}

/** Settles when the current browser has ended. It ends once per order, possibly before the order is complete. */
let ending: Promise<void> | undefined;
function endCurrent(): Promise<void> {
  ending ??= end(current);
  return ending;
}

/** Returns whether a spare browser still answers. It may have been killed or stopped while it waited. */
const answers = ({ page }: FreshBrowser): Promise<boolean> =>
  Promise.race([
    page.evaluate('1').then(
      () => true,
      () => false,
    ),
    delay(spareAnswerMs, false, { ref: false }),
  ]);

/** Returns the spare browser if the order wants it and it is still running; otherwise starts one. */
async function takeBrowser(order: BrowserLaunch, isStarted = false): Promise<FreshBrowser> {
  const waiting = spare;
  spare = undefined;
  const started = isStarted ? await waiting?.catch(() => undefined) : undefined;
  if (started && (await answers(started))) {
    current = Promise.resolve(started);
    return started;
  }
  await end(waiting);
  current = launchBrowser(order);
  return current;
}

async function toAnswer(order: WorkerOrder, onMeasured: () => void): Promise<Answered> {
  if (order.reAudit) return toResult(await reAudit(order.reAudit));
  if (order.launch) {
    const { browser, page } = await takeBrowser(order.launch, order.isStarted);
    const pid = browser.process()?.pid;
    if (pid) port.notify('browser', { pid });
    if (order.audit) {
      const { limits, audit: settings } = order;
      if (!settings.access) return measure(page, { settings, limits }, onMeasured);
      return measurePrivately(browser, order.launch, { settings, limits }, onMeasured);
    }
  } else if (order.spare) {
    await end(spare);
    await startSpare(order.spare);
  }
  return toResult(undefined);
}

async function carryOut(order: WorkerOrder): Promise<Answered> {
  scrub = undefined;
  let starting: Promise<void> | undefined;
  /** Starts the spare browser. Lighthouse no longer needs the page, and only computes. */
  const onMeasured = () => {
    if (order.spare) starting ??= startSpare(order.spare).catch(() => {});
  };
  const clear = async () => {
    await endCurrent();
    current = undefined;
    ending = undefined;
    await starting;
    port.notify('idle', null);
  };
  try {
    return await toAnswer(order, onMeasured);
  } finally {
    // The answer is sent first.
    setImmediate(() => void clear());
  }
}

/**
 * Ends the browsers, then the worker. The service closes the pipe when it no longer needs the worker, or when it ends.
 */
async function leave(): Promise<void> {
  await Promise.all([end(current), end(spare)]);
  process.exit(0);
}

// The service decides when a worker ends, so that Ctrl-C does not interrupt running audits.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// Lighthouse does not await all commands to a browser, which may be ended before they are answered. Only the replies of
// a worker count.
process.on('unhandledRejection', () => {});

const wire = toPipeWire(new Socket({ fd: channelFile }), { onClose: () => void leave() });
const port = openPort<WorkerSide, WorkerCaller>(wire, {
  onNotice: { pause: ({ isPaused }) => pause?.want(isPaused) },
  onCall: { carryOut },
  toFailure,
  fromFailure: () => new Error('the service refused'),
});
keepFormats();
port.notify('ready', null);
// The import runs while the browser of the first order starts.
limitGatherers().catch(() => {});
void importLighthouse();
