/**
 * The worker process, which runs one audit at a time, each in a fresh browser. The process is reused, because a warm
 * one is faster (imports, compiled code). The browser is not, because the state of one page must not affect the next.
 * The worker may run as an unprivileged user, and receives only orders.
 */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunFacts } from '../../../contract/stored/run-facts.ts';
import { toPipeWire } from '../../pipe-wire.ts';
import { openPort, type PortAnswer } from '../../port.ts';
import { type BrowserLaunch, channelFile, type WorkerCaller, type WorkerOrder } from '../messages.ts';
import type { WorkerSide } from '../replies.ts';
import { endBrowser, type FreshBrowser, launchBrowser } from './browser.ts';
import { limitGatherers } from './gather-limits.ts';
import { keepFormats } from './kept-formats.ts';
import { type CurrentOrder, type MeasuredFacts, measure, measurePrivately, toFailure } from './measure.ts';
import { importLighthouse, reAudit } from './simulation/re-audit.ts';

/** Max time that a spare browser may take to answer. A healthy one needs a few milliseconds. */
const spareAnswerMs = 2_000;

/** The order that is carried out, or the last one. */
let running: CurrentOrder | undefined;

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

type Answered = PortAnswer<RunFacts>;

/** JSON leaves out facts that are undefined. */
const toAnswer = (value?: unknown, facts: MeasuredFacts = {}): Answered => ({
  data: facts as RunFacts,
  bytes: Buffer.from(value === undefined ? '' : JSON.stringify(value)),
});

async function answer(order: WorkerOrder, run: CurrentOrder): Promise<Answered> {
  if (order.reAudit) return toAnswer(await reAudit(order.reAudit));
  if (order.launch) {
    const { browser, page } = await takeBrowser(order.launch, order.isStarted);
    const pid = browser.process()?.pid;
    if (pid) port.notify('browser', { pid });
    if (order.audit) {
      const given = { settings: order.audit, limits: order.limits };
      const measured = given.settings.access
        ? await measurePrivately(browser, order.launch, given, run)
        : await measure(page, given, run);
      return toAnswer(measured.lhr, measured.facts);
    }
  } else if (order.spare) {
    await end(spare);
    await startSpare(order.spare);
  }
  return toAnswer();
}

async function carryOut(order: WorkerOrder): Promise<Answered> {
  let starting: Promise<void> | undefined;
  /** Settles when the browser has ended. It ends once, possibly before the order is complete. */
  let ending: Promise<void> | undefined;
  const endCurrent = () => {
    ending ??= end(current);
    return ending;
  };
  running = {
    notify: port.notify,
    ask: phase => port.call('ask', { phase }),
    onGathered: () => void endCurrent(),
    onMeasured() {
      if (order.spare) starting ??= startSpare(order.spare).catch(() => {});
    },
  };
  const clear = async () => {
    await endCurrent();
    current = undefined;
    await starting;
    port.notify('idle', null);
  };
  try {
    return await answer(order, running);
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
  onNotice: { pause: ({ isPaused }) => running?.pause?.want(isPaused) },
  onCall: { carryOut },
  toFailure: error => toFailure(error, running?.scrub),
  fromFailure: () => new Error('the service refused'),
});
keepFormats();
port.notify('ready', null);
// The import runs while the browser of the first order starts.
limitGatherers().catch(() => {});
void importLighthouse();
